import { h, pageLink, show } from "../browser/dom.js";
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

/** Return once where a way back leads on this page: to a ply of a game under review. */
export function takeReview() {
  const review = origin;
  origin = null;
  return review?.path === pathNow() ? review : null;
}

/** Keep the way back from a branch to the page that is open. @param {string} room @param {Omit<Origin, "path">} ply */
export const keepOrigin = (room, ply) =>
  tabStorage.set(BACK_PREFIX + room, JSON.stringify({ path: pathNow(), ...ply }));

const pathNow = () => location.pathname + location.search + location.hash;

/** Create the line that says that a game is a branch, with the way back. @param {{id: string}} context @returns {Part} */
export function createBranchLine({ id }) {
  const text = h("span", { text: t("branch.note") });
  const back = tabStorage.load(BACK_PREFIX + id, START);
  const follow = () => {
    origin = back;
  };
  const backLink = back && pageLink(back.path, { class: "button", text: t("branch.back"), on: { click: follow } });
  const element = h("p", { class: "branch-line", hidden: true }, text, backLink);
  return {
    element,
    /** @param {OpenState} state */
    draw({ view }) {
      show(element, Boolean(view.game?.from));
    },
  };
}
