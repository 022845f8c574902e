/**
 * What the parts of a room page draw, and the function by which they send commands. Only the type checker reads this file.
 *
 * @typedef {{view: import("./messages.js").View, you: import("./messages.js").You, crowd: import("./messages.js").CrowdMessage|null,
 *   crowdAt: number, variant: import("./messages.js").Variant|null, variants: import("./messages.js").Variant[],
 *   passAndPlay: boolean, invite: string|null, now: () => number}} RoomState
 *   `crowdAt` is the server's time in ms when the crowd message arrived; the message's durations count from then.
 *   `passAndPlay` is true while this page holds both seats. `now` returns the server's time in ms.
 * @typedef {(command: import("./messages.js").Command) => Promise<import("./messages.js").Answer>} SendCommand
 *   It also shows the reason of a rejection to the player.
 */
export {};
