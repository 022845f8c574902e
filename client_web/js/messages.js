/**
 * The types of the messages between the page and the server. Only the type checker reads this file; no browser loads it.
 *
 * @typedef {"X"|"O"} Mark
 * @typedef {{mode: "move", move_ms: number} | {mode: "fischer", initial_ms: number, increment_ms: number}} ClockSetting
 * @typedef {{value: "win"|"draw"|"loss"|"unknown", plies: number|null, proof: "exact"|"book"|"none"}} Verdict
 * @typedef {{key: string, name: string, rules: string, shape: number[], line: number, gravity: boolean, misere: boolean,
 *   marks_kept: number|null, nested: boolean, value: Verdict, levels: string[]}} Variant
 * @typedef {{lobby: boolean, free_names: boolean, public_url: string|null}} Features
 * @typedef {{level: string, against: string, win: number, draw: number, loss: number, games: number}} Strength
 *   `against` is "random" or a level. `win`, `draw` and `loss` are shares of `games`, the number of games played.
 *
 * @typedef {{kind: "human", player: string, name: string, bot?: true}} HumanSeat
 * @typedef {{kind: "engine", level: string, holding_for: {player: string, name: string}|null}} EngineSeat
 * @typedef {HumanSeat | EngineSeat} Seat
 * @typedef {{X: Seat|null, O: Seat|null}} Seats
 * @typedef {{winner: Mark|null, reason: string, cells: string[]}} Outcome
 * @typedef {{number: number, variant?: string, moves: string[], marks: Record<string, Mark>, turn: Mark|null, legal: string[],
 *   outcome: Outcome|null, fading?: string|null, boards?: (Mark|"draw"|null)[]|null, forced?: number|null}} Game
 * @typedef {{mode: "move"|"fischer", X_ms: number, O_ms: number, running: Mark|null, at_ms: number,
 *   setting?: ClockSetting, first_move_by_ms?: number|null}} Clock
 * @typedef {"draw"|"takeback"|"rematch"} OfferKind
 * @typedef {{what: OfferKind, by: Mark}} Offer
 * @typedef {"always"|"between_games"|"off"} SpectatorChat
 * @typedef {{id: string, version: number, variant: string, visibility: string, join: "invite"|"open"|null, owner: string,
 *   phase: "waiting"|"playing"|"finished"|"closed", seats: Seats, game: Game|null, clock: Clock|null, offers: Offer[],
 *   score: {player: string, wins: number}[], draws: number, spectator_chat: SpectatorChat, created_ms: number,
 *   expires_ms: number}} View
 * @typedef {{mark: Mark|null, owner: boolean, invite?: string, can: string[]}} You
 * @typedef {{type: string, mark?: Mark, by?: Mark, what?: OfferKind, cell?: string}} RoomEvent
 *
 * @typedef {{type: "room", version: number, event: RoomEvent|null, you: You, room: View}} RoomMessage
 * @typedef {{present: boolean, away_ms: number|null, claimable_in_ms: number|null}} Presence
 * @typedef {{type: "crowd", seats: {X: Presence|null, O: Presence|null}, spectators: number, names: string[]}} CrowdMessage
 * @typedef {{player: string, name: string, mark: Mark|null}} Author
 * @typedef {{n: number, at_ms: number, from: Author, text: string, ply: number}} ChatLine
 * @typedef {{type: "chat", lines: ChatLine[]}} ChatMessage
 * @typedef {{type: "reaction", from: Author, emoji: string}} ReactionMessage
 * @typedef {{id: string, name: string}} Player
 * @typedef {{type: "welcome", protocol: number, player: Player|null, now_ms: number, reactions: string[]}} WelcomeMessage
 * @typedef {{id: string, variant: string, clock: ClockSetting|null, owner: {player: string, name: string}, mark: Mark|null,
 *   created_ms: number}} OpenRoom
 * @typedef {{id: string, variant: string, clock: ClockSetting|null, seats: Seats, ply: number, spectators: number}} LiveRoom
 * @typedef {{type: "lobby", open: OpenRoom[], live: LiveRoom[], players: number, rooms: number}} LobbyMessage
 *
 * @typedef {{type: string} & Record<string, unknown>} Command
 * @typedef {{ok: true, version: number} | {ok: false, code: string, message: string, retry_ms?: number}} Answer
 */
export {};
