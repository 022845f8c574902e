import { serverClock } from "./clock.js";
import { sentJson } from "./http.js";
import { pageTree } from "./page_tree.js";
import { socketUrl } from "./urls.js";

/**
 * A WebSocket that reconnects by itself. It sends a command without an answer again under the same id, and the server
 * carries out each id once. It asks for a pong as soon as it may be dead, so that a line that carries nothing is soon
 * known. This module knows nothing of rooms. It runs on any page: `docs/how-to/use-the-javascript-client.md`.
 */

/** @import { ServerClock } from "./clock.js" */
/** @import { Answer, Command, PushedMessage, RejectedMessage, ServerMessage } from "./messages.js" */

/**
 * @typedef {{state: "connecting"|"open"|"reconnecting"|"offline"|"ended", code: number, blocked: boolean}} Status
 *   `connecting` until the first welcome, `reconnecting` after the line was lost, `offline` if the browser says so,
 *   `ended` for good: `code` is then the close code. `blocked` is true if HTTP reaches the server and the WebSocket
 *   does not.
 */
/**
 * @typedef {{
 *   send: (command: Command) => Promise<Answer>, reopen: () => void, close: () => void, now: () => number,
 * }} Connection
 *   `send` resolves with the answer, even if that comes over a later connection. A command may bring an id. `reopen`
 *   connects with a new hello, because the guest changed. `now` returns the server's time in ms.
 */

const PROTOCOL = 1;
const CONNECT_MS = 10_000;
const ANSWER_MS = 4_000; // a command without an answer for this long makes the client send a ping
const SILENCE_MS = 10_000; // so does this long without a message
const PONG_MS = 3_500; // with ANSWER_MS under 8 s, in which a player must know that the line is dead
const WAKE_PONG_MS = 3_000; // after sleep or an offline event the connection is probably dead
const CLOCK_CHECK_MS = 1_000; // a device whose clock was set, or that slept, asks for the server's time
const UNAVAILABLE_TRIES = 6;
/** The codes with which the server closes a connection. */
export const CLOSE_CODES = { policy: 1008, unauthorized: 4401, notFound: 4404, roomClosed: 4410, rateLimited: 4429 };
/** After these, the server would reject a new connection too. */
const FINAL_CODES = [CLOSE_CODES.policy, CLOSE_CODES.unauthorized, CLOSE_CODES.notFound, CLOSE_CODES.roomClosed];
const FIRST_MS = 400;
const MAX_MS = 15_000;
const MIN_MS = 100;
const RATE_LIMITED_MIN_MS = 5_000;

const idPrefix = [...crypto.getRandomValues(new Uint8Array(8))]
  .map((byte) => byte.toString(16).padStart(2, "0"))
  .join("");
let commandCount = 0;

/** Return an id that no other command has. */
export const newCommandId = () => `${idPrefix}-${++commandCount}`;

/**
 * Return the ms to wait before a try: a random part of a time that doubles with each try. Randomness spreads the
 * clients of a server that was restarted ("full jitter", M. Brooker, Exponential Backoff And Jitter, 2015).
 * @param {number} attempt 1 for the first try after the connection was lost
 * @param {number} code the close code of the lost connection, 0 if there was none
 * @param {number} random from 0 to 1
 */
export function backoffMs(attempt, code, random) {
  const minimum = code === CLOSE_CODES.rateLimited ? RATE_LIMITED_MIN_MS : MIN_MS;
  return minimum + random * Math.min(MAX_MS, FIRST_MS * 2 ** attempt);
}

/**
 * Connect to a server. `hello` returns what the first message has besides its type and protocol, such as
 * `{room, token}`. `onMessage` gets every message of the server but answers and pongs. `url` is the WebSocket's and `clock` shows
 * its server's time, by default those of the server that this module came from.
 * @param {{hello: () => Record<string, unknown>, onMessage: (message: PushedMessage) => void, onStatus: (status: Status) => void,
 *   url?: string, clock?: ServerClock}} options
 * @returns {Connection}
 */
