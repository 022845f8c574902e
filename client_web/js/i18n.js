/** The page's texts. A second language is another object with the same keys. */

const EN = {
  "app.name": "Noughts",
  "app.home": "Noughts: go to the start page",
  "close": "Close",
  "cancel": "Cancel",
  "sound": "Sound",
  "sound.turn_on": "Turn the sound on",
  "sound.turn_off": "Turn the sound off",

  "error.unreachable": "The server cannot be reached. Check your connection.",
  "error.http": "The server answered with HTTP status {status}.",
  "error.retry": "Try again",

  "connection.connecting": "Connecting…",
  "connection.reconnecting": "The connection was lost. Reconnecting…",
  "connection.offline": "You are offline. The page reconnects when you are online again.",
  "connection.restored": "Connected again.",
  "connection.blocked": "The server answers, but the WebSocket does not open. A proxy may be dropping the Upgrade header. Trying again…",
  "connection.rejected": "The server did not accept this page. It may be out of date, so reload it.",
  "connection.reload": "Reload",

  "guest": "Guest",
  "guest.nameless": "Guest: choose a name",
  "guest.button": "Your name: {name}",
  "guest.title": "Your guest account",
  "guest.name": "Name",
  "guest.save": "Save name",
  "guest.saved": "Your name is now {name}.",
  "guest.device": "Play on another device",
  "guest.device.how": "Get a code here and enter it on the other device within ten minutes. It works once.",
  "guest.code.get": "Get a code",
  "guest.code.expiry": "Your code, valid until {time}:",
  "guest.code": "Code from the other device",
  "guest.code.use": "Use code",
  "guest.code.used": "Welcome back, {name}.",
  "guest.delete": "Delete your guest account",
  "guest.delete.sure": "This deletes your name, and you cannot return to your seats. Delete your guest account?",
  "guest.delete.yes": "Yes, delete it",
  "guest.deleted": "Your guest account was deleted.",
  "guest.unknown": "The server no longer knows your guest account. Take a seat to play as a new guest.",
  "guest.someone": "someone",

  "start.title": "Play tic-tac-toe and its variants",
  "start.last_room": "Back to your room: {room}",
  "start.variant": "Choose a variant",
  "start.opponent": "Choose an opponent",
  "start.friend": "A friend, by link",
  "start.engine": "The engine",
  "start.pass_and_play": "A friend, on this screen",
  "start.quick": "Anyone, right now",
  "start.anyone": "Anyone, in an open room",
  "start.engines": "Engine against engine",
  "start.friend.go": "Create an invite link",
  "start.engine.go": "Play the engine",
  "start.pass_and_play.go": "Play on this screen",
  "start.quick.go": "Find an opponent",
  "start.anyone.go": "Open a room",
  "start.engines.go": "Watch two engines play",
  "start.busy": "One moment…",
  "start.level": "Level",
  "start.level.X": "Level of X",
  "start.level.O": "Level of O",
  "start.mark": "Your mark",
  "start.mark.random": "random",
  "start.mark.X": "X, moves first",
  "start.mark.O": "O, moves second",
  "start.clock": "Clock",
  "start.name1": "Name of player 1",
  "start.name2": "Name of player 2",
  "start.player1": "Player 1",
  "start.player2": "Player 2",
  "start.loading": "Loading the variants…",
  "embed.open": "Open on Noughts",
  "embed.missing": "There is no such game.",

  "strength.title": "How strong are the levels?",
  "strength.level": "Level",
  "strength.random": "against random play",
  "strength.top": "against the top level",
  "strength.how": "Games won / drawn / lost, in percent, measured on this engine.",

  "verdict.win": "With perfect play, X wins in {plies} moves.",
  "verdict.win.some": "With perfect play, X wins.",
  "verdict.loss": "With perfect play, O wins in {plies} moves.",
  "verdict.loss.some": "With perfect play, O wins.",
  "verdict.draw": "With perfect play, the game is a draw.",
  "verdict.unknown": "The engine has not proved the outcome.",

  "clock.none": "no clock",
  "clock.move": "{time} per move",
  "clock.fischer": "{time} + {bonus} s per move",
  "time.s": "{n} s",
  "time.min": "{n} min",
  "time.h": "{n} h",
  "time.d": "{n} d",
  "clock.first.label": "first move",
  "clock.first": "Each player has 30 s for the first move. It does not count against the clock.",

  "level.novice": "novice",
  "level.casual": "casual",
  "level.skilled": "skilled",
  "level.expert": "expert",
  "level.perfect": "perfect",
  "level.strongest": "strongest",
  "engine.name": "Engine ({level})",

  "lobby.open": "Open rooms",
  "lobby.live": "Games to watch",
  "lobby.open.none": "No rooms are open. Open one, and anyone can join you.",
  "lobby.live.none": "There are no public games right now.",
  "lobby.join": "Join",
  "lobby.join.label": "Join {name}",
  "lobby.watch": "Watch",
  "lobby.watch.label": "Watch {pair}",
  "lobby.waiting": "{name} is waiting",
  "lobby.pair": "{x} against {o}",
  "lobby.counts": "{players} in {rooms}.",
  "lobby.counts.none": "No players are in a room.",
  "players.one": "{n} player",
  "players.many": "{n} players",
  "rooms.one": "{n} room",
  "rooms.many": "{n} rooms",
  "spectators.one": "{n} spectator",
  "spectators.many": "{n} spectators",
  "lobby.detail": "{variant}, {clock}",
  "lobby.detail.mark": "{variant}, {clock}, you play {mark}",
  "lobby.detail.live": "{variant}, {clock}, move {ply}, {spectators}",
  "lobby.reconnecting": "The connection was lost. Reconnecting…",

  "room.unknown": "This room does not exist",
  "room.unknown.why": "It has expired, or it was closed, or the link is incomplete. Create a new room and send its link.",
  "room.new": "Create a new room",
  "room.closed": "This room was closed.",
  "room.title": "{variant} room",
  "room.board": "{variant} board",
  "room.spectators": "{count}: {names}",
  "room.you": "you",
  "room.bot": "bot",
  "room.empty": "empty seat",
  "room.away": "away",
  "room.stand_in": "plays for {name}",
  "room.wins": "Games won: {n}",
  "draws.one": "{n} draw",
  "draws.many": "{n} draws",

  "turn.you": "Your turn ({mark}).",
  "turn.player": "{name} ({mark}) to move.",
  "turn.engine": "The engine ({mark}) is thinking.",
  "turn.stand_in": "The engine is playing for you.",
  "turn.sending": "Sending your move…",
  "turn.you.any_board": "Play in any open board.",
  "turn.you.one_board": "Play in the {board} board.",
  "turn.any_board": "Next: any open board.",
  "turn.one_board": "Next: the {board} board.",
  "waiting.friend": "Waiting for your friend. Send the invite link.",
  "waiting.anyone": "Waiting for an opponent…",
  "waiting.seats": "Waiting for players.",
  "waiting.engines": "The next game starts soon.",

  "outcome.you.win": "You win",
  "outcome.you.lose": "You lose",
  "outcome.win": "{name} ({mark}) wins",
  "outcome.draw": "Draw",
  "outcome.aborted": "Game aborted",
  "outcome.sentence": "{outcome}: {reason}.",
  "reason.line": "{winner} completed a line",
  "reason.line.misere": "{loser} completed a line",
  "reason.full_board": "the board is full",
  "reason.resignation": "{loser} resigned",
  "reason.timeout": "{loser} ran out of time",
  "reason.abandoned": "{loser} did not come back",
  "reason.abandoned.draw": "a player did not come back",
  "reason.agreement": "both players agreed",
  "reason.repetition": "the same position occurred three times",
  "reason.ply_limit": "the game reached its move limit",
  "reason.aborted": "the first move came too late, so the game does not count",

  "event.moved": "{mark} played {cell}.",
  "event.started": "The game has started.",
  "event.sat": "{name} plays {mark}.",
  "event.stood": "The seat of {mark} is empty.",
  "event.engine": "The engine plays {mark}.",
  "event.took_back": "The move was taken back.",
  "event.declined": "The offer was declined.",
  "event.withdrawn": "The offer was withdrawn.",
  "event.claimable": "Your opponent is still away. You can claim the game.",
  "event.settings": "The room's settings have changed.",
  "event.declined.yours": "Your offer was declined.",
  "event.owner.you": "You are now the owner of this room.",

  "cell.empty": "{cell}, empty",
  "cell.drops": "{cell}, empty, drops to {landing}",
  "cell.mark": "{cell}, {mark}",
  "cell.fading": "{cell}, {mark}, disappears with the next move",
  "cell.line": "{label}, in the completed line",
  "cell.last": "{label}, last move",
  "cell.playable": "{label}, playable",
  "cell.aimed": "{cell}: tap again to play there.",
  "board.layer": "Layer {n}",
  "board.small": "{board} board",
  "board.won": "{board} board, won by {mark}",
  "board.drawn": "{board} board, drawn",
  "board.name.0": "top left",
  "board.name.1": "top",
  "board.name.2": "top right",
  "board.name.3": "left",
  "board.name.4": "middle",
  "board.name.5": "right",
  "board.name.6": "bottom left",
  "board.name.7": "bottom",
  "board.name.8": "bottom right",
  "board.keys": "Choose a cell with the arrow keys. Play it with Enter.",
  "board.keys.layers": "Choose a cell with the arrow keys. Change the layer with Page Up and Page Down. Play the cell with Enter.",

  "command.resign": "Resign",
  "command.resign.sure": "Resign this game?",
  "command.resign.yes": "Yes, resign",
  "command.stand": "Leave your seat",
  "command.sit.return": "Take your seat back",
  "command.sit.engine": "Take the engine's seat ({mark})",
  "command.rematch": "Play again",
  "command.draw": "Offer a draw",
  "command.draw.agree": "Agree on a draw",
  "command.takeback": "Ask for a takeback",
  "command.takeback.now": "Take back the move",
  "command.engine": "Let the engine play {mark}",
  "offer.yours.rematch": "You offered another game.",
  "offer.yours.draw": "You offered a draw.",
  "offer.yours.takeback": "You asked to take back your move.",
  "offer.theirs.rematch": "{name} wants to play again.",
  "offer.theirs.draw": "{name} offers a draw.",
  "offer.theirs.takeback": "{name} asks to take back a move.",
  "offer.accept": "Accept",
  "offer.accept.rematch": "Play again",
  "offer.decline": "Decline",
  "offer.withdraw": "Withdraw",

  "absence.countdown": "{name} is away. In {time} you can claim the game, or let the engine play for them.",
  "absence.away": "{name} is away.",
  "absence.choose": "{name} has been away for {time}. What do you want to do?",
  "absence.wait": "Keep waiting",
  "absence.waiting": "Waiting for {name}, away for {time}.",
  "absence.reopen": "Stop waiting",
  "absence.win": "Claim the win",
  "absence.draw": "Claim a draw",
  "absence.engine": "Let the engine play for them",
  "engine.offer": "No opponent has come yet. You can play the engine instead.",

  "invite.title": "You are invited",
  "invite.title.open": "A seat is free",
  "invite.what.open": "{name} is looking for an opponent at {variant}. You play {mark}.",
  "invite.what": "{name} invites you to play {variant}. You play {mark}.",
  "invite.what.nameless": "You can join a game of {variant}. You play {mark}.",
  "invite.name": "Your name (optional)",
  "invite.sit": "Play as {mark}",
  "invite.full": "Both seats are taken. You are watching.",
  "invite.needed": "You need the invite link to take the empty seat. You are watching.",

  "share.title": "Invite a friend",
  "share.what": "Send this link to your friend. Anyone with the link can take the other seat.",
  "share.local": "This link works only on this computer. For other devices, start the server with NOUGHTS_HOST=0.0.0.0 and open this page by the computer's name or address.",
  "share.copy": "Copy invite link",
  "share.copy.watch": "Copy watch link",
  "share.copied": "Link copied.",
  "share.manual": "The browser does not allow copying here. The link is selected, so copy it by hand.",
  "share.link": "Link",
  "share.qr": "QR code of the invite link",
  "share.qr.show": "Show QR code",

  "settings.title": "Room settings",
  "settings.variant": "Variant",
  "settings.clock": "Clock",
  "settings.visibility": "Visible to",
  "settings.visibility.public": "everyone, in the lobby",
  "settings.visibility.unlisted": "anyone with the link",
  "settings.chat": "Spectators can chat",
  "settings.chat.always": "always",
  "settings.chat.between_games": "between games",
  "settings.chat.off": "never",
  "settings.save": "Save settings",
  "settings.saved": "The settings were saved.",
  "settings.later": "You can change the settings between games.",
  "settings.free": "Free the seat of {mark}",
  "settings.mute": "Mute all spectators",
  "settings.unmute": "Unmute all spectators",
  "settings.close": "Close the room",
  "settings.close.sure": "Everyone leaves when the room closes. Close it?",
  "settings.close.yes": "Yes, close it",

  "chat.title": "Chat",
  "chat.write": "Write a message",
  "chat.send": "Send",
  "chat.none": "No messages yet.",
  "chat.unmute": "Show {messages} that you muted",
  "messages.one": "{n} message",
  "messages.many": "{n} messages",
  "chat.ply": "move {ply}",
  "chat.react": "React with {emoji}",
  "chat.reacted": "{name} reacts with {emoji}",
  "chat.line": "{name}: {text}",
  "mute.me": "Mute for me",
  "mute.me.undo": "Unmute for me",
  "mute.all": "Mute for everyone",
  "mute.all.undo": "Unmute for everyone",
  "mute.done": "{name} is muted in this room.",
  "mute.undone": "{name} can chat in this room again.",
};

