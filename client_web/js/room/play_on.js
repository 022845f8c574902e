import { warnOnError } from "../net/failures.js";
import { loadChoice } from "../browser/preferences.js";
import { knownVariant } from "../net/api.js";
import { requestAsGuest } from "../net/guest.js";
import { keepNewRoom, saveInvite } from "../net/stored_rooms.js";
import { roomUrl } from "../net/urls.js";
import { opponentOf } from "../net/view.js";
import { levelAfterChange } from "../texts/names.js";
import { trialOf } from "./analysis.js";
import { keepOrigin } from "./branch.js";

/** Play on from a game that is over: a branch against the engine, which does not count. */

/** @import { GameRecord } from "../net/messages.js" */
/** @import { Dispatch, RoomState } from "./state.js" */
/** @typedef {{path: string, navigate: (path: string) => void}} Place  the page that is open is the way back from a branch */

/**
 * Make a branch after the first moves of a game, for the mark to move, and open it. Without moves it begins with the cell,
 * because a game after none is no branch.
 * @param {{record: GameRecord, ply: number, step: number, cell?: string|null, place: Place}} options
 *   `cell` is the first move of the branch. The way back leads to `step`.
 */
export const playOn = ({ record, ply, step, cell = null, place }) =>
  warnOnError(async () => {
    const moves = record.moves.slice(0, ply).map((move) => move.cell);
    const variant = knownVariant(record.variant);
    const body = {
      variant: record.variant,
      opponent: "engine",
      level: levelAfterChange(loadChoice().level, undefined, variant),
      mark: record.moves[ply]?.mark ?? opponentOf(record.moves[ply - 1]?.mark ?? "O"),
      moves: ply || !cell ? moves : [cell],
    };
    const { room, invite } = await requestAsGuest("POST", "rooms", body);
    saveInvite(room.id, invite);
    keepOrigin(room.id, { path: place.path, game: record.number, step });
    keepNewRoom(room, ply ? cell : null, invite);
    place.navigate(roomUrl(room.id));
  });

/**
 * Play on in a branch from what the board shows of a game that is over, with a cell or without one.
 * @param {RoomState} state @param {string|null} cell @param {Dispatch} dispatch @param {Place} place
 */
export async function tryCell(state, cell, dispatch, place) {
  const { record, step } = state;
  const trial = trialOf(state);
  if (!record || !trial) return;
  dispatch({ type: "confirm_tap", cell: null });
  await playOn({ record, ply: trial.ply, cell, step: step ?? trial.ply, place });
}
