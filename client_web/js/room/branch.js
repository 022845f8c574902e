import { h, pageLink, show } from "../browser/dom.js";
import { warnOnError } from "../browser/toasts.js";
import { loadChoice } from "../browser/preferences.js";
import { tabStorage } from "../browser/storage.js";
import { allVariants } from "../net/api.js";
import { requestAsGuest } from "../net/guest.js";
import { keepNewRoom, saveInvite } from "../net/stored_rooms.js";
import { roomUrl } from "../net/urls.js";
import { opponentOf } from "../net/view.js";
import { t } from "../texts/i18n.js";
import { levelAfterChange } from "../texts/names.js";
import { judgeRetry, trialOf } from "./analysis.js";

/** A branch of a game: a room in which you play on against the engine after some of its moves. It does not count. */

/** @import { GameRecord } from "../net/messages.js" */
/** @import { Dispatch, OpenState, Part, RoomState } from "./state.js" */

const BACK_PREFIX = "noughts.branch.";

/** @typedef {{path: string, game: number|null, step: number}} Origin  the page and the ply that a branch began at */

/** @type {Origin|null} */
let origin = null;

/** Return once where a way back leads on this page: to a ply of a game under review. */
export function takeReview() {
  const review = origin;
  origin = null;
  return review?.path === pathNow() ? review : null;
}

const pathNow = () => location.pathname + location.search + location.hash;

/**
 * Make a branch after the first moves of a game, for the mark to move, and open it. Without moves it begins with the cell,
 * because a game after none is no branch. The page that is open is the way back.
 * @param {{record: GameRecord, ply: number, step: number, cell?: string|null}} options
 *   `cell` is the first move of the branch. The way back leads to `step`.
 */
export const playOn = ({ record, ply, step, cell = null }) =>
  warnOnError(async () => {
    const moves = record.moves.slice(0, ply).map((move) => move.cell);
    const variant = allVariants().find(({ key }) => key === record.variant);
    const body = {
      variant: record.variant,
      opponent: "engine",
      level: levelAfterChange(loadChoice().level, undefined, variant),
      mark: record.moves[ply]?.mark ?? opponentOf(record.moves[ply - 1]?.mark ?? "O"),
      moves: ply || !cell ? moves : [cell],
    };
    const { room, invite } = await requestAsGuest("POST", "rooms", body);
    saveInvite(room.id, invite);
    tabStorage.set(BACK_PREFIX + room.id, JSON.stringify({ path: pathNow(), game: record.number, step }));
    keepNewRoom(room, ply ? cell : null, invite);
    const link = pageLink(roomUrl(room.id), { hidden: true });
    document.body.append(link);
    link.click(); // the entry point follows it without a reload
    link.remove();
  });

/**
 * Judge a cell that should mend a mistake, or play on from it in a branch.
 * @param {RoomState} state @param {string} cell @param {Dispatch} dispatch
 */
export async function tryCell(state, cell, dispatch) {
  const { record, step } = state;
  const trial = trialOf(state);
  if (!record || !trial) return;
  dispatch({ type: "confirm_tap", cell: null });
  const { ply, task } = trial;
  if (!task) await playOn({ record, ply, cell, step: step ?? ply });
  else if (judgeRetry(task, cell)) dispatch({ type: "retry", retry: "found" });
}

/** Create the line that says that a game is a branch, with the way back. @param {{id: string}} context @returns {Part} */
export function createBranchLine({ id }) {
  const text = h("span", { text: t("branch.note") });
  /** @type {Origin|null} */
  const back = tabStorage.load(BACK_PREFIX + id);
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
