"""Example messages for both machine-readable documents.

Those of the WebSocket are one short story of a room. Each command of the story is carried out by the room's own state
machine, and so are the server's answers: an example cannot differ from what the server sends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias, get_args

import msgspec

from noughts.engine.minimax import explain
from noughts.errors import Code, Rejection
from noughts.protocol.audience import audience_of, audience_state, you
from noughts.protocol.bodies import (
    AnalysisAnswer,
    DailyPuzzle,
    DrawQr,
    Features,
    LiveRooms,
    NewPlayer,
    NewRoom,
    OpenRooms,
    PlayerAnswer,
    PositionView,
    PuzzleAnswer,
    PuzzleJudgement,
    PuzzleTry,
    QuickPlay,
    Rename,
    Resume,
    ResumeCode,
    RoomAnswer,
    StrengthAnswer,
    StrengthView,
    VariantsAnswer,
)
from noughts.protocol.codec import encode
from noughts.protocol.messages import (
    PROTOCOL,
    REACTIONS,
    ChatLine,
    ChatMessage,
    Crowd,
    Hello,
    Lobby,
    Ok,
    PlayerView,
    Pong,
    Reaction,
    Rejected,
    RoomMessage,
    Speaker,
    VerdictView,
    Welcome,
)
from noughts.protocol.puzzle_views import judged_position, minimax_view, puzzle_view
from noughts.protocol.records import record_of_moves
from noughts.protocol.views import live_room, open_room, seats_presence, variant_view, view
from noughts.puzzles.puzzle import Puzzle, Step
from noughts.room.clock import FischerClock
from noughts.room.commands import (
    Answer,
    Chat,
    Claim,
    Close,
    Free,
    Move,
    Mute,
    Offer,
    Ping,
    React,
    Request,
    Resign,
    RoomCommand,
    SeatEngine,
    Set,
    Sit,
    Stand,
)
from noughts.room.creation import new_room
from noughts.room.events import Reacted, Said, ViewEvent
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room
from noughts.room.seat import Person
from noughts.room.step import step
from noughts.room.transition import Moment, Transition
from noughts.rules.game import replay_names
from noughts.rules.variant import VARIANTS

NOW_MS: Final = 1_767_225_600_000
"""The time of every example."""
INVITE: Final = "EXAMPLE-INVITE"
"""A secret that opens nothing."""
TOKEN: Final = "EXAMPLE-TOKEN"
ANN: Final = Person("p_ann", "Ann")
BEN: Final = Person("p_ben", "Ben")
LEVEL: Final = "novice"
_LINK: Final = "http://127.0.0.1:8000/r/example"
_POLICY: Final = Policy(levels=MappingProxyType(dict.fromkeys(VARIANTS, (LEVEL,))))
_BOTH_HERE: Final = Moment(NOW_MS, _POLICY, Presence(connections=2))

Example: TypeAlias = msgspec.Struct


class Turn(NamedTuple):
    """A command of the story, its sender, and the code with which it is rejected; None if it is accepted."""

    by: Person
    command: RoomCommand
    code: Code | None = None


STORY: Final = (
    Turn(BEN, Sit("1", "O", INVITE)),
    Turn(ANN, Move("1", 0, "b2", 1)),
    Turn(BEN, Move("2", 0, "a1", 1), "stale"),
    Turn(BEN, Move("3", 1, "a1", 1)),
    Turn(BEN, Offer("4", "takeback", 1)),
    Turn(ANN, Answer("2", "takeback", True, 1)),
    Turn(ANN, Claim("3", "win", 1), "forbidden"),
    Turn(ANN, Chat("4", "Well played!")),
    Turn(ANN, React("5", REACTIONS[0])),
    Turn(BEN, Resign("5", 1)),
    Turn(ANN, Set("6", "misere", FischerClock(180_000, 2_000))),
    Turn(BEN, Stand("6")),
    Turn(ANN, SeatEngine("7", "O", LEVEL)),
    Turn(ANN, Free("8", "O"), "forbidden"),
    Turn(ANN, Mute("9", "spectators", True)),
    Turn(ANN, Close("10")),
)
"""Ann makes a room for a friend, with X for herself. Ben has entered it. Then these commands follow, in this order."""


class Story(NamedTuple):
    """The story as it went: what the sender of each command receives, and the room before and with the first game."""

    messages: tuple[Example, ...]
    waiting: Room
    playing: Room


@cache
def played_story() -> Story:
    """Return the story, carried out once."""
    waiting = room = new_room(
        room_id="example",
        invite=INVITE,
        owner=ANN,
        variant=VARIANTS["classic"],
        opponent="friend",
        mark="X",
        engines=(),
        clock=None,
        visibility=None,
        now_ms=NOW_MS,
    )
    playing: Room | None = None
    messages: list[Example] = []
    for turn in STORY:
        try:
            after = step(room, Request(turn.by, turn.command), _BOTH_HERE)
        except Rejection as rejection:
            messages.append(Rejected(turn.command.id, rejection.code, rejection.message, rejection.retry_ms))
        else:
            room = after.room
            messages += _pushed(after, turn.by)
            messages.append(Ok(turn.command.id, room.version))
            playing = playing or room
    assert playing is not None
    return Story(tuple(messages), waiting, playing)


def _pushed(after: Transition, by: Person) -> Iterable[Example]:
    """Yield what the server sends to the player after an accepted command, without the answer."""
    room, last = after.room, after.events[-1]
    if isinstance(last, Said):
        speaker = Speaker(last.player, last.name, last.mark)
        yield ChatMessage((ChatLine(1, NOW_MS, speaker, last.text, last.ply),))
    elif isinstance(last, Reacted):
        yield Reaction(Speaker(last.player, last.name, last.mark), last.emoji)
    else:
        event = next((each for each in reversed(after.events) if isinstance(each, get_args(ViewEvent))), None)
        shown = you(audience_state(room, _BOTH_HERE.presence, _POLICY), audience_of(room, by.player))
        yield RoomMessage(room.version, event, view(room, _POLICY), shown)


@cache
def examples() -> Mapping[type, tuple[Example, ...]]:
    """Return at most two examples of each message and of each body of HTTP, by type."""
    story = played_story()
    seated = story.playing
    ann = PlayerView(ANN.player, ANN.name)
    classic = VARIANTS["classic"]
    drawn = VerdictView("draw", None, "exact")
    drawn_soon = replay_names(classic, ("b2", "a1", "a3", "c1", "b1", "b3", "a2", "c2"))
    fork = replay_names(classic, ("a1", "b1", "a2", "b2"))
    win = (Step(classic.index_of["a3"], None, {}),)
    puzzle = puzzle_view(Puzzle("classic-0a1b2c3d", classic, "win", 1, fork.moves, 1, "exact", win))
    all_examples: tuple[Example, ...] = (
        Hello(PROTOCOL, "example", TOKEN),
        Hello(PROTOCOL, lobby=True),
        Welcome(PROTOCOL, ann, NOW_MS, REACTIONS),
        *(turn.command for turn in STORY),
        Ping("11"),
        Pong("11", NOW_MS),
        *story.messages,
        Crowd(seats_presence(seated, _BOTH_HERE.presence, NOW_MS, _POLICY), 1, ("Cleo",)),
        Lobby((open_room(story.waiting),), (live_room(seated, 1),), 2, 2),
        NewPlayer(ANN.name),
        NewPlayer("Robot", True),
        Rename("Anna"),
        Resume("EXAM-PLEC"),
        NewRoom("classic", "friend", "X"),
        NewRoom("gomoku", "engine", "random", LEVEL, clock=FischerClock(180_000, 2_000)),
        QuickPlay("classic"),
        DrawQr(_LINK),
        PlayerAnswer(ann, TOKEN),
        ResumeCode("EXAM-PLEC", NOW_MS + 600_000),
        RoomAnswer(view(story.waiting, _POLICY), f"{_LINK}#i={INVITE}", _LINK, INVITE),
        view(seated, _POLICY),
        OpenRooms((open_room(story.waiting),)),
        LiveRooms((live_room(seated, 1),)),
        record_of_moves(replay_names(classic, ("b2", "a1"))),
        AnalysisAnswer((PositionView(0, "X", drawn, classic.names, True),)),
        VariantsAnswer(
            (variant_view(classic, drawn, (LEVEL,)),), Features(lobby=True, free_names=True, public_url=None)
        ),
        puzzle,
        PuzzleAnswer(puzzle, 291),
        DailyPuzzle(puzzle, "2026-11-24"),
        PuzzleTry(("a3",)),
        PuzzleTry((), True),
        PuzzleJudgement(True, None, True, ("a3",), None, judged_position(replay_names(classic, (*puzzle.moves, "a3")))),
        minimax_view(drawn_soon, explain(drawn_soon)),
        StrengthAnswer(classic.key, (StrengthView(LEVEL, "perfect", 0.0, 0.25, 0.75, 400),)),
    )
    by_type: dict[type, tuple[Example, ...]] = {}
    for example in all_examples:
        by_type[type(example)] = (*by_type.get(type(example), ()), example)[:2]
    return MappingProxyType(by_type)


def json_examples(kind: type) -> list[Any]:
    """Return the examples of a type as JSON values; none for a type without."""
    return [msgspec.json.decode(encode(example)) for example in examples().get(kind, ())]


def codes() -> Mapping[type, tuple[Code | None, ...]]:
    """Return how the server answers the examples of each command: with ``ok`` (None), or with a code of rejection."""
    by_type: dict[type, tuple[Code | None, ...]] = {}
    for turn in STORY:
        by_type[type(turn.command)] = (*by_type.get(type(turn.command), ()), turn.code)[:2]
    return by_type
