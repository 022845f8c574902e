import { call } from "./api.js";
import { connect } from "./connection.js";
import { lasting } from "./storage.js";

/**
 * Two people on one screen. Still no rules here: it is a room like any other, and this page holds both of its seats, each with
 * a guest and a connection of its own. What the page draws is the newer of the two views, with what either seat may do.
 */

/** @typedef {import("./wire.js").Answer} Answer */
/** @typedef {import("./wire.js").Command} Command */
/** @typedef {import("./wire.js").RoomMessage} RoomMessage */
/** @typedef {import("./wire.js").ClockSetting} ClockSetting */
/** @typedef {import("./connection.js").Status} Status */
/** @typedef {{tokens: [string, string], invite: string, at: number}} Pass */
/** @typedef {{connection: ReturnType<typeof connect>, message: RoomMessage|null, status: Status}} Side */

const KEY = "noughts.here.";
const KEEP = 8;
const HIDDEN = /^(sit|stand|claim|seat_engine|chat|react|answer|free|mute)/;
const WORST_FIRST = /** @type {const} */ (["ended", "offline", "reconnecting", "connecting", "open"]);

/** @param {string} room @returns {Pass|null} */
export function passOf(room) {
  try {
    const pass = JSON.parse(lasting.get(KEY + room) ?? "null");
    return Array.isArray(pass?.tokens) && pass.tokens.length === 2 ? pass : null;
  } catch {
    return null;
  }
}

/** @param {string} room */
export const forgetPass = (room) => lasting.set(KEY + room, null);

/** Rooms pass away on the server; so do the oldest passes here. */
function prune() {
  const rooms = lasting.keys().filter((key) => key.startsWith(KEY)).map((key) => key.slice(KEY.length));
  rooms.sort((a, b) => (passOf(b)?.at ?? 0) - (passOf(a)?.at ?? 0));
  for (const room of rooms.slice(KEEP)) forgetPass(room);
}

/**
 * @param {{variant: string, clock: ClockSetting|null, names: [string, string]}} wish
 * @returns {Promise<string>} the id of the room
 */
export async function makeSharedRoom({ variant, clock, names }) {
  const [first, second] = await Promise.all(names.map((name) => call("POST", "players", { body: { name } })));
  const { room, invite } = await call("POST", "rooms", {
    token: first.token, body: { variant, clock, opponent: "friend", mark: "X", visibility: "unlisted" },
  });
  /** @type {Pass} */
  const pass = { tokens: [first.token, second.token], invite, at: Date.now() };
  lasting.set(KEY + room.id, JSON.stringify(pass));
  prune();
  return room.id;
}

/**
 * @param {{id: string, pass: Pass, onMessage: (message: any) => void, onStatus: (status: Status) => void}} options
 * @returns {import("./link.js").Link}
 */
export function sharedLink({ id, pass, onMessage, onStatus }) {
  let sitting = false;
  /** @type {RoomMessage["event"]} */
  let lastEvent = null;
  let lastVersion = -1;
  const sides = pass.tokens.map((token, index) => {
    /** @type {Side} */
    const side = {
      message: null,
      status: { state: "connecting", code: 0, blocked: false },
      connection: connect({
        hello: () => ({ room: id, token }),
        onMessage: (message) => receive(index, message),
        onStatus(status) {
          side.status = status;
          tellStatus();
        },
      }),
    };
    return side;
  });

  /** @param {number} index */
  const sideAt = (index) => /** @type {Side} */ (sides[index]);

  function tellStatus() {
    const all = sides.map((side) => side.status);
    const worst = WORST_FIRST.map((state) => all.find((one) => one.state === state)).find((one) => one !== undefined);
    if (worst) onStatus(worst);
  }

  /** @param {number} index @param {any} message */
  function receive(index, message) {
    if (message.type !== "room") {
      if (index === 0 && message.type !== "chat" && message.type !== "reaction") onMessage(message);
      return;
    }
    sideAt(index).message = message;
    if (message.version > lastVersion) [lastVersion, lastEvent] = [message.version, message.event];
    seatSecond();
    emit();
  }

  /** The second guest sits down as soon as the room is there to sit in. */
  function seatSecond() {
    const second = sideAt(1);
    const mark = second.message?.you.mark === null ? /** @type {const} */ (["O", "X"]).find((one) => !second.message?.room.seats[one]) : null;
    if (!mark || sitting || second.message?.room.phase === "closed") return;
    sitting = true;
    void second.connection.send({ type: "sit", mark, invite: pass.invite }).then(() => {
      sitting = false;
    });
  }

  function emit() {
    const fresh = sides.filter((side) => side.message?.version === lastVersion);
    const newest = fresh[0]?.message;
    if (!newest) return;
    const can = fresh.flatMap((side) => side.message?.you.can ?? []).filter((one) => !HIDDEN.test(one));
    const mark = newest.room.game?.turn ?? sideAt(0).message?.you.mark ?? null;
    onMessage({ ...newest, event: lastEvent, you: { mark, owner: true, can: [...new Set(can)] } });
  }

  /** Whose command it is: of the side to move, of the side that moved last, or of the first guest. @param {Command} command */
  function sideFor(command) {
    const turn = sides.find((side) => side.message?.room.game?.turn && side.message.room.game.turn === side.message.you.mark);
    const offer = command.type === "offer" ? `offer:${command["what"]}` : null;
    if (offer) {
      const able = sides.filter((side) => side.message?.you.can.includes(offer));
      return able.find((side) => command["what"] !== "takeback" || side !== turn) ?? able[0] ?? sideAt(0);
    }
    return (command.type === "move" || command.type === "resign" ? turn : null) ?? sideAt(0);
  }

  return {
    shared: true,
    async send(command) {
      const side = sideFor(command);
      const answer = await side.connection.send(command);
      if (!answer.ok || command.type !== "offer") return answer;
      const across = side === sideAt(0) ? sideAt(1) : sideAt(0);
      return across.connection.send({ ...command, type: "answer", accept: true });
    },
    now: () => sideAt(0).connection.now(),
    close() {
      for (const side of sides) side.connection.close();
    },
  };
}
