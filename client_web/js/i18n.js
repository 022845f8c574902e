/** Every word that a person sees or hears. A language is another table with the same keys. */

const EN = {
  "app.name": "Noughts",
  "app.home": "Noughts, to the start page",
  "sound.on": "Sound on",
  "sound.off": "Sound off",

  "error.unreachable": "The server cannot be reached. Are you offline?",
  "error.status": "The server answered with status {status}.",
  "error.again": "Try again",

  "line.connecting": "Connecting…",
  "line.reconnecting": "The connection was lost. Reconnecting…",
  "line.offline": "You are offline. The game goes on as soon as you are back.",
  "line.back": "Connected again.",
  "line.blocked": "The page can be reached but its WebSocket cannot: a proxy in between may drop the Upgrade header. Trying on…",
  "line.refused": "The server refused this page. Reload it, perhaps it is out of date.",
  "line.reload": "Reload",

  "who.guest": "Guest",
  "who.nobody": "You have no name yet",
  "who.button": "Your name: {name}",
  "who.title": "You",
  "who.name": "Name",
  "who.save": "Save name",
  "who.saved": "You are now called {name}.",
  "who.move": "Play on another device",
  "who.move.what": "Get a code here and enter it there within ten minutes. It works once.",
  "who.code.get": "Get a code",
  "who.code.is": "Your code, until {time}:",
  "who.code": "Code from the other device",
  "who.code.use": "Use code",
  "who.code.used": "Welcome back, {name}.",
  "who.forget": "Forget me",
  "who.forget.sure": "Your name is forgotten and your seats cannot be taken back. Sure?",
  "who.forget.yes": "Yes, forget me",
  "who.forgotten": "You are forgotten here.",
  "who.dropped": "The server no longer knows your guest pass. You are watching without a name; take a seat to play as a new guest.",
  "who.someone": "someone",
  "close": "Close",
  "cancel": "Cancel",

  "start.title": "Noughts and crosses, and its family",
  "start.back": "Back to your room: {room}",
  "start.variant": "Which game?",
  "start.opponent": "Against whom?",
  "start.friend": "A friend, by link",
  "start.engine": "The engine",
  "start.here": "Two on this screen",
  "start.quick": "Quick play",
  "start.anyone": "Anyone, open room",
  "start.engines": "Watch two engines",
  "start.friend.go": "Make a room and get the link",
  "start.engine.go": "Play the engine",
  "start.here.go": "Play here",
  "start.quick.go": "Find somebody",
  "start.anyone.go": "Open a room",
  "start.engines.go": "Watch",
  "start.busy": "One moment…",
  "start.level": "Level",
  "start.level.X": "Level of X",
  "start.level.O": "Level of O",
  "start.mark": "Your mark",
  "start.mark.random": "random",
  "start.mark.X": "X, moves first",
  "start.mark.O": "O",
  "start.clock": "Clock",
  "start.first": "First player",
  "start.second": "Second player",
  "start.player1": "Player 1",
  "start.player2": "Player 2",
  "start.loading": "Loading the games…",
  "strength.title": "How strong are the levels?",
  "strength.level": "Level",
  "strength.random": "against random play",
  "strength.top": "against the top level",
  "strength.how": "Won, drawn and lost in percent, as measured.",

  "value.win": "With perfect play X wins in {plies} moves.",
  "value.win.some": "With perfect play X wins.",
  "value.loss": "With perfect play O wins in {plies} moves.",
  "value.loss.some": "With perfect play O wins.",
  "value.draw": "With perfect play it is a draw.",
  "value.unknown": "This server has no proof of who wins.",

  "clock.none": "no clock",
  "clock.move": "{time} for each move",
  "clock.fischer": "{time} + {bonus} s",
  "time.s": "{n} s",
  "time.min": "{n} min",
  "time.h": "{n} h",
  "time.d": "{n} d",
  "clock.first.label": "first move",
  "clock.first": "Each side has 30 s for the first move; it is not charged to the clock.",

  "level.novice": "novice",
  "level.casual": "casual",
  "level.skilled": "skilled",
  "level.expert": "expert",
  "level.perfect": "perfect",
  "level.strongest": "strongest",
  "engine.name": "Engine ({level})",

  "lobby.title": "Open rooms",
  "lobby.live": "Games to watch",
  "lobby.none": "Nobody is waiting. Open a room, somebody may come.",
  "lobby.nolive": "No public game is on.",
  "lobby.join": "Join",
  "lobby.watch": "Watch",
  "lobby.waiting": "{name} is waiting",
  "lobby.pair": "{x} against {o}",
  "lobby.counts": "{players} in {rooms}.",
  "lobby.counts.none": "Nobody is playing right now.",
  "people.one": "{n} person",
  "people.many": "{n} people",
  "rooms.one": "{n} room",
  "rooms.many": "{n} rooms",
  "lobby.detail": "{variant}, {clock}",
  "lobby.detail.mark": "{variant}, {clock}, you would play {mark}",
  "lobby.detail.live": "{variant}, {clock}, move {ply}, {spectators} watching",
  "lobby.lost": "The list is being fetched again…",

  "room.unknown": "This room is gone",
  "room.unknown.why": "It has expired, was closed, or the link is not complete. Nothing is lost but the room: make a new one and send its link.",
  "room.new": "Make a new room",
  "room.closed": "This room was closed.",
  "room.of": "{variant}, room",
  "room.board": "Board, {variant}",
  "room.watchers": "{n} watching",
  "room.watchers.names": "{n} watching: {names}",
  "room.you": "you",
  "room.empty": "empty seat",
  "room.away": "away",
  "room.holding": "plays for {name}",
  "room.wins": "{n} won",
  "room.draws": "{n} drawn",

  "turn.you": "Your turn, {mark}.",
  "turn.other": "{name} ({mark}) to move.",
  "turn.here": "{name} to move: {mark}.",
  "turn.engine": "The engine ({mark}) is thinking.",
  "turn.standin": "The engine is playing for you.",
  "turn.sent": "Sending your move…",
  "turn.anywhere": "Any open board.",
  "turn.board": "In the marked board.",
  "wait.friend": "Waiting for your friend. Send the link.",
  "wait.anyone": "Waiting for somebody to join…",
  "wait.seats": "Waiting for players.",
  "wait.engines": "The next game starts soon.",

  "over.you.win": "You win",
  "over.you.lose": "You lose",
  "over.win": "{name} ({mark}) wins",
  "over.draw": "A draw",
  "over.aborted": "Game aborted",
  "why.line": "{winner} completed a line",
  "why.line.misere": "{loser} completed a line",
  "why.full_board": "the board is full",
  "why.resignation": "{loser} resigned",
  "why.timeout": "time ran out for {loser}",
  "why.abandoned": "{loser} stayed away",
  "why.abandoned.draw": "a player stayed away",
  "why.agreement": "agreed",
  "why.repetition": "the same position for the third time",
  "why.ply_limit": "too many moves",
  "why.aborted": "no first move in time; it counts nowhere",
  "over.sentence": "{what}: {why}.",

  "say.moved": "{mark} played {cell}.",
  "say.started": "A game begins.",
  "say.sat": "{name} plays {mark}.",
  "say.stood": "The seat of {mark} is empty.",
  "say.engine": "The engine sits as {mark}.",
  "say.took_back": "Taken back.",
  "say.declined": "Declined.",
  "say.withdrawn": "The offer was withdrawn.",
  "say.claimable": "The absent player may be claimed against.",
  "say.settings": "The settings of the room have changed.",

  "note.declined": "Your offer was declined.",
  "note.owner": "This room is yours now.",

  "cell.empty": "{cell}, empty",
  "cell.drops": "{cell}, empty, drops to {landing}",
  "cell.mark": "{cell}, {mark}",
  "cell.fading": "{cell}, {mark}, leaves with the next move",
  "cell.line": "{label}, in the line",
  "cell.last": "{label}, last move",
  "cell.playable": "{label}, playable",
  "cell.again": "Tap {cell} again to play there.",
  "board.layer": "Layer {n}",
  "board.small": "board {n}",
  "board.won": "board {n}, won by {mark}",
  "board.drawn": "board {n}, drawn",
  "board.keys": "Arrow keys move, Enter plays.",
  "board.keys.layers": "Arrow keys move, Page Up and Page Down change the layer, Enter plays.",

  "act.resign": "Resign",
  "act.resign.sure": "Give this game up?",
  "act.resign.yes": "Yes, resign",
  "act.stand": "Leave the seat",
  "act.sit.back": "Take my seat back",
  "act.sit.instead": "Take the engine's seat ({mark})",
  "act.rematch": "Play again",
  "act.draw": "Offer a draw",
  "act.takeback": "Ask to take back",
  "act.undo": "Take back",
  "act.draw.agree": "Agree on a draw",
  "act.engine": "Seat the engine as {mark}",
  "offer.mine.rematch": "You asked for another game.",
  "offer.mine.draw": "You offered a draw.",
  "offer.mine.takeback": "You asked to take your move back.",
  "offer.theirs.rematch": "{name} wants to play again.",
  "offer.theirs.draw": "{name} offers a draw.",
  "offer.theirs.takeback": "{name} asks to take a move back.",
  "offer.accept": "Accept",
  "offer.accept.rematch": "Play again",
  "offer.decline": "Decline",
  "offer.withdraw": "Withdraw",

  "away.count": "{name} is away. In {time} you may claim the game, or let the engine hold the seat.",
  "away.plain": "{name} is away.",
  "away.now": "{name} has been away for {time}. What would you like?",
  "away.wait": "Keep waiting",
  "away.waiting": "Waiting for {name}, away for {time}.",
  "away.choose": "Choose otherwise",
  "away.win": "Claim the win",
  "away.draw": "Claim a draw",
  "away.engine": "Let the engine hold the seat",
  "engine.offer": "Nobody has come yet. The engine would play.",

  "invite.title": "You are invited",
  "invite.open": "A seat is free",
  "invite.what.open": "{name} is looking for an opponent at {variant}. You would play {mark}.",
  "invite.what": "{name} invites you to {variant}. You would play {mark}.",
  "invite.what.nobody": "A game of {variant} waits for you. You would play {mark}.",
  "invite.name": "Your name, if you like",
  "invite.go": "Sit down as {mark}",
  "invite.full": "Both seats are taken: you are watching.",
  "invite.none": "The empty seat waits for somebody with the invite link. You are watching.",

  "share.title": "Invite a friend",
  "share.what": "Whoever has this link may take the other seat.",
  "share.here": "This link works on this computer only. To play from another, start the server with HOST=0.0.0.0 and open the page by this computer's name or address.",
  "share.copy": "Copy invite link",
  "share.watch": "Copy watch link",
  "share.copied": "Copied.",
  "share.manual": "Copying is not allowed here. The link is marked: copy it by hand.",
  "share.link": "Link",
  "share.qr": "QR code of the invite link",
  "share.qr.show": "Show QR code",

  "set.title": "Room settings",
  "set.variant": "Game",
  "set.clock": "Clock",
  "set.visibility": "Who finds the room",
  "set.visibility.public": "everybody, in the lobby",
  "set.visibility.unlisted": "only who has the link",
  "set.chat": "Spectators may chat",
  "set.chat.always": "always",
  "set.chat.between_games": "between games",
  "set.chat.off": "never",
  "set.apply": "Apply",
  "set.applied": "The room is changed.",
  "set.later": "The settings can be changed between games.",
  "set.free": "Free the seat of {mark}",
  "set.mute.spectators": "Mute all spectators",
  "set.unmute.spectators": "Unmute spectators",
  "set.close": "Close the room",
  "set.close.sure": "The room ends for everybody. Sure?",
  "set.close.yes": "Yes, close it",

  "chat.title": "Chat",
  "chat.say": "Say something",
  "chat.send": "Send",
  "chat.none": "No word has been said yet.",
  "chat.hidden": "Muted lines: {n}. Hear these people again",
  "chat.ply": "move {ply}",
  "chat.react": "React with {emoji}",
  "chat.reacted": "{name} reacts: {emoji}",
  "chat.line": "{name}: {text}",
  "mute.title": "{name}",
  "mute.me": "Mute for me",
  "mute.me.undo": "Hear again",
  "mute.all": "Mute in this room",
  "mute.all.undo": "Unmute in this room",
  "mute.done": "{name} is muted in this room.",
  "mute.undone": "{name} may speak in this room again.",
};

