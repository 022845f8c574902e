// The types of the messages between the page and the server. Only the type checker reads this file.
// `make message-types` writes it from the server's types, which `/api/asyncapi.json` and `/api/openapi.json` explain.

export type Mark = "X" | "O";
export type OfferKind = "draw" | "takeback" | "rematch";
export type Reason = "line" | "full_board" | "resignation" | "timeout" | "abandoned" | "agreement" | "repetition" |
  "ply_limit" | "aborted" | "bell";
export type SpectatorChat = "always" | "between_games" | "off";
export type Visibility = "public" | "unlisted";
export type AnalysisAnswer = {positions: Position[]};
export type AnnulCommand = {type: "annul", id: string, match: number};
export type AnswerCommand = {type: "answer", id: string, what: OfferKind, accept: boolean, game?: number | null};
export type Board = {room: string, match: number, number: number, entrants: EntrantViewByMark, marks: Record<string,
  Mark>, last: string | null, turn: Mark | null, outcome: Outcome | null, boards?: (Mark | "draw" | null)[], forced?:
  number | null, fading?: string | null};
export type BoardsMessage = {type: "boards", boards: Board[]};
export type ChatCommand = {type: "chat", id: string, text: string};
export type ChatLine = {n: number, at_ms: number, from: Speaker, text: string, ply: number};
export type ChatMessage = {type: "chat", lines: ChatLine[]};
export type ClaimCommand = {type: "claim", id: string, what: "draw" | "win", game?: number | null};
export type ClaimableEvent = {type: "claimable", mark: Mark};
export type Clock = {mode: "days" | "fischer" | "move", X_ms: number, O_ms: number, running: Mark | null, at_ms: number,
  setting: MoveClock | FischerClock | DaysClock, first_move_by_ms: number | null};
export type CloseCommand = {type: "close", id: string};
export type ClosedEvent = {type: "closed"};
export type CrowdMessage = {type: "crowd", seats: Presence, spectators: number, names: string[]};
export type DailyPuzzle = {puzzle: Puzzle, date: string};
export type DaysClock = {mode: "days", days: number};
export type Decided = {board: number, by: Mark | "draw"};
export type DeclinedEvent = {type: "declined", what: OfferKind, by: Mark};
export type EndedEvent = {type: "ended", game: number, winner: Mark | null, reason: Reason, mark?: Mark | null, cell?:
  string | null, series?: boolean};
export type EngineSeat = {kind: "engine", level: string, holding_for?: Person | null};
export type EngineSeatedEvent = {type: "engine_seated", mark: Mark, level: string};
export type Entrant = {entrant: number, name: string};
export type EntrantViewByMark = {X: Entrant, O: Entrant};
export type ErrorAnswer = {error: Error};
export type Error = {code: "bad_message" | "conflict" | "forbidden" | "game_over" | "illegal_move" | "internal" |
  "name_taken" | "not_allowed" | "not_found" | "not_playing" | "not_seated" | "not_your_turn" | "rate_limited" |
  "seat_taken" | "stale" | "too_large" | "too_many_rooms" | "too_many_tournaments" | "tournament_full" |
  "tournament_over" | "tournament_started" | "unauthorized" | "unavailable" | "unknown_command" | "unknown_puzzle" |
  "unknown_room" | "unknown_tournament" | "unsupported_media", message: string, ply?: number | null};
export type ExtendCommand = {type: "extend", id: string, minutes: number};
export type Features = {lobby: boolean, free_names: boolean, tournaments: boolean, public_url: string | null, site:
  Site};
export type FischerClock = {mode: "fischer", initial_ms: number, increment_ms: number};
export type FreeCommand = {type: "free", id: string, mark: Mark};
export type FreeEntrantCommand = {type: "free", id: string, entrant: number};
export type GameRecord = {variant: string, number: number | null, players: Players | null, moves: MoveRecord[], outcome:
  Outcome | null, swapped: boolean, legal?: string[]};
export type Game = {number: number, variant: string, moves: string[], marks: Record<string, Mark>, turn: Mark | null,
  legal: string[], outcome: Outcome | null, swapped: boolean, fading?: string | null, boards?: (Mark | "draw" | null)[],
  forced?: number | null, from?: number};
