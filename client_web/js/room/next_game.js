import { warnOnError } from "../net/failures.js";
import { requestAsGuest } from "../net/guest.js";
import { keepNewRoom } from "../net/stored_rooms.js";
import { roomUrl } from "../net/urls.js";
import { can, MARKS } from "../net/view.js";

/** How a room goes on to another game, level or setting, and a game against the engine begins once more. */

/** @import { Answer, Command, SeatEngineCommand, SetCommand } from "../net/messages.js" */
/** @import { Dispatch, NewGame, RoomState } from "./state.js" */

/** Return the mark and the level of the engine in a room, or null. @param {import("../net/messages.js").View|null|undefined} view */
export function engineIn(view) {
  for (const mark of MARKS) {
    const seat = view?.seats[mark];
    if (seat?.kind === "engine") return { mark, level: seat.level };
  }
  return null;
}

/**
 * @param {{current: () => RoomState, dispatch: Dispatch, sendCommand: (command: Command) => Promise<Answer>,
 *   navigate: (path: string) => void}} options
 */
export function createNextGame({ current, dispatch, sendCommand, navigate }) {
  /**
   * Change the game, the level or the settings: at once between games and before the second mark of the first game,
   * otherwise from the next game on.
   * @param {NewGame} plan
   */
  async function change(plan) {
    const { view, you } = current();
    if (can(you, "set")) await begin(plan);
    else if (view?.game?.number === 1 && view.game.moves.length < 2) await leave(plan);
    else dispatch({ type: "plan", plan });
  }

  /** Begin the next game. @param {NewGame} plan */
  async function begin({ level, ...settings }) {
    const { view, you } = current();
    const seat = engineIn(view);
    /** @type {Command[]} */
    const commands = [];
    if (Object.keys(settings).length)
      commands.push(/** @type {Omit<SetCommand, "id">} */ ({ type: "set", ...settings }));
    // A new engine in the seat starts the next game by itself.
    if (seat && level && level !== seat.level && can(you, `free:${seat.mark}`)) {
      commands.push({ type: "free", mark: seat.mark });
      const newLevel = /** @type {SeatEngineCommand["level"]} */ (level);
      commands.push({ type: "seat_engine", mark: seat.mark, level: newLevel });
    } else if (view?.game && can(you, "offer:rematch"))
      commands.push({ type: "offer", what: "rematch", game: view.game.number });
    for (const command of commands) if (!(await sendCommand(command)).ok) return;
    dispatch({ type: "sheet", sheet: null });
  }

  /** Leave a room in which nothing has happened yet for one with other settings. @param {NewGame} plan */
  async function leave(plan) {
    const { view, you } = current();
    const clock = view?.clock?.setting ?? null;
    const body = {
      variant: view?.variant,
      clock,
      level: engineIn(view)?.level,
      mark: you.mark,
      opponent: "engine",
      ...plan,
    };
    await warnOnError(async () => {
      const { room } = await requestAsGuest("POST", "rooms", body);
      keepNewRoom(room, null);
      if (can(you, "close")) void sendCommand({ type: "close" });
      navigate(roomUrl(room.id));
    });
  }

  /** Begin the game once more: take your moves back, from the last to the first. */
  async function restart() {
    const { view, you } = current();
    const first = view?.game?.from ?? 0;
    const plies = (view?.game?.moves ?? []).map((_, ply) => ply).slice(first);
    for (const ply of plies.reverse()) {
      const isYours = (ply % 2 === 0) === (you.mark === "X");
      if (isYours && !(await sendCommand({ type: "offer", what: "takeback", game: view?.game?.number })).ok) return;
    }
  }

  return { change, restart };
}