export function connect({ hello, onMessage, onStatus, url = socketUrl(), clock = serverClock }) {
  /** @type {WebSocket|null} */
  let socket = null;
  let welcomed = false;
  let everWelcomed = false;
  let blocked = false;
  let ended = false;
  let attempt = 0;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let retryTimer;
  /**
   * Gives the connection up. It runs while a welcome or a pong is awaited.
   * @type {ReturnType<typeof setTimeout>|undefined}
   */
  let deadline;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let silenceTimer;
  /** @type {Status} */
  let status = { state: "connecting", code: 0, blocked: false };
  /**
   * @type {Map<string, {command: Command, settle: (answer: Answer) => void, tries: number,
   *   timer?: ReturnType<typeof setTimeout>}>}
   */
  const pending = new Map();

  /** @param {Status["state"]} state @param {number} [code] */
  function setStatus(state, code = 0) {
    if (status.state === state && status.code === code && status.blocked === blocked) return;
    status = { state, code, blocked };
    onStatus(status);
  }

  function open() {
    clearTimeout(retryTimer);
    const newSocket = new WebSocket(url);
    socket = newSocket;
    welcomed = false;
    setDeadline(CONNECT_MS);
    newSocket.onopen = () => newSocket.send(JSON.stringify({ type: "hello", protocol: PROTOCOL, ...hello() }));
    newSocket.onmessage = (event) => {
      if (newSocket === socket) receive(JSON.parse(event.data));
    };
    newSocket.onclose = (event) => {
      if (newSocket === socket) reconnect(event.code);
    };
  }

  /** Give the connection up unless a message arrives in time. @param {number} ms */
  function setDeadline(ms) {
    clearTimeout(deadline);
    deadline = setTimeout(() => reconnect(0), ms);
  }

  /** Send a ping, and give the connection up unless a message arrives in time. @param {number} ms */
  function probe(ms) {
    if (!welcomed || deadline !== undefined || socket?.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify({ type: "ping", id: newCommandId() }));
    setDeadline(ms);
  }

  function stopTimers() {
    clearTimeout(deadline);
    clearTimeout(silenceTimer);
    deadline = undefined;
  }

  /** @param {ServerMessage} message */
  function receive(message) {
    stopTimers();
    silenceTimer = setTimeout(() => probe(PONG_MS), SILENCE_MS);
    switch (message.type) {
      case "welcome":
        clock.sync(message.now_ms);
        if (url === socketUrl()) {
          pageTree.served = message.page ?? "";
          pageTree.check(false);
        }
        welcomed = everWelcomed = true;
        attempt = 0;
        blocked = false;
        setStatus("open");
        onMessage(message);
        for (const { command } of pending.values()) transmit(command);
        return;
      case "pong":
        clock.sync(message.now_ms);
        return;
      case "ok":
        settle(message.id, { ok: true, version: message.version });
        return;
      case "rejected":
        handleRejection(message);
        return;
      default:
        onMessage(message);
    }
  }

  /** @param {RejectedMessage} rejection */
  function handleRejection(rejection) {
    const entry = rejection.id === null ? undefined : pending.get(rejection.id);
    if (!entry) return;
    if (rejection.code === "unavailable" && entry.tries < UNAVAILABLE_TRIES) {
      entry.tries += 1; // the server may have carried the command out, so it keeps its id
      clearTimeout(entry.timer);
      entry.timer = setTimeout(() => transmit(entry.command), rejection.retry_ms ?? 500 * entry.tries);
      return;
    }
    settle(String(rejection.id), { ok: false, ...rejection });
  }

  /** @param {string} id @param {Answer} answer */
  function settle(id, answer) {
    const entry = pending.get(id);
    pending.delete(id);
    clearTimeout(entry?.timer);
    entry?.settle(answer);
  }

  /** @param {Command} command */
  function transmit(command) {
    const entry = pending.get(String(command.id));
    if (!entry || !welcomed || socket?.readyState !== WebSocket.OPEN) return;
    socket.send(sentJson(command));
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => probe(PONG_MS), ANSWER_MS);
  }

  function closeSocket() {
    stopTimers();
    for (const { timer } of pending.values()) clearTimeout(timer);
    const oldSocket = socket;
    socket = null;
    welcomed = false;
    if (!oldSocket) return;
    oldSocket.onopen = oldSocket.onmessage = oldSocket.onclose = null;
    oldSocket.close();
  }

  /** Close the connection and open a new one after a random delay. @param {number} code */
  function reconnect(code) {
    closeSocket();
    if (ended) return;
    if (FINAL_CODES.includes(code)) {
      finish(code);
      return;
    }
    attempt += 1;
    clearTimeout(retryTimer);
    retryTimer = setTimeout(open, backoffMs(attempt, code, Math.random()));
    setStatus(navigator.onLine === false ? "offline" : everWelcomed ? "reconnecting" : "connecting");
    if (!everWelcomed && attempt === 3) void probeUpgrade();
  }

  /** Report `blocked` if HTTP reaches the server, because then a proxy probably drops the Upgrade header. */
  async function probeUpgrade() {
    const response = await fetch(url.replace(/^ws/, "http"), { cache: "no-store" }).catch(() => null);
    if (ended || everWelcomed || !response) return;
    blocked = true;
    onStatus({ ...status, blocked });
  }

  /** End for good: every command that still waits is answered with the code "closed". @param {number} code */
  function finish(code) {
    ended = true;
    clearTimeout(retryTimer);
    clearInterval(clockTimer);
    listening.abort();
    setStatus("ended", code);
    for (const id of [...pending.keys()]) settle(id, { ok: false, code: "closed", message: "" });
  }

  /** Check the connection, or reconnect without waiting for the backoff. */
  function wake() {
    if (ended) return;
    if (socket) probe(WAKE_PONG_MS);
    else open();
  }

  const clockTimer = setInterval(() => clock.hasJumped() && wake(), CLOCK_CHECK_MS);
  const onVisible = () => document.visibilityState === "visible" && wake();
  const onOffline = () => (welcomed ? probe(WAKE_PONG_MS) : setStatus("offline"));
  const listening = new AbortController();
  const { signal } = listening;
  if (typeof document !== "undefined") {
    // Node and Deno have no page that can be hidden or go offline.
    window.addEventListener("online", wake, { signal });
    window.addEventListener("offline", onOffline, { signal });
    window.addEventListener("pageshow", onVisible, { signal });
    document.addEventListener("visibilitychange", onVisible, { signal });
  }

  open();

  return {
    send(command) {
      if (ended) return Promise.resolve({ ok: false, code: "closed", message: "" });
      const identifiedCommand = { ...command, id: String(command.id ?? newCommandId()) };
      return new Promise((resolve) => {
        pending.set(identifiedCommand.id, { command: identifiedCommand, settle: resolve, tries: 0 });
        transmit(identifiedCommand);
      });
    },
    reopen() {
      if (ended) return;
      closeSocket();
      open();
    },
    close() {
      if (ended) return;
      finish(1000);
      closeSocket();
    },
    now: clock.now,
  };
}
