"""The table of every HTTP endpoint in the contract. The router and the OpenAPI document are made from it."""

from __future__ import annotations

from typing import Final

from noughts.protocol.bodies import (
    AnalysisAnswer,
    DrawQr,
    LiveRooms,
    MinimaxAnswer,
    MyRooms,
    NewPlayer,
    NewRoom,
    Nothing,
    OpenRooms,
    PlayerAnswer,
    PushKey,
    QuickPlay,
    Rename,
    Resume,
    ResumeCode,
    RoomAnswer,
    Seen,
    StrengthAnswer,
    Subscribe,
    TokensAnswer,
    Unsubscribe,
    VariantsAnswer,
)
from noughts.protocol.endpoint import HTML, NO_PAGE, PAGE, TEXT, TEXT_SCHEMA, Answer, Endpoint, Parameter
from noughts.protocol.export import Export
from noughts.protocol.messages import GameRecord, View
from noughts.protocol.puzzle_bodies import DailyPuzzle, PuzzleAnswer, PuzzleJudgement, PuzzleTry, PuzzleView
from noughts.protocol.schemas import Schema
from noughts.protocol.tournament_endpoints import TOURNAMENT_ENDPOINTS
from noughts.puzzles.puzzle import KINDS
from noughts.rules.variant import VARIANTS

_STATUS: Final[Schema] = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}
_DOCUMENT: Final[Schema] = {"type": "object"}
_VARIANT: Final[Schema] = {"enum": list(VARIANTS)}
_MOVES: Final = Parameter("moves", "The cells of the moves so far, separated by commas.", {"type": "string"})
_NO_ROOM_PAGE: Final = Answer(TEXT_SCHEMA, 404, "The page, which says that the room does not exist.", HTML)
IN_PATH: Final = {
    "id": Parameter("id", "The id of a room, a tournament or a puzzle.", {"type": "string", "minLength": 1}, True),
    "page": Parameter("page", "A page's name.", {"type": "string", "minLength": 1}, True),
    "number": Parameter("number", "A game's number in its room, from 1.", {"type": "integer", "minimum": 1}, True),
    "variant": Parameter("variant", "A variant's key.", {"type": "string", "minLength": 1}, True),
    "moves": Parameter(
        "moves", "The cells of the moves, with commas between them.", {"type": "string", "minLength": 1}, True
    ),
}
"""The parameters in paths."""

