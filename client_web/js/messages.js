/**
 * The types of the messages between the page and the server. Only the type checker reads this file; no browser loads it.
 * `make message-types` writes it from the server's types, which `/api/asyncapi.json` and `/api/openapi.json` explain.
 *
 * @typedef {"X" | "O"} Mark
 * @typedef {"draw" | "takeback" | "rematch"} OfferKind
 * @typedef {"line" | "full_board" | "resignation" | "timeout" | "abandoned" | "agreement" | "repetition" | "ply_limit"
 *   | "aborted"} Reason
 * @typedef {"always" | "between_games" | "off"} SpectatorChat
 * @typedef {"public" | "unlisted"} Visibility
 * @typedef {{positions: Position[]}} AnalysisAnswer
 * @typedef {{type: "answer", id: string, what: OfferKind, accept: boolean, game?: number | null}} AnswerCommand
 * @typedef {{type: "chat", id: string, text: string}} ChatCommand
 * @typedef {{n: number, at_ms: number, from: Speaker, text: string, ply: number}} ChatLine
 * @typedef {{type: "chat", lines: ChatLine[]}} ChatMessage
 * @typedef {{type: "claim", id: string, what: "draw" | "win", game?: number | null}} ClaimCommand
 * @typedef {{type: "claimable", mark: Mark}} ClaimableEvent
 * @typedef {{mode: "fischer" | "move", X_ms: number, O_ms: number, running: Mark | null, at_ms: number, setting:
 *   MoveClock | FischerClock, first_move_by_ms: number | null}} Clock
 * @typedef {{type: "close", id: string}} CloseCommand
 * @typedef {{type: "closed"}} ClosedEvent
 * @typedef {{type: "crowd", seats: Presence, spectators: number, names: string[]}} CrowdMessage
 * @typedef {{board: number, by: Mark | "draw"}} Decided
 * @typedef {{type: "declined", what: OfferKind, by: Mark}} DeclinedEvent
 * @typedef {{type: "ended", game: number, winner: Mark | null, reason: Reason, mark?: Mark | null, cell?: string |
 *   null}} EndedEvent
 * @typedef {{kind: "engine", level: string, holding_for?: Person | null}} EngineSeat
 * @typedef {{type: "engine_seated", mark: Mark, level: string}} EngineSeatedEvent
 * @typedef {{error: Error}} ErrorAnswer
 * @typedef {{code: "bad_message" | "conflict" | "forbidden" | "game_over" | "illegal_move" | "internal" | "not_allowed"
 *   | "not_found" | "not_playing" | "not_seated" | "not_your_turn" | "rate_limited" | "seat_taken" | "stale" |
 *   "too_large" | "too_many_rooms" | "unauthorized" | "unavailable" | "unknown_command" | "unknown_room" |
 *   "unsupported_media", message: string, ply?: number | null}} Error
 * @typedef {{lobby: boolean, free_names: boolean, public_url: string | null}} Features
 * @typedef {{mode: "fischer", initial_ms: number, increment_ms: number}} FischerClock
 * @typedef {{type: "free", id: string, mark: Mark}} FreeCommand
 * @typedef {{variant: string, number: number | null, players: Players | null, moves: MoveRecord[], outcome: Outcome |
 *   null}} GameRecord
 * @typedef {{number: number, variant: string, moves: string[], marks: Record<string, Mark>, turn: Mark | null, legal:
 *   string[], outcome: Outcome | null, fading?: string | null, boards?: (Mark | "draw" | null)[], forced?: number |
 *   null}} Game
 * @typedef {{type: "hello", protocol: number, room?: string | null, token?: string | null, lobby?: boolean}} Hello
 * @typedef {{kind: "human", player: string, name: string, bot?: boolean}} HumanSeat
 * @typedef {{id: string, variant: string, clock: MoveClock | FischerClock | null, seats: Seats, ply: number,
 *   spectators: number}} LiveRoom
 * @typedef {{type: "lobby", open: OpenRoom[], live: LiveRoom[], players: number, rooms: number}} LobbyMessage
 * @typedef {{type: "move", id: string, ply: number, cell: string, game?: number | null}} MoveCommand
 * @typedef {{mode: "move", move_ms: number}} MoveClock
 * @typedef {{cell: string, mark: Mark, by: string | null, at_ms: number | null, removed: string | null, decided:
 *   Decided | null}} MoveRecord
 * @typedef {{type: "moved", mark: Mark, cell: string, by: string}} MovedEvent
 * @typedef {{type: "mute", id: string, player: string, muted: boolean}} MuteCommand
 * @typedef {{type: "offer", id: string, what: OfferKind, game?: number | null}} OfferCommand
 * @typedef {{what: OfferKind, by: Mark}} Offer
 * @typedef {{type: "offered", what: OfferKind, by: Mark}} OfferedEvent
 * @typedef {{type: "ok", id: string, version: number}} OkMessage
 * @typedef {{id: string, variant: string, clock: MoveClock | FischerClock | null, owner: Person, mark: Mark,
 *   created_ms: number}} OpenRoom
 * @typedef {{winner: Mark | null, reason: Reason, cells: string[]}} Outcome
 * @typedef {{player: string, name: string, bot?: boolean}} Person
 * @typedef {{type: "ping", id: string}} PingCommand
 * @typedef {{player: Player, token?: string | null}} PlayerAnswer
 * @typedef {{id: string, name: string, bot?: boolean}} Player
 * @typedef {{X: HumanSeat | EngineSeat, O: HumanSeat | EngineSeat}} Players
 * @typedef {{type: "pong", id: string, now_ms: number}} PongMessage
 * @typedef {{ply: number, turn: Mark | null, verdict: Verdict | null, best: string[], complete?: boolean}} Position
 * @typedef {{X: SeatPresence | null, O: SeatPresence | null}} Presence
 * @typedef {{type: "react", id: string, emoji: "\ud83d\udc4d" | "\ud83d\udc4f" | "\ud83d\ude04" | "\ud83d\ude2e" |
 *   "\ud83e\udd14" | "\u2764\ufe0f"}} ReactCommand
 * @typedef {{type: "reaction", from: Speaker, emoji: string}} ReactionMessage
 * @typedef {{type: "rejected", id: string | null, code: "bad_message" | "conflict" | "forbidden" | "game_over" |
 *   "illegal_move" | "internal" | "not_allowed" | "not_found" | "not_playing" | "not_seated" | "not_your_turn" |
 *   "rate_limited" | "seat_taken" | "stale" | "too_large" | "too_many_rooms" | "unauthorized" | "unavailable" |
 *   "unknown_command" | "unknown_room" | "unsupported_media", message: string, retry_ms?: number | null}}
 *   RejectedMessage
 * @typedef {{type: "resign", id: string, game?: number | null}} ResignCommand
 * @typedef {{code: string, expires_ms: number}} ResumeCode
 * @typedef {{type: "room", version: number, event: SatEvent | StoodEvent | StartedEvent | MovedEvent | EndedEvent |
 *   OfferedEvent | WithdrawnEvent | DeclinedEvent | TookBackEvent | EngineSeatedEvent | ClaimableEvent | SettingsEvent
 *   | ClosedEvent | null, you: You, room: View}} RoomMessage
 * @typedef {{type: "sat", mark: Mark, player: string, name: string}} SatEvent
 * @typedef {{player: string, wins: number}} Score
 * @typedef {{type: "seat_engine", id: string, mark: Mark, level: "novice" | "beginner" | "casual" | "regular" |
 *   "skilled" | "advanced" | "veteran" | "expert" | "master" | "grandmaster" | "champion" | "perfect" | "strongest"}}
 *   SeatEngineCommand
 * @typedef {{present: boolean, away_ms: number | null, claimable_in_ms: number | null}} SeatPresence
 * @typedef {{X: HumanSeat | EngineSeat | null, O: HumanSeat | EngineSeat | null}} Seats
 * @typedef {{type: "set", id: string, variant?: "classic" | "misere" | "vanishing" | "4x4" | "5x5" | "four-in-a-row" |
 *   "qubic" | "gomoku" | "ultimate" | null, clock?: MoveClock | FischerClock | null, visibility?: Visibility | null,
 *   spectator_chat?: SpectatorChat | null}} SetCommand
 * @typedef {{type: "settings"}} SettingsEvent
 * @typedef {{type: "sit", id: string, mark: Mark, invite?: string | null}} SitCommand
 * @typedef {{player: string, name: string, mark: Mark | null}} Speaker
 * @typedef {{type: "stand", id: string}} StandCommand
 * @typedef {{type: "started", game: number}} StartedEvent
 * @typedef {{type: "stood", mark: Mark}} StoodEvent
 * @typedef {{variant: string, strength: Strength[]}} StrengthAnswer
 * @typedef {{level: string, against: string, win: number, draw: number, loss: number, games: number}} Strength
 * @typedef {{type: "took_back", by: Mark, ply: number}} TookBackEvent
 * @typedef {{key: string, name: string, rules: string, shape: number[], line: number, gravity: boolean, misere:
 *   boolean, marks_kept: number | null, nested: boolean, value: Verdict, levels: string[]}} Variant
 * @typedef {{variants: Variant[], features: Features}} VariantsAnswer
 * @typedef {{value: "draw" | "loss" | "unknown" | "win", plies: number | null, proof: "book" | "exact" | "none"}}
 *   Verdict
 * @typedef {{id: string, version: number, variant: string, visibility: Visibility, join: "invite" | "open" | null,
 *   owner: string, phase: "closed" | "finished" | "playing" | "waiting", seats: Seats, game: Game | null, clock: Clock
 *   | null, offers: Offer[], score: Score[], draws: number, spectator_chat: SpectatorChat, created_ms: number,
 *   expires_ms: number}} View
 * @typedef {{type: "welcome", protocol: number, player: Player | null, now_ms: number, reactions: string[]}}
 *   WelcomeMessage
 * @typedef {{type: "withdrawn", what: OfferKind, by: Mark}} WithdrawnEvent
 * @typedef {{mark: Mark | null, owner: boolean, can: string[], invite?: string | null}} You
 * @typedef {HumanSeat | EngineSeat} Seat
 * @typedef {MoveClock | FischerClock} ClockSetting
 * @typedef {SatEvent | StoodEvent | StartedEvent | MovedEvent | EndedEvent | OfferedEvent | WithdrawnEvent |
 *   DeclinedEvent | TookBackEvent | EngineSeatedEvent | ClaimableEvent | SettingsEvent | ClosedEvent} RoomEvent
 * @typedef {WelcomeMessage | RoomMessage | OkMessage | RejectedMessage | PongMessage | CrowdMessage | ChatMessage |
 *   ReactionMessage | LobbyMessage} ServerMessage
 * @typedef {SitCommand | StandCommand | MoveCommand | ResignCommand | OfferCommand | AnswerCommand | ClaimCommand |
 *   SeatEngineCommand | ChatCommand | ReactCommand | SetCommand | FreeCommand | MuteCommand | CloseCommand |
 *   PingCommand} AnyCommand
 *
 * A command before it gets its id, and the answer to one.
 * @typedef {{type: string} & Record<string, unknown>} Command
 * @typedef {{ok: true, version: number} | {ok: false, code: string, message: string, retry_ms?: number}} Answer
 */

export {};