/** @typedef {keyof typeof EN} Key */

/** @param {Key} key @param {Record<string, string|number>} [values] */
export const t = (key, values = {}) => EN[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));

/** @param {string} key @returns {key is Key} */
const known = (key) => key in EN;

/**
 * A word that the server may have added since: shown as it is when there is no better one.
 * @param {string} prefix @param {string} name @param {Record<string, string|number>} [values]
 */
export function word(prefix, name, values) {
  const key = prefix + name;
  return known(key) ? t(key, values) : name.replaceAll("_", " ");
}

/** A number of things. @param {"people"|"rooms"} things @param {number} n */
export const plural = (things, n) => t(n === 1 ? `${things}.one` : `${things}.many`, { n });

/** A length of time for reading: 90000 is "1.5 min". @param {number} ms */
export function span(ms) {
  const round = (/** @type {number} */ n) => Math.round(n * 10) / 10;
  if (ms < 60_000) return t("time.s", { n: round(ms / 1000) });
  if (ms < 3_600_000) return t("time.min", { n: round(ms / 60_000) });
  if (ms < 86_400_000) return t("time.h", { n: round(ms / 3_600_000) });
  return t("time.d", { n: round(ms / 86_400_000) });
}

/** A countdown: 1:05, and 4.2 in its last ten seconds. @param {number} ms */
export function countdown(ms) {
  const left = Math.max(0, ms);
  if (left < 10_000) return (Math.floor(left / 100) / 10).toFixed(1);
  const seconds = Math.floor(left / 1000);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Whole seconds, for waiting times: 0:23. @param {number} ms */
export function waiting(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** @param {import("./wire.js").ClockSetting|null} clock */
export function clockText(clock) {
  if (!clock) return t("clock.none");
  if (clock.mode === "move") return t("clock.move", { time: span(clock.move_ms) });
  return t("clock.fischer", { time: span(clock.initial_ms), bonus: clock.increment_ms / 1000 });
}
