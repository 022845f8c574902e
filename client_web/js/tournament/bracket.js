import { svg } from "../browser/dom.js";
import { roomUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { gamesText } from "./text.js";

/** The bracket of a knockout as a picture: a column for each round, with lines from each match to the next of its winner. */

/** @import { Match, Row } from "../net/messages.js" */

const BOX = { width: 176, height: 48, gap: 14, column: 216 };
const MAX_NAME = 17;

/** @param {Match} match */
const numbersOf = ({ entrants }) => entrants.map((entrant) => entrant?.entrant ?? 0);

/**
 * Return the matches of each round by their place from the top. A match that is played again takes the place of the annulled
 * one, and the others stand where their entrants come from.
 * @param {readonly Match[]} matches @param {number} rounds @returns {Map<number, Match>[]}
 */
function placesOf(matches, rounds) {
  /** @type {Map<number, Match>[]} */
  const columns = [];
  /** @type {Map<number, number>} */ let before = new Map();
  for (let round = 1; round <= rounds; round++) {
    /** @type {Map<number, Match>} */
    const column = new Map();
    /** @type {Map<number, number>} */
    const places = new Map();
    for (const match of matches.filter((each) => each.round === round)) {
      const [first = 0, second = 0] = numbersOf(match);
      const origin = places.get(first) ?? (round > 1 ? (before.get(first) ?? before.get(second) ?? 0) >> 1 : undefined);
      const place = origin ?? new Set(places.values()).size;
      for (const number of [first, second]) if (number) places.set(number, place);
      if (match.state !== "annulled") column.set(place, match);
    }
    columns.push(column);
    before = places;
  }
  return columns;
}

/**
 * Return which entrant of a match won it: the one who plays on, or the first of the standings after the last round; -1 while
 * that is open. Points do not say it, because time or a lot may decide a tie.
 * @param {Match} match @param {Iterable<Match>} next the matches of the next round @param {readonly Row[]} top
 */
function winnerOf(match, next, top) {
  const numbers = numbersOf(match);
  const onward = [...next].flatMap(numbersOf);
  const winner = onward.length
    ? onward.find((number) => number && numbers.includes(number))
    : top.find(({ rank }) => rank === 1)?.entrant;
  return winner === undefined ? -1 : numbers.indexOf(winner);
}

/** @param {string} name */
const shortened = (name) => ([...name].length > MAX_NAME ? [...name].slice(0, MAX_NAME - 1).join("") + "…" : name);

/**
 * @param {readonly Match[]} matches @param {number} rounds
 * @param {readonly Row[]} top the standings after the last round, else none
 * @param {boolean} links a tap on a match opens its room
 */
export function createBracket(matches, rounds, top, links) {
  const columns = placesOf(matches, rounds);
  const count = 2 ** (rounds - 1);
  const height = count * (BOX.height + BOX.gap) + BOX.gap;
  const middle = (/** @type {number} */ column, /** @type {number} */ place) =>
    ((place + 0.5) * height) / (count / 2 ** column);

  /** @param {Match|undefined} match @param {number} column @param {number} place */
  function createBox(match, column, place) {
    const won = match ? winnerOf(match, columns[column + 1]?.values() ?? [], top) : -1;
    const lines = [0, 1].flatMap((index) => {
      const entrant = match?.entrants[index];
      const y = index ? 39 : 18;
      const name = entrant?.name ?? (match ? t("tournament.bye") : "");
      return [
        svg("text", { x: 10, y, class: entrant ? (won === index ? "won" : "") : "bye", text: shortened(name) }),
        svg("text", {
          x: BOX.width - 10,
          y,
          class: "bracket-points",
          text: entrant && match?.entrants[1] ? gamesText(match.points[index] ?? 0) : "",
        }),
      ];
    });
    const box = svg("rect", { width: BOX.width, height: BOX.height, rx: 8, class: match ? "" : "empty" });
    const node =
      links && match?.room && match.games.length
        ? svg("a", { href: roomUrl(match.room), "data-page-link": "" })
        : svg("g");
    node.append(box, ...lines);
    node.setAttribute("transform", `translate(${column * BOX.column + 1} ${middle(column, place) - BOX.height / 2})`);
    return node;
  }

  /** @param {number} column @param {number} place */
  function createLine(column, place) {
    const x = column * BOX.column + BOX.width + 1;
    const y = middle(column, place);
    return svg("path", { d: `M${x} ${y}h20V${middle(column + 1, place >> 1)}h20` });
  }

  const nodes = columns.flatMap((column, index) =>
    Array.from({ length: count / 2 ** index }, (_, place) => [
      ...(index + 1 < rounds ? [createLine(index, place)] : []),
      createBox(column.get(place), index, place),
    ]).flat(),
  );
  const width = (rounds - 1) * BOX.column + BOX.width + 2;
  return svg(
    "svg",
    { class: rounds > 2 ? "bracket" : "bracket narrow", width, height, viewBox: `0 0 ${width} ${height}` },
    ...nodes,
  );
}
