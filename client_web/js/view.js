import { t, word } from "./i18n.js";

/** What a room message means in words: pure functions of the view, so that everything drawn follows from the newest message. */

/** @typedef {import("./wire.js").Mark} Mark */
/** @typedef {import("./wire.js").Seat} Seat */
/** @typedef {import("./wire.js").View} View */
/** @typedef {import("./wire.js").You} You */
/** @typedef {import("./wire.js").Variant} Variant */
/** @typedef {import("./wire.js").RoomMessage} RoomMessage */

/** @type {readonly Mark[]} */
export const MARKS = ["X", "O"];

/** @param {Mark} mark @returns {Mark} */
export const other = (mark) => (mark === "X" ? "O" : "X");

/** @param {string} level */
export const levelName = (level) => word("level.", level);

/** @param {Seat|null} seat */
export function seatName(seat) {
  if (!seat) return t("room.empty");
  return seat.kind === "engine" ? t("engine.name", { level: levelName(seat.level) }) : seat.name || t("who.someone");
}

/** @param {You} you @param {string} command */
export const can = (you, command) => you.can.includes(command);

/** The choices after the colon of one command: `sit` in ["sit:O"] gives ["O"]. @param {You} you @param {string} command */
export const choicesOf = (you, command) =>
  you.can.filter((one) => one.startsWith(command + ":")).map((one) => one.slice(command.length + 1));

/** Whether the mark is ours, though the engine may stand in for it. @param {View} view @param {You} you */
export const standsIn = (view, you) => you.mark !== null && view.seats[you.mark]?.kind === "engine";

/** @param {Mark} mark @param {View} view */
const named = (mark, view) => ({ name: seatName(view.seats[mark]), mark });

/** @param {View} view @param {You} you @param {Variant|null} variant @param {boolean} shared both seats are on this screen */
export function outcomeText(view, you, variant, shared) {
  const outcome = view.game?.outcome;
  if (!outcome) return "";
  const { winner, reason } = outcome;
  const kind = reason === "line" && variant?.misere ? "line.misere" : reason === "abandoned" && !winner ? "abandoned.draw" : reason;
  const why = word("why.", kind, winner ? { winner, loser: other(winner) } : {});
  let what;
  if (reason === "aborted") what = t("over.aborted");
  else if (!winner) what = t("over.draw");
  else if (you.mark === null || shared) what = t("over.win", named(winner, view));
  else what = winner === you.mark ? t("over.you.win") : t("over.you.lose");
  return t("over.sentence", { what, why });
}

/** The sentence above the board. @param {View} view @param {You} you @param {Variant|null} variant @param {boolean} shared */
export function statusText(view, you, variant, shared) {
  if (view.phase === "closed") return t("room.closed");
  const game = view.game;
  if (view.phase === "playing" && game?.turn) {
    const seat = view.seats[game.turn];
    const where = game.boards ? " " + t(game.forced === null || game.forced === undefined ? "turn.anywhere" : "turn.board") : "";
    if (shared) return t("turn.here", named(game.turn, view)) + where;
    if (game.turn === you.mark) return (standsIn(view, you) ? t("turn.standin") : t("turn.you", { mark: game.turn })) + where;
    if (seat?.kind === "engine") return t("turn.engine", { mark: game.turn }) + where;
    return t("turn.other", named(game.turn, view)) + where;
  }
  const over = outcomeText(view, you, variant, shared);
  const engines = view.phase === "finished" && MARKS.every((mark) => view.seats[mark]?.kind === "engine");
  if (over) return engines ? `${over} ${t("wait.engines")}` : over;
  if (view.phase !== "waiting" || !you.mark) return t("wait.seats");
  return view.join === "open" ? t("wait.anyone") : t("wait.friend");
}

