import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const stored = new Map();
globalThis.window = Object.assign(new EventTarget(), {
  localStorage: {
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => stored.set(key, value),
    removeItem: (key) => stored.delete(key),
  },
});
const { clearPlayedGames, hasPlayedGames, levelToTry, loadPlayedGames, tallyOf } = await import(
  "../../client_web/js/net/played_games.js"
);
const { keepPlayedGame, withGameOf } = await import("../../client_web/js/net/counted_games.js");

const X = { mark: "X", owner: true, can: [] };
const ANN = { kind: "human", player: "p_ann", name: "Ann" };
const LINE = { winner: "X", reason: "line", cells: ["a1", "b1", "c1"] };
const engine = (/** @type {string} */ level) => ({ kind: "engine", level, holding_for: null });

/** A view of a game that is over. @param {number} number @param {object} [outcome] @param {object} [opponent] @param {object} [game] */
const view = (number, outcome = LINE, opponent = engine("casual"), game = {}) => ({
  id: "r",
  seats: { X: ANN, O: opponent },
  game: { number, variant: "classic", moves: ["a1"], marks: { a1: "X" }, outcome, ...game },
});

/** Return the games after the ends of these views. @param {...object} views */
const after = (...views) => views.reduce((games, each) => withGameOf(games, each, X), loadPlayedGames());

beforeEach(() => stored.clear());

test("a game is kept once, until it is cleared", () => {
  assert.ok(!hasPlayedGames());
  keepPlayedGame(view(1), X);
  keepPlayedGame(view(1), X);
  assert.equal(loadPlayedGames().latest.length, 1);
  assert.equal(tallyOf(loadPlayedGames(), "classic").won, 1);
  clearPlayedGames();
  assert.ok(!hasPlayedGames());
});

test("a game that is on, called off, watched or begun after moves is not kept", () => {
  const games = loadPlayedGames();
  assert.equal(withGameOf(games, view(1, null), X), games);
  assert.equal(withGameOf(games, view(1, { winner: null, reason: "aborted", cells: [] }), X), games);
  assert.equal(withGameOf(games, view(1), { ...X, mark: null }), games);
  assert.equal(withGameOf(games, view(1, LINE, engine("casual"), { from: 2 }), X), games);
});

test("the ends of a variant's games are counted, with the levels that were beaten", () => {
  const draw = { winner: null, reason: "full_board", cells: [] };
  const games = after(view(1), view(2, draw), view(3, { ...LINE, winner: "O" }), view(4, LINE, engine("skilled")));
  const { won, drawn, lost, beaten } = tallyOf(games, "classic");
  assert.deepEqual([won, drawn, lost, beaten], [2, 1, 1, ["casual", "skilled"]]);
  assert.deepEqual(
    games.latest.map(({ ending }) => ending),
    ["won", "lost", "drawn", "won"],
  );
  assert.equal(tallyOf(games, "qubic").won, 0);
});

test("twelve games are kept, and each friend once", () => {
  const bob = { kind: "human", player: "p_bob", name: "Bob" };
  const games = after(...Array.from({ length: 15 }, (_, n) => view(n + 1, LINE, bob)));
  assert.deepEqual([games.latest.length, games.latest[0].number], [12, 15]);
  assert.deepEqual(games.friends, [{ player: "p_bob", name: "Bob", variant: "classic", won: 15, lost: 0 }]);
  const standIn = { kind: "engine", level: "casual", holding_for: bob };
  assert.equal(after(view(1, LINE, standIn)).latest[0].opponent, "Bob");
});

test("two wins in a row lead up the ladder, three losses down", () => {
  const levels = ["novice", "casual", "skilled"];
  const lost = { ...LINE, winner: "O" };
  const toTry = (/** @type {object[]} */ ...views) => levelToTry(tallyOf(after(...views), "classic"), "casual", levels);
  assert.equal(toTry(view(1)), null);
  assert.equal(toTry(view(1), view(2)), "skilled");
  assert.equal(toTry(view(1), view(2), view(3, lost)), null);
  assert.equal(toTry(view(1, lost), view(2, lost)), null);
  assert.equal(toTry(view(1, lost), view(2, lost), view(3, lost)), "novice");
  assert.equal(toTry(view(1, LINE, engine("skilled")), view(2, LINE, engine("skilled"))), null);
});

test("what cannot be read is no game", () => {
  stored.set("noughts.played", '{"latest": 3}');
  assert.deepEqual(loadPlayedGames().latest, []);
});
