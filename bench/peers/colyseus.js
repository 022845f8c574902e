// Colyseus: rooms of tic-tac-toe, with the state patched to both players as soon as a move is made.
import { Room, Server } from "@colyseus/core";
import { ArraySchema, schema } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { createServer } from "node:http";
import { outcome } from "./rules.js";

const State = schema({ cells: ["uint8"], turn: "uint8", outcome: "string" });

class TicTacToe extends Room {
  maxClients = 2;
  patchRate = null; // no patches by the clock: each move is sent at once
  players = [];

  onCreate() {
    this.state = new State();
    this.clear();
    this.onMessage("move", (client, cell) => {
      const player = this.players.indexOf(client.sessionId) + 1;
      const { state } = this;
      if (player !== state.turn || state.outcome !== "" || !(cell in state.cells) || state.cells[cell] !== 0) return;
      state.cells[cell] = player;
      state.turn = 3 - player;
      state.outcome = outcome(state.cells);
      this.broadcastPatch();
    });
    this.onMessage("again", () => {
      this.clear();
      this.broadcastPatch();
    });
  }

  onJoin(client) {
    this.players.push(client.sessionId);
  }

  clear() {
    this.state.cells = new ArraySchema(0, 0, 0, 0, 0, 0, 0, 0, 0);
    this.state.turn = 1;
    this.state.outcome = "";
  }
}

const http = createServer();
const server = new Server({ transport: new WebSocketTransport({ server: http }), greet: false });
server.define("tic-tac-toe", TicTacToe);
await server.listen(0, "127.0.0.1");
console.log(`port ${http.address().port}`);
