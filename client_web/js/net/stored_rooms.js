import { browserStorage, tabStorage } from "../browser/storage.js";
import { guestPlayer } from "./guest.js";
import { can, MARKS, opponentOf } from "./view.js";

/**
 * What this browser stores about rooms: the room of its last seat, the tokens of pass and play, and in this tab the invites
 * that it was given and the move that has no answer yet. It also passes a room that was just made to its page.
 */

/** @import { View, You } from "./messages.js" */

const LAST_ROOM_KEY = "noughts.room";
const INVITE_PREFIX = "noughts.invite.";
const MOVE_PREFIX = "noughts.move.";
const TOKENS_KEY = "noughts.here";
const GAME_COUNT_KEY = "noughts.games";
const SEEN_ENDS_KEY = "noughts.seen";
const MAX_STORED_ROOMS = 8;
const MAX_SEEN_ENDS = 200;

const GO_ON_MS = 3_600_000;
const LAST_ROOM = { id: "", at: 0 };

/**
 * Store a room as the last game against the engine or on this screen, or remove it once that has ended. Other games are
 * listed by the server.
 * @param {View} view @param {You} you @param {number} nowMs
 */
export function saveLastRoom({ id, phase, game, seats }, { mark }, nowMs) {
  const opponent = mark && seats[opponentOf(mark)];
  const isAlone = loadTokens(id) !== null || (opponent?.kind === "engine" && !opponent.holding_for);
  if (mark && !isAlone && storedGameCount() <= 1) saveGameCount(phase === "waiting" || phase === "playing" ? 1 : 0);
  if (mark && isAlone && phase === "playing" && game?.moves.length)
    browserStorage.set(LAST_ROOM_KEY, JSON.stringify({ id, at: nowMs }));
  else forgetLastRoom(id);
}

/** Forget the last room, if it is this one. @param {string|undefined} [id] any if it is absent */
export function forgetLastRoom(id) {
  if (!id || browserStorage.load(LAST_ROOM_KEY, LAST_ROOM)?.id === id) browserStorage.set(LAST_ROOM_KEY, null);
}

/** Return the id of the last room, which may be gone, or null if its last move is an hour ago. @param {number} nowMs */
export function storedLastRoom(nowMs) {
  const { id, at } = browserStorage.load(LAST_ROOM_KEY, LAST_ROOM) ?? LAST_ROOM;
  return nowMs - at < GO_ON_MS ? id : null;
}

/** Return how many games the start page listed the last time: it leaves room for them before it knows them. */
export const storedGameCount = () => browserStorage.load(GAME_COUNT_KEY, 0) ?? 0;

/** @param {number} count */
export const saveGameCount = (count) => browserStorage.set(GAME_COUNT_KEY, count ? String(count) : null);

/** Return the rooms whose ended game this browser has shown. */
export const loadSeenEnds = () => browserStorage.load(SEEN_ENDS_KEY, [""]) ?? [];

/** @param {readonly string[]} ids of the newest rooms last */
export const saveSeenEnds = (ids) => browserStorage.set(SEEN_ENDS_KEY, JSON.stringify(ids.slice(-MAX_SEEN_ENDS)));

/** Store whether the page of a room has shown the end of its newest game. @param {string} id @param {boolean} seen */
export function saveSeenEnd(id, seen) {
  const ids = loadSeenEnds();
  if (ids.includes(id) !== seen) saveSeenEnds(seen ? [...ids, id] : ids.filter((room) => room !== id));
}

/**
 * Return the mark of a player, whose seat the engine may hold.
 * @param {View} view @param {string|undefined} player
 */
function markOfPlayer({ seats }, player) {
  const holders = MARKS.map((mark) => {
    const seat = seats[mark];
    return seat?.kind === "human" ? seat.player : seat?.holding_for?.player;
  });
  return (player && MARKS[holders.indexOf(player)]) || null;
}

/** @param {string} room @param {string} invite a secret, so it is stored for this tab only */
export const saveInvite = (room, invite) => tabStorage.set(INVITE_PREFIX + room, invite);

/** @param {string} room */
export const loadInvite = (room) => tabStorage.get(INVITE_PREFIX + room);

/** @typedef {{tokens: [string, string], invite: string}} Tokens  of both players */

/** @type {Tokens} */
const TOKENS = { tokens: ["", ""], invite: "" };

/** Return the rooms of pass and play with their tokens, oldest first. @returns {[string, Tokens][]} */
const storedTokens = () => Object.entries(browserStorage.load(TOKENS_KEY, { 0: TOKENS }) ?? {});

/** Return the stored tokens of a room, or null if it is not one of pass and play. @param {string} room */
export const loadTokens = (room) => new Map(storedTokens()).get(room) ?? null;

/**
 * Store the tokens of a room of pass and play, or delete them. Forget the oldest rooms, because the server deletes them too.
 * @param {string} room @param {Tokens|null} tokens
 */
export function saveTokens(room, tokens) {
  const others = storedTokens().filter(([id]) => id !== room);
  const entries = tokens ? [...others.slice(1 - MAX_STORED_ROOMS), [room, tokens]] : others;
  browserStorage.set(TOKENS_KEY, JSON.stringify(Object.fromEntries(entries)));
}

/** A room that the start page has just made: its page draws it at once, and plays the cell that was tapped. */

/** @typedef {{view: View, you: You, cell: string|null}} NewRoom */

/** @type {NewRoom|null} */
let newRoom = null;

/** Keep a room for its page. @param {View} view @param {string|null} cell the first move @param {string} [invite] */
export function keepNewRoom(view, cell, invite) {
  const id = guestPlayer()?.id;
  newRoom = {
    view,
    cell,
    you: { mark: markOfPlayer(view, id), owner: view.owner === id, can: [], ...(invite ? { invite } : {}) },
  };
}

/** Return the room once, if it has this id. @param {string} id */
export function takeNewRoom(id) {
  const room = newRoom;
  newRoom = null;
  return room?.view.id === id ? room : null;
}

/**
 * @typedef {import("../room/state.js").Move & {id: string}} SentMove  `id` is the command's: the server carries it out once
 */

/** @param {string} room @param {SentMove} move */
export const keepMove = (room, move) => tabStorage.set(MOVE_PREFIX + room, JSON.stringify(move));

/** @type {SentMove} */
const SENT_MOVE = { id: "", cell: "", ply: 0, game: 0 };

/** Return the kept move of a room, or null if there is none that can be read. @param {string} room */
export const loadMove = (room) => tabStorage.load(MOVE_PREFIX + room, SENT_MOVE);

/** Forget a move, unless a later one is kept. @param {string} room @param {SentMove} move */
export function dropMove(room, move) {
  if (loadMove(room)?.id === move.id) tabStorage.set(MOVE_PREFIX + room, null);
}

/**
 * Return what to do with a kept move in a view: `send` it, `wait` for another view, or drop it. It is `played` if the
 * server had it, and `late` if the game went on without it.
 * @param {SentMove} move @param {View} view @param {You} you
 */
export function fateOf(move, { game }, you) {
  if (game?.number !== move.game) return "late";
  if (game.moves.length > move.ply) return game.moves[move.ply] === move.cell ? "played" : "late";
  if (game.outcome || game.moves.length < move.ply) return "late";
  return can(you, "move") ? "send" : "wait";
}