export type GiveTimeCommand = {type: "give_time", id: string, game?: number | null};
export type Hello = {type: "hello", protocol: number, room?: string | null, token?: string | null, lobby?: boolean,
  tournament?: string | null};
export type HumanSeat = {kind: "human", player: string, name: string, bot?: boolean};
export type LeaveCommand = {type: "leave", id: string};
export type LiveRoom = {id: string, variant: string, clock: MoveClock | FischerClock | DaysClock | null, seats: Seats,
  ply: number, spectators: number};
export type LobbyMessage = {type: "lobby", open: OpenRoom[], live: LiveRoom[], players: number, rooms: number};
export type MatchGame = {number: number, X: number, winner: number | null, reason: Reason, counts: boolean};
export type Match = {n: number, round: number, entrants: [Entrant, Entrant | null], room: string | null, games:
  MatchGame[], points: [number, number], state: "annulled" | "forfeited" | "over" | "playing", decided_by: "lot" |
  "time" | null};
export type MatchesAnswer = {matches: Match[], more: boolean};
export type MinimaxAnswer = {turn: Mark | null, outcome: Outcome | null, score: number, nodes: Visited, children:
  MinimaxChild[]};
export type MinimaxChild = {cell: string, score: number, nodes: Visited, alpha: number | null, beta: number | null,
  pruned: boolean, returned: number | null, outcome: Outcome | null, children: MinimaxChild[]};
export type MoveCommand = {type: "move", id: string, ply: number, cell: string, game?: number | null};
export type MoveClock = {mode: "move", move_ms: number};
export type MoveRecord = {cell: string, mark: Mark, by: string | null, at_ms: number | null, removed: string | null,
  decided: Decided | null};
export type MovedEvent = {type: "moved", mark: Mark, cell: string, by: string};
export type MuteCommand = {type: "mute", id: string, player: string, muted: boolean};
export type MyRoom = {id: string, variant: string, phase: "closed" | "finished" | "playing" | "waiting", mark: Mark,
  turn: Mark | null, yours: boolean, opponent: HumanSeat | EngineSeat | null, deadline_ms: number | null, used_ms:
  number, ply: number, outcome: Outcome | null, marks: Record<string, Mark>, boards?: (Mark | "draw" | null)[]};
export type MyRooms = {rooms: MyRoom[], now_ms: number};
export type OfferCommand = {type: "offer", id: string, what: OfferKind, game?: number | null};
export type OfferedEvent = {type: "offered", what: OfferKind, by: Mark};
export type OkMessage = {type: "ok", id: string, version: number};
export type OpenOffer = {what: OfferKind, by: Mark};
export type OpenRoom = {id: string, variant: string, clock: MoveClock | FischerClock | DaysClock | null, owner: Person,
  mark: Mark, created_ms: number};
export type Outcome = {winner: Mark | null, reason: Reason, cells: string[]};
export type OwnMatch = {n: number, room: string, mark: Mark, opponent: Entrant, move_by_ms: number};
export type PauseCommand = {type: "pause", id: string};
export type Person = {player: string, name: string, bot?: boolean};
export type PingCommand = {type: "ping", id: string};
export type PlayerAnswer = {player: Player, token?: string | null};
export type Player = {id: string, name: string, bot?: boolean};
export type Players = {X: HumanSeat | EngineSeat, O: HumanSeat | EngineSeat};
export type PongMessage = {type: "pong", id: string, now_ms: number};
export type Position = {ply: number, turn: Mark | null, verdict: Verdict | null, best: string[], complete?: boolean};
export type Presence = {X: SeatPresence | null, O: SeatPresence | null};
export type PuzzleAnswer = {puzzle: Puzzle | null, count: number};
export type PuzzleJudgement = {right: boolean, reply: string | null, done: boolean, line: string[] | null, verdict:
  Verdict | null, position: PuzzlePosition};
export type PuzzlePosition = {moves: string[], marks: Record<string, Mark>, turn: Mark | null, legal: string[], outcome:
  Outcome | null, boards?: (Mark | "draw" | null)[], forced?: number | null, fading?: string | null};
