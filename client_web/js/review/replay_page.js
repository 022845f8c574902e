import { reasonOf } from "../net/failures.js";
import { createBoardHolder } from "../board/board.js";
import { setSentences } from "../board/chip.js";
import { avoidableOf, endSentences } from "../board/mistakes.js";
import { followsFromMoves, parseGame, replayAt } from "../board/replay.js";
import { button, h, listen, pageLink, setAttr, setText, show } from "../browser/dom.js";
import { isSlanted, loadChoice, saveChoice } from "../browser/preferences.js";
import { allVariants, knownVariant, requestRecord } from "../net/api.js";
import { HttpError } from "../net/http.js";
import { homeUrl, replayText } from "../net/urls.js";
import { createAnalysis, fetchPositions } from "../room/analysis.js";
import { shownPosition } from "../room/board_area.js";
import { pathNow, takeReview } from "../room/branch.js";
import { handleRoomKey } from "../room/page.js";
import { playOn, tryCell } from "../room/play_on.js";
import { parseSeries } from "../room/series.js";
import { createRoomState, update } from "../room/state.js";
import { markHeadline, outcomeReason, shownSentences } from "../room/text.js";
import { createPageNote } from "../room/view.js";
import { t } from "../texts/i18n.js";
import { createReview } from "./review.js";

/**
 * The page of a game, or of a series, by its link. It needs no room: the server turns the moves into a record, and says when they
 * are no game. The page's state is that of a room of which one game is under review.
 */

/** @import { GameRecord, Mark } from "../net/messages.js" */
/** @import { Dispatch, Message, RoomState } from "../room/state.js" */
/** @import { LinkedGame } from "../room/series.js" */
/** @typedef {RoomState & {record: GameRecord}} ReplayState */

/** @param {Mark} mark */
const nameOf = (mark) => mark;

/** @param {{root: HTMLElement, navigate: (path: string) => void}} options @returns {() => void} closes the page */
export function replayPage({ root, navigate }) {
  const place = { path: pathNow(), navigate };
  let state = createRoomState({ id: "", passAndPlay: false, invite: null, muted: [], variants: allVariants() });
  let disposed = false;
  const linked = parseSeries(replayText(location));
  /** The games of the link by their numbers in the state. @type {(Omit<LinkedGame, "x">|null)[]} */
  const games = linked ?? [parseGame(replayText(location))];
  const analysis = createAnalysis({
    dispatch,
    fetchRecord,
    // Only moves that end a game get values: any others may be of a game that is on.
    fetchValues: async (record) => (followsFromMoves(record.outcome) ? fetchPositions(record) : null),
  });
  const series = {
    keyOf: () => (linked ? "link" : ""),
    fetchGames: () =>
      Promise.all((linked ?? []).map(async (game, number) => ({ record: await fetchRecord(number), x: game.x }))),
  };
  const page = createPage({ dispatch, series, place, play: (cell) => void tryCell(state, cell, dispatch, place) });
  const origin = takeReview(place.path);
  dispatch({ type: "review", game: origin?.game ?? games.length - 1 });
  dispatch({ type: "step", ply: origin?.step ?? null });

  /** @param {Message} message */
  function dispatch(message) {
    if (disposed) return;
    state = update(state, message);
    analysis.follow(state);
    if (!state.record) return;
    if (message.type === "record") root.replaceChildren(page.element);
    page.draw(/** @type {ReplayState} */ (state));
  }

  /** @param {number} number @returns {Promise<GameRecord>} */
  async function fetchRecord(number) {
    const link = games[number] ?? null;
    try {
      if (!link || !knownVariant(link.variant)) throw new HttpError(400, "invalid", t("replay.wrong"));
      const record = await requestRecord(link.variant, link.moves);
      const over = link.over ? { ...link.over, cells: [] } : null;
      return { ...record, number, outcome: /** @type {GameRecord["outcome"]} */ (record.outcome ?? over) };
    } catch (error) {
      if (!disposed) showWrongLink(reasonOf(error));
      throw error;
    }
  }

  /** @param {string} message */
  function showWrongLink(message) {
    document.title = `${t("replay.wrong")} · ${t("app.name")}`;
    root.replaceChildren(createPageNote(t("replay.wrong"), t("replay.wrong.why", { message })));
  }

  const removeListener = listen(document, "keydown", (event) => handleRoomKey(event, state, dispatch));

  return () => {
    disposed = true;
    removeListener();
    analysis.dispose();
    page.dispose();
  };
}

