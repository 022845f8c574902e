/**
 * All that the parts of a room page draw from, and all that they may do. Types only.
 *
 * @typedef {{view: import("./wire.js").View, you: import("./wire.js").You, crowd: import("./wire.js").CrowdMessage|null,
 *   crowdAt: number, variant: import("./wire.js").Variant|null, variants: import("./wire.js").Variant[], shared: boolean,
 *   invite: string|null, now: () => number}} Scene
 *   `crowdAt` is the server's time at which the crowd came: its durations count from there.
 * @typedef {{send: (command: import("./wire.js").Command) => Promise<import("./wire.js").Answer>}} Hands
 *   `send` also tells the person why a command was refused.
 */
export {};
