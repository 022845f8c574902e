import { gameText } from "../board/replay.js";
import { createPicture } from "../board/picture.js";
import { button, h, pageLink } from "../browser/dom.js";
import { knownVariant } from "../net/api.js";
import { clearPlayedGames, loadPlayedGames } from "../net/played_games.js";
import { replayUrl } from "../net/urls.js";
import { t } from "../texts/i18n.js";
import { engineName, levelName } from "../texts/names.js";

/** Your latest games on the start page, and the friends you met. */

/** @import { Variant } from "../net/messages.js" */
/** @import { Friend, PlayedGame } from "../net/played_games.js" */

/** Return a picture of a game's end that leads to its replay. @param {PlayedGame} game @param {Variant} variant */
function createCard({ moves, marks, boards, outcome, ending, opponent, level }, variant) {
  const picture = createPicture(variant, { layerNames: [] });
  picture.draw({ variant, marks, moves, boards, outcome, still: true });
  picture.element.classList.add("thumbnail");
  const name = opponent || engineName(level ?? "");
  const link = pageLink(replayUrl(gameText(variant.key, moves, outcome)), {
    class: "played-game",
    "data-ending": ending,
    "aria-label": t(`played.${ending}`, { variant: variant.name, name }),
  });
  link.append(picture.element, h("span", { text: opponent || levelName(level ?? "") }));
  return link;
}

/**
 * Create the line about the person whom you met last: your score, and the way to the next game. Return null before you met one.
 * @param {(friend: Friend) => void} playAgain
 */
export function createRival(playAgain) {
  const [friend] = loadPlayedGames().friends;
  if (!friend) return null;
  const { name, won = 0, lost = 0 } = friend;
  const key = won === lost ? "rival.even" : won > lost ? "rival.ahead" : "rival.behind";
  const again = button(t("rival.again"), () => playAgain(friend));
  return h(
    "div",
    { class: "rival" },
    h("b", { translate: "no", text: name }),
    h("span", { text: t(key, { won, lost }) }),
    again,
  );
}

/** @param {(friend: Friend) => void} playAgain @returns {HTMLElement|null} null without a game */
export function createPlayedGames(playAgain) {
  const games = loadPlayedGames();
  const cards = games.latest.flatMap((game) => {
    const variant = knownVariant(game.variant);
    return variant ? [h("li", {}, createCard(game, variant))] : [];
  });
  if (!cards.length) return null;
  const element = h(
    "section",
    { class: "played", "aria-labelledby": "played-title" },
    h(
      "div",
      { class: "played-head" },
      h("h2", { id: "played-title", text: t("played.title") }),
      button(t("played.clear"), clear, "quiet-text"),
    ),
    h("ul", { class: "played-games" }, ...cards),
    games.friends.length > 1 &&
      h(
        "div",
        { class: "buttons" },
        ...games.friends.slice(1).map((friend) => button(t("played.again", friend), () => playAgain(friend))),
      ),
  );

  function clear() {
    clearPlayedGames();
    element.parentElement?.remove(); // it has a height of its own
  }

  return element;
}