export type Puzzle = {id: string, variant: string, kind: "defend" | "hold" | "win", grade: number, moves: string[],
  marks: Record<string, Mark>, turn: Mark, legal: string[], plies: number | null, boards?: (Mark | "draw" | null)[],
  forced?: number | null, fading?: string | null};
export type ReactCommand = {type: "react", id: string, emoji: "\ud83d\udc4d" | "\ud83d\udc4f" | "\ud83d\ude04" |
  "\ud83d\ude2e" | "\ud83e\udd14" | "\u2764\ufe0f"};
export type ReactionMessage = {type: "reaction", from: Speaker, emoji: string};
export type RejectedMessage = {type: "rejected", id: string | null, code: "bad_message" | "conflict" | "forbidden" |
  "game_over" | "illegal_move" | "internal" | "name_taken" | "not_allowed" | "not_found" | "not_playing" | "not_seated"
  | "not_your_turn" | "rate_limited" | "seat_taken" | "stale" | "too_large" | "too_many_rooms" | "too_many_tournaments"
  | "tournament_full" | "tournament_over" | "tournament_started" | "unauthorized" | "unavailable" | "unknown_command" |
  "unknown_puzzle" | "unknown_room" | "unknown_tournament" | "unsupported_media", message: string, retry_ms?: number |
  null};
export type RemoveCommand = {type: "remove", id: string, entrant: number};
export type RenameEntrantCommand = {type: "rename", id: string, entrant: number, name: string};
export type ResignCommand = {type: "resign", id: string, game?: number | null};
export type ResumeCode = {code: string, expires_ms: number};
export type RoomMatch = {id: string, match: number, games: number};
export type RoomMessage = {type: "room", version: number, event: SatEvent | StoodEvent | StartedEvent | MovedEvent |
  SwappedEvent | TimeGivenEvent | EndedEvent | OfferedEvent | WithdrawnEvent | DeclinedEvent | TookBackEvent |
  EngineSeatedEvent | ClaimableEvent | SettingsEvent | ClosedEvent | null, room: View, you: You};
export type Row = {rank: number, entrant: number, name: string, points: number, wins: number, draws: number, losses:
  number, games: number, state: "left" | "out" | "paused" | "playing" | "removed" | "waiting", match: number | null,
  bot?: boolean};
export type SatEvent = {type: "sat", mark: Mark, player: string, name: string};
export type Score = {player: string, wins: number};
export type SeatEngineCommand = {type: "seat_engine", id: string, mark: Mark, level: "novice" | "beginner" | "casual" |
  "regular" | "skilled" | "advanced" | "veteran" | "expert" | "master" | "grandmaster" | "champion" | "perfect" |
  "strongest"};
export type SeatPresence = {present: boolean, away_ms: number | null, claimable_in_ms: number | null};
export type Seats = {X: HumanSeat | EngineSeat | null, O: HumanSeat | EngineSeat | null};
export type Series = {first_to: number, games: number, winner: string | null, over: boolean};
export type SetCommand = {type: "set", id: string, variant?: "classic" | "misere" | "vanishing" | "4x4" | "5x5" |
  "four-in-a-row" | "qubic" | "gomoku" | "ultimate" | null, clock?: MoveClock | FischerClock | DaysClock | null,
  visibility?: Visibility | null, spectator_chat?: SpectatorChat | null, first_to?: number | null, swap?: boolean |
  null};
export type SettingsEvent = {type: "settings"};
export type SitCommand = {type: "sit", id: string, mark: Mark, invite?: string | null};
export type Site = {name: string, welcome: string | null, legal_url: string | null, contact: string | null};
export type Speaker = {player: string, name: string, mark: Mark | null};
export type StandCommand = {type: "stand", id: string};
export type StartCommand = {type: "start", id: string};
export type StartedEvent = {type: "started", game: number};
export type StoodEvent = {type: "stood", mark: Mark};
export type StopCommand = {type: "stop", id: string};
export type StrengthAnswer = {variant: string, strength: Strength[]};
export type Strength = {level: string, against: string, win: number, draw: number, loss: number, games: number};
export type SwapCommand = {type: "swap", id: string, ply: number, game?: number | null};
export type SwappedEvent = {type: "swapped", by: Mark};
export type TimeGivenEvent = {type: "time_given", by: Mark, ms: number};
export type TookBackEvent = {type: "took_back", by: Mark, ply: number};
export type TournamentMessage = {type: "tournament", tournament: Tournament, top: Row[], you: TournamentYou, around:
  Row[], pin?: string};