/** @typedef {keyof typeof EN} Key */

/** Return the text of a key with its `{placeholders}` filled in. @param {Key} key @param {Record<string, string|number>} [values] */
export const t = (key, values = {}) => EN[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));

/** @param {string} key @returns {key is Key} */
const isKey = (key) => key in EN;

/**
 * Return the text of a name that came from the server. Return a name without a text with spaces for its underscores.
 * @param {string} prefix @param {string} name @param {Record<string, string|number>} [values]
 */
export function textOfName(prefix, name, values) {
  const key = prefix + name;
  return isKey(key) ? t(key, values) : name.replaceAll("_", " ");
}

/** Return a number with its noun. @param {"players"|"rooms"|"spectators"|"draws"|"messages"} noun @param {number} n */
export const plural = (noun, n) => t(n === 1 ? `${noun}.one` : `${noun}.many`, { n });

/** Return a duration in its largest unit: 90000 gives "1.5 min". @param {number} ms */
export function duration(ms) {
  const rounded = (/** @type {number} */ n) => Math.round(n * 10) / 10;
  if (ms < 60_000) return t("time.s", { n: rounded(ms / 1000) });
  if (ms < 3_600_000) return t("time.min", { n: rounded(ms / 60_000) });
  if (ms < 86_400_000) return t("time.h", { n: rounded(ms / 3_600_000) });
  return t("time.d", { n: rounded(ms / 86_400_000) });
}

/** Return the time left on a clock: "1:05", and "4.2" in the last ten seconds. @param {number} ms */
export function countdown(ms) {
  const left = Math.max(0, ms);
  if (left < 10_000) return (Math.floor(left / 100) / 10).toFixed(1);
  const seconds = Math.floor(left / 1000);
  const twoDigits = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${twoDigits(minutes)}:${twoDigits(seconds % 60)}` : `${minutes}:${twoDigits(seconds % 60)}`;
}

/** Return a waiting time in whole seconds, rounded up: "0:23". @param {number} ms */
export function waitingTime(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** @param {import("./messages.js").ClockSetting|null} clock */
export function clockText(clock) {
  if (!clock) return t("clock.none");
  if (clock.mode === "move") return t("clock.move", { time: duration(clock.move_ms) });
  return t("clock.fischer", { time: duration(clock.initial_ms), bonus: clock.increment_ms / 1000 });
}