/** What a listener hears about a change. @param {RoomMessage} message @param {Variant|null} variant @param {boolean} shared */
export function announcement({ event, room: view, you }, variant, shared) {
  if (!event) return "";
  const status = statusText(view, you, variant, shared);
  const game = view.game;
  const offer = view.offers.at(-1);
  switch (event.type) {
    case "moved":
      return `${lastMoveText(view)} ${status}`;
    case "ended":
      return game?.outcome?.cells.length || game?.outcome?.reason === "full_board" ? `${lastMoveText(view)} ${status}` : status;
    case "started":
      return `${t("say.started")} ${status}`;
    case "offered":
      return offer ? offerText(offer, view, you) : "";
    case "took_back":
      return `${t("say.took_back")} ${status}`;
    case "sat":
    case "engine_seated":
    case "stood":
      return event.mark ? seatText(event.mark, view) : status;
    case "claimable":
      return you.can.some((one) => one.startsWith("claim:")) ? t("say.claimable") : "";
    case "closed":
      return status;
    default:
      return word("say.", event.type);
  }
}

/**
 * What somebody should also see said, not only hear: nothing else on the page shows it.
 * @param {RoomMessage} message @param {RoomMessage|null} before
 */
export function noteOf({ event, room: view, you }, before) {
  if (event?.type === "declined") return you.mark && event.by !== you.mark ? t("note.declined") : "";
  if (event?.type !== "settings" || !before) return "";
  if (before.room.owner !== view.owner) return you.owner ? t("note.owner") : "";
  return you.owner ? "" : t("say.settings");
}

/** @param {Mark} mark @param {View} view */
function seatText(mark, view) {
  const seat = view.seats[mark];
  if (!seat) return t("say.stood", { mark });
  return seat.kind === "engine" ? t("say.engine", { mark }) : t("say.sat", named(mark, view));
}

/** @param {View} view */
export function lastMoveText(view) {
  const cell = view.game?.moves.at(-1);
  return cell ? t("say.moved", { cell, mark: view.game?.marks[cell] ?? other(view.game?.turn ?? "X") }) : "";
}

/** @param {import("./wire.js").Offer} offer @param {View} view @param {You} you */
export function offerText(offer, view, you) {
  return offer.by === you.mark
    ? t(`offer.mine.${offer.what}`)
    : t(`offer.theirs.${offer.what}`, { name: seatName(view.seats[offer.by]) });
}

/** What is left on a clock at a moment of the server's time. @param {import("./wire.js").Clock} clock @param {Mark} mark @param {number} now */
export function timeLeft(clock, mark, now) {
  const left = mark === "X" ? clock.X_ms : clock.O_ms;
  return clock.running === mark ? Math.max(0, left - Math.max(0, now - clock.at_ms)) : left;
}

/** The setting behind a room's clock. @param {import("./wire.js").Clock|null} clock @returns {import("./wire.js").ClockSetting|null} */
export function settingOf(clock) {
  if (!clock) return null;
  const each = Math.max(clock.X_ms, clock.O_ms);
  return clock.setting ?? (clock.mode === "move" ? { mode: "move", move_ms: each } : { mode: "fischer", initial_ms: each, increment_ms: 0 });
}

/** @param {View} view @param {Mark} mark games won by who holds the seat */
export function winsOf(view, mark) {
  const seat = view.seats[mark];
  if (!seat) return 0;
  const key = seat.kind === "human" ? seat.player : seat.holding_for?.player ?? "engine:" + seat.level;
  return view.score.find((line) => line.player === key)?.wins ?? 0;
}

/** @param {Variant} variant */
export const shapeText = (variant) => variant.shape.join("×");

/** @param {import("./wire.js").Verdict|null|undefined} verdict of the empty board */
export function valueText(verdict) {
  if (!verdict || verdict.value === "unknown") return t("value.unknown");
  if (verdict.value === "draw") return t("value.draw");
  const key = verdict.value === "win" ? "value.win" : "value.loss";
  return verdict.plies === null ? t(`${key}.some`) : t(key, { plies: verdict.plies });
}
