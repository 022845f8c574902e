/** A WebSocket whose server is the test. */
export class FakeSocket {
  static OPEN = 1;
  /** @type {FakeSocket[]} */
  static all = [];

  constructor(url) {
    this.url = url;
    this.readyState = 0;
    this.sent = [];
    FakeSocket.all.push(this);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.readyState = 3;
  }

  welcome(nowMs = Date.now()) {
    this.readyState = 1;
    this.onopen();
    this.receive({ type: "welcome", now_ms: nowMs, reactions: [] });
  }

  receive(message) {
    this.onmessage({ data: JSON.stringify(message) });
  }

  sentOf(type) {
    return this.sent.filter((message) => message.type === type);
  }
}

// What the modules expect of a page.
globalThis.WebSocket = FakeSocket;
globalThis.window = new EventTarget();
globalThis.document = Object.assign(new EventTarget(), { visibilityState: "visible" });
Object.defineProperty(globalThis, "navigator", { value: { onLine: true }, configurable: true });
globalThis.location = { pathname: "/", hash: "", search: "" };

/** Return the newest socket. */
export const newestSocket = () => FakeSocket.all.at(-1);