ENDPOINTS: Final = (
    Endpoint(
        "POST /api/players",
        "newPlayer",
        "Make a guest account with a secret token.",
        (Answer(PlayerAnswer, 201),),
        body=NewPlayer,
    ),
    Endpoint("GET /api/players/me", "me", "Return the player of this token.", PlayerAnswer, token="needed"),
    Endpoint("PATCH /api/players/me", "rename", "Change your name.", PlayerAnswer, body=Rename, token="needed"),
    Endpoint(
        "DELETE /api/players/me",
        "forgetMe",
        "Delete your guest account: your name is removed, your tokens become void, and your seats say `someone`.",
        (Answer(PlayerAnswer, meaning="The player under the name that is shown from now on."),),
        token="needed",
    ),
    Endpoint(
        "GET /api/players/me/export",
        "export",
        "Return all that the server stores about you, at most once in ten seconds. The rooms are those in which you hold a"
        " seat or that you own.",
        Export,
        token="needed",
    ),
    Endpoint(
        "GET /api/players/me/rooms",
        "myRooms",
        "List the rooms in which you hold a seat, at most 200: your turn first, then by deadline.",
        MyRooms,
        query=(Parameter("turn", "`mine` leaves out the rooms in which it is not your turn.", {"enum": ["mine"]}),),
        token="needed",
    ),
    Endpoint("GET /api/push", "pushKey", "Return the server's key for subscriptions to notices.", PushKey),
    Endpoint(
        "POST /api/players/me/push",
        "subscribe",
        "Send a notice to this device when it is your turn in a game of days. Of your subscriptions, the newest five stay.",
        (Answer(Nothing, 201),),
        body=Subscribe,
        token="needed",
    ),
    Endpoint(
        "DELETE /api/players/me/push",
        "unsubscribe",
        "Send no more notices to a device.",
        Nothing,
        body=Unsubscribe,
        token="needed",
    ),
    Endpoint(
        "GET /api/players/me/tokens",
        "tokens",
        "List your tokens. Each device has one of its own.",
        TokensAnswer,
        token="needed",
    ),
    Endpoint(
        "DELETE /api/players/me/tokens/{id}",
        "deleteToken",
        "Delete one of your tokens: it is refused from now on, and its connections are closed.",
        TokensAnswer,
        rejected=(404,),
        token="needed",
    ),
    Endpoint(
        "POST /api/players/me/resume-code",
        "newResumeCode",
        "Make a code to type on another device. An earlier code becomes void.",
        (Answer(ResumeCode, 201),),
        token="needed",
    ),
    Endpoint(
        "POST /api/players/resume",
        "resume",
        "Use up a resume code. You get a second token of the same player; the first stays valid.",
        PlayerAnswer,
        body=Resume,
        rejected=(401,),
    ),
    Endpoint("GET /api/variants", "variants", "List every variant.", VariantsAnswer),
    Endpoint(
        "GET /api/seen",
        "seen",
        "Return how this request reached the server. `noughts doctor` reads it through the proxy.",
        Seen,
    ),
    Endpoint(
        "GET /api/strength",
        "strength",
        "Return the measured strength of the engine's levels in a variant.",
        StrengthAnswer,
        query=(Parameter("variant", "The variant.", _VARIANT, True),),
    ),
    Endpoint(
        "POST /api/rooms",
        "newRoom",
        "Make a room and take a seat in it. With the opponent `engines` you watch.",
        (Answer(RoomAnswer, 201),),
        body=NewRoom,
        token="needed",
    ),
    Endpoint(
        "GET /api/rooms",
        "rooms",
        "List public rooms, newest first.",
        (Answer((OpenRooms, LiveRooms), meaning="The rooms."),),
        query=(
            Parameter(
                "state",
                "`open` for rooms that wait for an opponent, `live` for games that are on.",
                {"enum": ["open", "live"], "default": "open"},
            ),
            Parameter("variant", "List the rooms of one variant only.", _VARIANT),
        ),
    ),
    Endpoint("GET /api/rooms/{id}", "room", "Return a room as everybody may see it.", View, rejected=(404,)),
    Endpoint(
        "GET /api/rooms/{id}/games/{number}",
        "game",
        "Return a game of a room, move by move.",
        GameRecord,
        rejected=(404,),
    ),
    Endpoint(
        "POST /api/quickplay",
        "quickPlay",
        "Play a stranger who wants the same game. You get a seat opposite a player who waits, a new room to wait in,"
        " or the room in which you wait already.",
        (
            Answer(RoomAnswer, meaning="An existing room: the game can begin, or you already wait in it."),
            Answer(RoomAnswer, 201, "A new room, in which you wait."),
        ),
        body=QuickPlay,
        token="needed",
    ),
    Endpoint(
        "GET /api/analysis",
        "analysis",
        "Return the verdict of every position of a game, within ten seconds.",
        AnalysisAnswer,
        query=(Parameter("variant", "The variant.", _VARIANT, True), _MOVES),
        token="welcome",
    ),
    Endpoint(
        "GET /api/record",
        "record",
        "Return the record of moves that belong to no room.",
        (Answer(GameRecord, meaning="The record, with `outcome` null while the game would go on."),),
        query=(Parameter("variant", "The variant.", _VARIANT, True), _MOVES),
    ),
    Endpoint(
        "GET /api/minimax",
        "minimax",
        "Return what minimax and alpha-beta do at a position of 3x3: scores, and how many positions they visit.",
        MinimaxAnswer,
        query=(
            Parameter("variant", "Only `classic` has these programs.", {"enum": ["classic"], "default": "classic"}),
            _MOVES,
            Parameter(
                "alpha", "The lower end of the window in which alpha-beta enters.", {"type": "integer", "default": -99}
            ),
            Parameter("beta", "The upper end of the window of alpha-beta.", {"type": "integer", "default": 99}),
            Parameter(
                "from",
                "The ply from which scores count, by default that of the position. A page that goes down keeps it.",
                {"type": "integer", "minimum": 0},
            ),
            Parameter(
                "depth",
                "How many plies of moves the answer has. More than 1 only where at most four cells are free.",
                {"type": "integer", "minimum": 1, "default": 1},
            ),
        ),
        token="welcome",
    ),
    Endpoint(
        "GET /api/puzzles",
        "puzzles",
        "Return the next puzzle that fits, the first again after the last.",
        PuzzleAnswer,
        query=(
            Parameter("variant", "Puzzles of one variant only.", _VARIANT),
            Parameter(
                "grade", "Puzzles of one grade only, 1 the easiest.", {"type": "integer", "minimum": 1, "maximum": 5}
            ),
            Parameter("kind", "Puzzles of one kind only.", {"enum": list(KINDS)}),
            Parameter("after", "The id of the puzzle before the next one.", {"type": "string"}),
        ),
        rejected=(404,),
    ),
    Endpoint(
        "GET /api/puzzles/daily",
        "dailyPuzzle",
        "Return the puzzle of the day, by the UTC date.",
        DailyPuzzle,
        query=(Parameter("variant", "The day's puzzle of one variant.", _VARIANT),),
        rejected=(404,),
    ),
    Endpoint("GET /api/puzzles/{id}", "puzzle", "Return a puzzle without its answer.", PuzzleView, rejected=(404,)),
    Endpoint(
        "POST /api/puzzles/{id}/tries",
        "tryPuzzle",
        "Try a move in a puzzle, or give up.",
        PuzzleJudgement,
        body=PuzzleTry,
        rejected=(404,),
    ),
    *TOURNAMENT_ENDPOINTS,
    Endpoint(
        "POST /api/qr",
        "drawQr",
        "Draw a link as a QR code.",
        (Answer(TEXT_SCHEMA, meaning="The picture.", media="image/svg+xml"),),
        body=DrawQr,
        token="needed",
    ),
    Endpoint("GET /api/openapi.json", "openapi", "Return this document.", (Answer(_DOCUMENT, meaning="OpenAPI 3.1."),)),
    Endpoint(
        "GET /api/asyncapi.json",
        "asyncapi",
        "Return the description of the WebSocket.",
        (Answer(_DOCUMENT, meaning="AsyncAPI 3.0."),),
    ),
    Endpoint(
        "GET /ws",
        "connect",
        "Open the WebSocket: see `/api/asyncapi.json`.",
        (
            Answer(None, 101, "The connection is now a WebSocket: send a hello."),
            Answer({"type": "string"}, 426, "The request did not ask for an upgrade, or a proxy dropped it.", TEXT),
        ),
        rejected=(429,),
    ),
    Endpoint(
        "GET /healthz",
        "healthz",
        "Report that the process is alive. Loopback and trusted addresses see details.",
        (Answer(_STATUS, meaning="The process is alive."),),
    ),
    Endpoint(
        "GET /readyz",
        "readyz",
        "Report whether a move could be stored now.",
        (Answer(_STATUS, meaning="It could be stored."), Answer(_STATUS, 503, "It could not be stored.")),
    ),
    Endpoint(
        "GET /metrics",
        "metrics",
        "Return metrics for Prometheus, to loopback and trusted addresses.",
        (Answer(TEXT_SCHEMA, meaning="Prometheus's text format.", media=TEXT),),
    ),
    Endpoint("GET /r/{id}", "roomPage", "Return the page of a room. It takes no seat.", (PAGE, _NO_ROOM_PAGE)),
    Endpoint("GET /docs", "documentation", "Return the first page of the documentation.", (PAGE,)),
    Endpoint(
        "GET /docs/{page}",
        "documentationPage",
        "Return a page of the documentation, such as `how-to/host`.",
        (PAGE, NO_PAGE),
    ),
    Endpoint("GET /puzzle", "puzzlesPage", "Return the page of the puzzles: it shows the next one.", (PAGE,)),
    Endpoint("GET /puzzle/{id}", "puzzlePage", "Return the page of a puzzle.", (PAGE, NO_PAGE)),
    Endpoint("GET /learn", "learnPage", "Return the page about minimax, whose chapter is in the fragment.", (PAGE,)),
    Endpoint("GET /replay", "replayPage", "Return the page of a replay, whose moves are in the fragment.", (PAGE,)),
    Endpoint(
        "GET /replay/{variant}/{moves}",
        "replayOfMovesPage",
        "Return the page of the replay of these moves, such as `b2,a1`. `?over=resignation,O` adds another end.",
        (PAGE, NO_PAGE),
    ),
    Endpoint(
        "GET /embed/r/{id}",
        "embeddedRoomPage",
        "Return a read-only page of a room, for frames of the sites that the operator allows.",
        (PAGE, _NO_ROOM_PAGE),
    ),
    Endpoint(
        "GET /embed/replay",
        "embeddedReplayPage",
        "Return a read-only page of a replay, for frames of the sites that the operator allows.",
        (PAGE,),
    ),
    Endpoint(
        "GET /embed/puzzle/{id}",
        "embeddedPuzzlePage",
        "Return the page of a puzzle for frames of the sites that the operator allows.",
        (PAGE, Answer(TEXT_SCHEMA, 404, "The page, which says that the puzzle does not exist.", HTML)),
    ),
    Endpoint(
        "GET /embed/replay/{variant}/{moves}",
        "embeddedReplayOfMovesPage",
        "Return a read-only page of the replay of these moves, for frames of the sites that the operator allows.",
        (PAGE, NO_PAGE),
    ),
)
"""All endpoints of the contract."""