/**
 * Create the parts of the page.
 * @param {{dispatch: Dispatch, play: (cell: string) => void, place: import("../room/play_on.js").Place,
 *   series: Parameters<typeof createReview>[0]["series"]}} options
 */
function createPage({ dispatch, play, place, series }) {
  const board = createBoardHolder({ onPlay: play });
  const review = createReview({ dispatch, series });
  const heading = h("h1", { class: "visually-hidden", tabindex: -1 });
  const title = h("h2", { class: "outcome" });
  const about = h("p", { class: "secondary" });
  const sentence = h("p", { class: "review-sentence" });
  const beatButton = button(t("branch.beat"), () => beat(), "primary");
  const playLink = pageLink(homeUrl(), { class: "button rematch", on: { click: () => choose() } });
  const shareButton = button(t("share"), () => share(), "quiet-text");
  const element = h(
    "div",
    { class: "room replay" },
    heading,
    h("div", { class: "board-area" }, board.element),
    h("div", { class: "zone" }, h("section", { class: "outcome-card" }, title, about, sentence), review.element),
    h("div", { class: "commands" }, beatButton, playLink, shareButton),
  );
  /** @type {() => void} */ let beat = () => {};
  /** @type {() => void} */ let choose = () => {};
  /** @type {() => Promise<void>} */ let share = async () => {};

  return {
    element,
    /** @param {ReplayState} state */
    draw(state) {
      const { record, analysis } = state;
      const variant = knownVariant(record.variant);
      if (!variant) return;
      const { outcome } = record;
      const moves = record.moves.map(({ cell }) => cell);
      const words = outcome ? markHeadline(outcome) : t("replay.on");
      setText(heading, t("replay.title", { variant: variant.name }));
      setText(title, words);
      setAttr(title, "data-winner", outcome?.winner ?? null);
      setText(about, [variant.name, outcome ? outcomeReason(outcome) : ""].filter(Boolean).join("\u00a0·\u00a0"));
      setText(playLink, t("replay.play", { variant: variant.name }));
      show(shareButton, outcome !== null);
      document.title = `${words} · ${variant.name}`;
      board.draw(variant, { mark: null, ...shownPosition(state, variant) }, isSlanted());
      review.draw(state);
      // Of an end that the link names, the line above says all that is known.
      const isKnown = outcome && followsFromMoves(outcome) && (analysis || state.analysisFailed);
      const people = { you: null, nameOf, variant };
      const sentences = shownSentences(isKnown ? endSentences(analysis, moves, outcome, people) : []);
      setSentences(sentence, sentences, variant, (ply) => dispatch({ type: "step", ply }));
      // You take over from the player who made the mistake, just before it.
      const ply = (avoidableOf(analysis, moves, outcome)?.ply ?? sentences.at(-1)?.ply ?? 0) - 1;
      show(beatButton, ply >= 0);
      show(playLink, ply < 0); // the start page is one tap away in the header too
      beat = () => void playOn({ record, ply, step: state.step ?? moves.length, place });
      choose = () => saveChoice({ ...loadChoice(), variant: variant.key }); // the start page opens with this game
      share = async () => {
        const { openShareDialog } = await import("../room/share_game.js");
        const position = { ...replayAt(record, moves.length), variant };
        await openShareDialog(variant, { position, title: words, players: null, analysis, record });
      };
    },
    dispose: board.dispose,
  };
}
