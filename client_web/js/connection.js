import * as paths from "./paths.js";

/**
 * One WebSocket that is kept alive: it reconnects by itself, and a command without an answer is sent again with its own id,
 * which the server answers once. Nothing here knows what a room is.
 */

/** @typedef {import("./wire.js").Command} Command */
/** @typedef {import("./wire.js").Answer} Answer */
/** @typedef {{state: "connecting"|"open"|"reconnecting"|"offline"|"ended", code: number, blocked: boolean}} Status */

const PROTOCOL = 1;
const CONNECT_MS = 10_000;
const QUIET_MS = 25_000; // so long without a word before we ask whether the line still stands
const ANSWER_MS = 8_000;
const PROBE_MS = 3_000; // after waking up we are less patient
const BACKOFF_MS = 400;
const BACKOFF_MAX_MS = 15_000;
const UNAVAILABLE_TRIES = 6;
/** After these the server would only refuse us again. */
const FINAL = new Set([1008, 4401, 4404, 4410]);

const nonce = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
let counter = 0;

/**
 * @param {{hello: () => Record<string, unknown>, onMessage: (message: any) => void, onStatus: (status: Status) => void}} options
 */
export function connect({ hello, onMessage, onStatus }) {
  /** @type {WebSocket|null} */
  let socket = null;
  let welcomed = false;
  let everWelcomed = false;
  let blocked = false;
  let ended = false;
  let attempt = 0;
  let offset = 0;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let retry;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let watchdog;
  /** @type {Status} */
  let status = { state: "connecting", code: 0, blocked: false };
  /** @type {Map<string, {command: Command, settle: (answer: Answer) => void, tries: number}>} */
  const pending = new Map();

  /** @param {Status["state"]} state @param {number} [code] */
  function tell(state, code = 0) {
    if (status.state === state && status.code === code && status.blocked === blocked) return;
    status = { state, code, blocked };
    onStatus(status);
  }

  function open() {
    clearTimeout(retry);
    const mine = new WebSocket(paths.socket());
    socket = mine;
    welcomed = false;
    watch(CONNECT_MS);
    mine.onopen = () => mine.send(JSON.stringify({ type: "hello", protocol: PROTOCOL, ...hello() }));
    mine.onmessage = (event) => {
      if (mine === socket) receive(JSON.parse(event.data));
    };
    mine.onclose = (event) => {
      if (mine === socket) lost(event.code);
    };
  }

  /** Gives the line up unless something is heard in time. @param {number} ms */
  function watch(ms) {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => lost(0), ms);
  }

  function quietly() {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => probe(ANSWER_MS), QUIET_MS);
  }

  /** Asks whether the line still stands. @param {number} ms */
  function probe(ms) {
    if (!welcomed || socket?.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify({ type: "ping", id: nextId() }));
    watch(ms);
  }

  /** @param {any} message */
  function receive(message) {
    quietly();
    switch (message.type) {
      case "welcome":
        offset = message.now_ms - Date.now();
        welcomed = everWelcomed = true;
        attempt = 0;
        blocked = false;
        tell("open");
        onMessage(message);
        for (const { command } of pending.values()) transmit(command);
        return;
      case "pong":
        offset = message.now_ms - Date.now();
        return;
      case "ok":
        settle(message.id, { ok: true, version: message.version });
        return;
      case "rejected":
        refuse(message);
        return;
      default:
        onMessage(message);
    }
  }

  /** @param {{id: string|null, code: string, message: string, retry_ms?: number}} answer */
  function refuse(answer) {
    const waiting = answer.id === null ? undefined : pending.get(answer.id);
    if (!waiting) return;
    if (answer.code === "unavailable" && waiting.tries < UNAVAILABLE_TRIES) {
      waiting.tries += 1; // the outcome is not known: the same id again, never a new one
      setTimeout(() => transmit(waiting.command), answer.retry_ms ?? 500 * waiting.tries);
      return;
    }
    settle(String(answer.id), { ok: false, ...answer });
  }

  /** @param {string} id @param {Answer} answer */
  function settle(id, answer) {
    const waiting = pending.get(id);
    pending.delete(id);
    waiting?.settle(answer);
  }

  /** @param {Command} command */
  function transmit(command) {
    if (welcomed && socket?.readyState === WebSocket.OPEN && pending.has(String(command["id"]))) {
      socket.send(JSON.stringify(command));
    }
  }

  function abandon() {
    clearTimeout(watchdog);
    const old = socket;
    socket = null;
    welcomed = false;
    if (!old) return;
    old.onopen = old.onmessage = old.onclose = null;
    old.close();
  }

  /** @param {number} code */
  function lost(code) {
    abandon();
    if (ended) return;
    if (FINAL.has(code)) {
      finish(code);
      return;
    }
    attempt += 1;
    const ceiling = Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** Math.min(attempt, 10));
    const least = code === 4429 ? 5_000 : 100;
    clearTimeout(retry);
    retry = setTimeout(open, least + Math.random() * ceiling);
    tell(navigator.onLine ? (everWelcomed ? "reconnecting" : "connecting") : "offline");
    if (!everWelcomed && attempt === 3) void findBlockage();
  }

  /** Never once connected, although the page itself came: ask whether something in between drops the upgrade. */
  async function findBlockage() {
    const answer = await fetch(paths.socketProbe(), { cache: "no-store" }).catch(() => null);
    if (ended || everWelcomed || !answer) return;
    blocked = true;
    onStatus({ ...status, blocked });
  }

  /** @param {number} code */
  function finish(code) {
    ended = true;
    clearTimeout(retry);
    for (const back of offs) back();
    tell("ended", code);
    for (const id of [...pending.keys()]) settle(id, { ok: false, code: "closed", message: "" });
  }

  /** Now rather than when the backoff says, or make sure of the line that we have. */
  function wake() {
    if (ended) return;
    if (socket) probe(PROBE_MS);
    else open();
  }

  const nextId = () => `${nonce}-${++counter}`;
  const onVisible = () => document.visibilityState === "visible" && wake();
  const onOffline = () => (welcomed ? probe(PROBE_MS) : tell("offline"));
  window.addEventListener("online", wake);
  window.addEventListener("offline", onOffline);
  window.addEventListener("pageshow", onVisible);
  document.addEventListener("visibilitychange", onVisible);
  const offs = [
    () => window.removeEventListener("online", wake),
    () => window.removeEventListener("offline", onOffline),
    () => window.removeEventListener("pageshow", onVisible),
    () => document.removeEventListener("visibilitychange", onVisible),
  ];

  open();

  return {
    /** @param {Command} command @returns {Promise<Answer>} */
    send(command) {
      if (ended) return Promise.resolve({ ok: false, code: "closed", message: "" });
      const whole = { ...command, id: nextId() };
      return new Promise((resolve) => {
        pending.set(whole.id, { command: whole, settle: resolve, tries: 0 });
        transmit(whole);
      });
    },
    /** A new hello, as when the player behind it has changed; what waits for an answer is sent again after it. */
    reopen() {
      if (ended) return;
      abandon();
      open();
    },
    close() {
      if (ended) return;
      finish(1000);
      abandon();
    },
    /** The server's time. */
    now: () => Date.now() + offset,
  };
}