export type Tournament = {id: string, version: number, name: string, mode: "arena" | "knockout" | "round_robin",
  variant: string, clock: MoveClock | FischerClock | DaysClock, games: number, entry: "names" | "open", names_free:
  number | null, bots: "no" | "only" | "yes", chat: boolean, visibility: Visibility, state: "open" | "over" | "running",
  host: Person, entrants: number, waiting: number, playing: number, round: number, rounds: number | null, created_ms:
  number, started_ms: number | null, bell_ms: number | null, over_ms: number | null};
export type TournamentYou = {entrant: number | null, host: boolean, can: string[], row: Row | null, match: OwnMatch |
  null, marked?: number[]};
export type UnpauseCommand = {type: "resume", id: string};
export type Variant = {key: string, name: string, rules: string, shape: number[], line: number, gravity: boolean,
  misere: boolean, marks_kept: number | null, nested: boolean, value: Verdict, levels: string[]};
export type VariantsAnswer = {variants: Variant[], features: Features};
export type Verdict = {value: "draw" | "loss" | "unknown" | "win", plies: number | null, proof: "book" | "exact" |
  "none"};
export type View = {id: string, version: number, variant: string, visibility: Visibility, join: "invite" | "open" |
  null, owner: string, phase: "closed" | "finished" | "playing" | "waiting", seats: Seats, game: Game | null, clock:
  Clock | null, offers: OpenOffer[], score: Score[], draws: number, spectator_chat: SpectatorChat, created_ms: number,
  expires_ms: number, series: Series | null, swap: boolean, tournament?: RoomMatch};
export type VisibleCommand = {type: "visible", id: string, visible: boolean};
export type Visited = {minimax: number, alpha_beta: number, positions: number};
export type WatchCommand = {type: "watch", id: string, boards: number};
export type WelcomeMessage = {type: "welcome", protocol: number, player: Player | null, now_ms: number, reactions:
  string[], page?: string};
export type WithdrawnEvent = {type: "withdrawn", what: OfferKind, by: Mark};
export type You = {mark: Mark | null, owner: boolean, can: string[], invite?: string | null};
export type Seat = HumanSeat | EngineSeat;
export type ClockSetting = MoveClock | FischerClock | DaysClock;
export type RoomEvent = SatEvent | StoodEvent | StartedEvent | MovedEvent | SwappedEvent | TimeGivenEvent | EndedEvent |
  OfferedEvent | WithdrawnEvent | DeclinedEvent | TookBackEvent | EngineSeatedEvent | ClaimableEvent | SettingsEvent |
  ClosedEvent;
export type ServerMessage = WelcomeMessage | RoomMessage | OkMessage | RejectedMessage | PongMessage | CrowdMessage |
  ChatMessage | ReactionMessage | LobbyMessage | TournamentMessage | BoardsMessage;
export type AnyCommand = LeaveCommand | PauseCommand | UnpauseCommand | StartCommand | StopCommand | ExtendCommand |
  RemoveCommand | FreeEntrantCommand | RenameEntrantCommand | AnnulCommand | WatchCommand | SitCommand | StandCommand |
  MoveCommand | ResignCommand | SwapCommand | GiveTimeCommand | OfferCommand | AnswerCommand | ClaimCommand |
  SeatEngineCommand | ChatCommand | ReactCommand | SetCommand | FreeCommand | MuteCommand | CloseCommand |
  VisibleCommand | PingCommand;

type WithoutId<C> = C extends { id: string } ? Omit<C, "id"> & { id?: string } : never;
/** A command before it gets its id. */
export type Command = WithoutId<AnyCommand>;
/** A message that answers no command and no ping. */
export type PushedMessage = Exclude<ServerMessage, OkMessage | RejectedMessage | PongMessage>;
/** The answer to a command. */
export type Answer =
  | { ok: true; version: number }
  | { ok: false; code: string; message: string; retry_ms?: number | null };
