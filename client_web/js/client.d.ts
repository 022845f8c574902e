// The types of client.js, for pages of other sites: docs/how-to/use-the-javascript-client.md.
// `make message-types` writes this file from the comments of the modules. No browser loads it.

import type { Answer, ClockSetting, Command, Mark, Player, PushedMessage, RoomEvent, RoomMessage, Variant, View, You } from "./net/messages.js";

export type * from "./net/messages.js";
/**
 * Become a new guest with a name, or the guest of a token. `server` is the server's URL, by default the server that this
 * module came from. Throw an HttpError.
 * @param {{name?: string, token?: string|null, server?: string|null}} [options]
 * @returns {Promise<Guest>}
 */
export function signIn({ name, token: knownToken, server }?: {
    name?: string;
    token?: string | null;
    server?: string | null;
}): Promise<Guest>;
/**
 * The body of `POST /api/rooms`.
 */
export type RoomOptions = {
    variant: string;
    opponent?: "friend" | "anyone" | "engine" | "engines";
    level?: string;
    levels?: [string, string];
    mark?: Mark | "random";
    clock?: ClockSetting | null;
    visibility?: "public" | "unlisted";
};
/**
 * `url` is the link for the opponent and holds the `invite` if there is one. `watch_url` never does.
 */
export type CreatedRoom = {
    room: View;
    url: string;
    watch_url?: string;
    invite?: string;
};
export type OtherMessage = Exclude<PushedMessage, RoomMessage>;
/**
 * `onRoom` gets every view that is newer than the one before. The first view of a new connection is taken as it is.
 * `onMessage` gets every other message: welcome, crowd, chat and reaction.
 */
export type RoomCallbacks = {
    onRoom?: (view: View, you: You, event: RoomEvent | null) => void;
    onStatus?: (status: Status) => void;
    onMessage?: (message: OtherMessage) => void;
};
/**
 * `send` resolves with the server's answer to a command, over whatever connection it comes. `move` plays a cell in
 * the position of the newest view. `now` returns the server's time in ms.
 */
export type RoomConnection = {
    send: (command: Command) => Promise<Answer>;
    move: (cell: string) => Promise<Answer>;
    now: () => number;
    close: () => void;
};
/**
 * Keep the `token` secret, and give it to `signIn` to be the same player again.
 */
export type Guest = {
    player: Player;
    token: string;
    variants: () => Promise<Variant[]>;
    createRoom: (options: RoomOptions) => Promise<CreatedRoom>;
    enterRoom: (id: string, callbacks: RoomCallbacks) => RoomConnection;
};
/**
 * A request that failed: with the server's status, code and message, or with status 0 if the server cannot be
 * reached.
 */
export class HttpError extends Error {
    /** @param {number} status @param {string} code @param {string} message */
    constructor(status: number, code: string, message: string);
    status: number;
    code: string;
}
/**
 * `connecting` until the first welcome, `reconnecting` after the line was lost, `offline` if the browser says so,
 * `ended` for good: `code` is then the close code. `blocked` is true if HTTP reaches the server and the WebSocket
 * does not.
 */
export type Status = {
    state: "connecting" | "open" | "reconnecting" | "offline" | "ended";
    code: number;
    blocked: boolean;
};
