// boardgame.io: rooms of tic-tac-toe, kept in memory.
import { createRequire } from "node:module";
import { outcome } from "./rules.js";

const require = createRequire(import.meta.url);
const { INVALID_MOVE } = require("boardgame.io/core");
const { Server } = require("boardgame.io/server");

const TicTacToe = {
  name: "tic-tac-toe",
  setup: () => ({ cells: [0, 0, 0, 0, 0, 0, 0, 0, 0] }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    move: ({ G, playerID }, cell) => {
      if (G.cells[cell] !== 0) return INVALID_MOVE;
      G.cells[cell] = Number(playerID) + 1;
    },
  },
  endIf: ({ G }) => {
    const end = outcome(G.cells);
    return end === "" ? undefined : { outcome: end };
  },
};

const server = Server({ games: [TicTacToe], origins: [/127\.0\.0\.1/] });
await server.db.connect();
const http = server.app.listen(0, "127.0.0.1", () => console.log(`port ${http.address().port}`));
