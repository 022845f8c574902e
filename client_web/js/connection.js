import * as urls from "./urls.js";

/**
 * A WebSocket that reconnects by itself. It sends a command without an answer again under the same id, and the server carries
 * out each id once. This module knows nothing of rooms.
 */

/** @typedef {import("./messages.js").Command} Command */
/** @typedef {import("./messages.js").Answer} Answer */
/** @typedef {{state: "connecting"|"open"|"reconnecting"|"offline"|"ended", code: number, blocked: boolean}} Status */

const PROTOCOL = 1;
const CONNECT_MS = 10_000;
const IDLE_MS = 25_000; // without a message for this long, the client sends a ping
const PONG_MS = 8_000;
const WAKE_PONG_MS = 3_000; // after sleep or an offline event the connection is probably dead
const BACKOFF_MS = 400;
const BACKOFF_MAX_MS = 15_000;
const BACKOFF_MIN_MS = 100;
const RATE_LIMITED = 4429;
const RATE_LIMITED_BACKOFF_MIN_MS = 5_000;
const UNAVAILABLE_TRIES = 6;
/** Close codes after which the server would reject a new connection too. */
const FINAL_CODES = new Set([1008, 4401, 4404, 4410]);

const idPrefix = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
let commandCount = 0;

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
  let serverOffsetMs = 0;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let retryTimer;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let watchdogTimer;
  /** @type {Status} */
  let status = { state: "connecting", code: 0, blocked: false };
  /** @type {Map<string, {command: Command, settle: (answer: Answer) => void, tries: number}>} */
  const pending = new Map();

  /** @param {Status["state"]} state @param {number} [code] */
  function setStatus(state, code = 0) {
    if (status.state === state && status.code === code && status.blocked === blocked) return;
    status = { state, code, blocked };
    onStatus(status);
  }

  function open() {
    clearTimeout(retryTimer);
    const newSocket = new WebSocket(urls.socket());
    socket = newSocket;
    welcomed = false;
    startWatchdog(CONNECT_MS);
    newSocket.onopen = () => newSocket.send(JSON.stringify({ type: "hello", protocol: PROTOCOL, ...hello() }));
    newSocket.onmessage = (event) => {
      if (newSocket === socket) receive(JSON.parse(event.data));
    };
    newSocket.onclose = (event) => {
      if (newSocket === socket) reconnect(event.code);
    };
  }

  /** Give the connection up unless a message arrives in time. @param {number} ms */
  function startWatchdog(ms) {
    clearTimeout(watchdogTimer);
    watchdogTimer = setTimeout(() => reconnect(0), ms);
  }

  function startIdleTimer() {
    clearTimeout(watchdogTimer);
    watchdogTimer = setTimeout(() => probe(PONG_MS), IDLE_MS);
  }

  /** Send a ping, and give the connection up unless a message arrives in time. @param {number} ms */
  function probe(ms) {
    if (!welcomed || socket?.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify({ type: "ping", id: nextId() }));
    startWatchdog(ms);
  }

  /** @param {any} message */
  function receive(message) {
    startIdleTimer();
    switch (message.type) {
      case "welcome":
        serverOffsetMs = message.now_ms - Date.now();
        welcomed = everWelcomed = true;
        attempt = 0;
        blocked = false;
        setStatus("open");
        onMessage(message);
        for (const { command } of pending.values()) transmit(command);
        return;
      case "pong":
        serverOffsetMs = message.now_ms - Date.now();
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

  /** @param {{id: string|null, code: string, message: string, retry_ms?: number}} rejection */
  function handleRejection(rejection) {
    const entry = rejection.id === null ? undefined : pending.get(rejection.id);
    if (!entry) return;
    if (rejection.code === "unavailable" && entry.tries < UNAVAILABLE_TRIES) {
      entry.tries += 1; // the server may have carried the command out, so it keeps its id
      setTimeout(() => transmit(entry.command), rejection.retry_ms ?? 500 * entry.tries);
      return;
    }
    settle(String(rejection.id), { ok: false, ...rejection });
  }

  /** @param {string} id @param {Answer} answer */
  function settle(id, answer) {
    const entry = pending.get(id);
    pending.delete(id);
    entry?.settle(answer);
  }

  /** @param {Command} command */
  function transmit(command) {
    if (welcomed && socket?.readyState === WebSocket.OPEN && pending.has(String(command["id"]))) {
      socket.send(JSON.stringify(command));
    }
  }

  function closeSocket() {
    clearTimeout(watchdogTimer);
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
    if (FINAL_CODES.has(code)) {
      finish(code);
      return;
    }
    attempt += 1;
    const maximum = Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** Math.min(attempt, 10));
    const minimum = code === RATE_LIMITED ? RATE_LIMITED_BACKOFF_MIN_MS : BACKOFF_MIN_MS;
    clearTimeout(retryTimer);
    retryTimer = setTimeout(open, minimum + Math.random() * maximum);
    setStatus(navigator.onLine ? (everWelcomed ? "reconnecting" : "connecting") : "offline");
    if (!everWelcomed && attempt === 3) void probeUpgrade();
  }

  /** Report `blocked` if HTTP reaches the server, because then a proxy probably drops the Upgrade header. */
  async function probeUpgrade() {
    const response = await fetch(urls.socketProbe(), { cache: "no-store" }).catch(() => null);
    if (ended || everWelcomed || !response) return;
    blocked = true;
    onStatus({ ...status, blocked });
  }

  /** End for good: every command that still waits is answered with the code "closed". @param {number} code */
  function finish(code) {
    ended = true;
    clearTimeout(retryTimer);
    for (const removeListener of removeListeners) removeListener();
    setStatus("ended", code);
    for (const id of [...pending.keys()]) settle(id, { ok: false, code: "closed", message: "" });
  }

  /** Check the connection, or reconnect without waiting for the backoff. */
  function wake() {
    if (ended) return;
    if (socket) probe(WAKE_PONG_MS);
    else open();
  }

  const nextId = () => `${idPrefix}-${++commandCount}`;
  const onVisible = () => document.visibilityState === "visible" && wake();
  const onOffline = () => (welcomed ? probe(WAKE_PONG_MS) : setStatus("offline"));
  window.addEventListener("online", wake);
  window.addEventListener("offline", onOffline);
  window.addEventListener("pageshow", onVisible);
  document.addEventListener("visibilitychange", onVisible);
  const removeListeners = [
    () => window.removeEventListener("online", wake),
    () => window.removeEventListener("offline", onOffline),
    () => window.removeEventListener("pageshow", onVisible),
    () => document.removeEventListener("visibilitychange", onVisible),
  ];

  open();

  return {
    /**
     * Send a command. Resolve with its answer, even if that comes over a later connection.
     * @param {Command} command @returns {Promise<Answer>}
     */
    send(command) {
      if (ended) return Promise.resolve({ ok: false, code: "closed", message: "" });
      const identifiedCommand = { ...command, id: nextId() };
      return new Promise((resolve) => {
        pending.set(identifiedCommand.id, { command: identifiedCommand, settle: resolve, tries: 0 });
        transmit(identifiedCommand);
      });
    },
    /** Reconnect with a new hello, because the guest changed. Commands without an answer are sent again after it. */
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
    /** Return the server's time in ms. */
    now: () => Date.now() + serverOffsetMs,
  };
}
