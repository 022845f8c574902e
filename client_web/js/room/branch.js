import { button, h, show } from "../browser/dom.js";
import { tabStorage } from "../browser/storage.js";
import { t } from "../texts/i18n.js";

/** The way back from a branch of a game: a room in which you play on against the engine after some of its moves. */

/** @import { OpenState, Part } from "./state.js" */

const BACK_PREFIX = "noughts.branch.";

/** @typedef {{path: string, game: number|null, step: number}} Origin  the page and the ply that a branch began at */

/** @type {Origin} */
const START = { path: "", game: null, step: 0 };
/** @type {Origin|null} */
let origin = null;

/** Return once where a way back leads on a page: to a ply of a game under review. @param {string} path of the page */
export function takeReview(path) {
  const review = origin;
  origin = null;
  return review?.path === path ? review : null;
}

/** Keep the way back from a branch. @param {string} room @param {Origin} origin */
export const keepOrigin = (room, origin) => tabStorage.set(BACK_PREFIX + room, JSON.stringify(origin));

export const pathNow = () => location.pathname + location.search + location.hash;

/**
 * Create the line that says that a game is a branch, with the way back.
 * @param {{id: string, navigate: (path: string) => void}} context @returns {Part}
 */
export function createBranchLine({ id, navigate }) {
  const text = h("span", { text: t("branch.note") });
  const back = tabStorage.load(BACK_PREFIX + id, START);
  /** @param {Origin} target */
  const follow = (target) => {
    origin = target;
    navigate(target.path);
  };
  const backLink = back && button(t("branch.back"), () => follow(back));
  const element = h("p", { class: "branch-line", hidden: true }, text, backLink);
  return {
    element,
    /** @param {OpenState} state */
    draw({ view }) {
      show(element, Boolean(view.game?.from));
    },
  };
}
