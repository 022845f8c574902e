"""The room's one state machine: ``step`` takes a frozen room and returns a new one and events, or raises a
:class:`~noughts.errors.Rejection` and nothing has changed.

Each command is refused with the first code that applies, in the contract's order; the checks below stand in that order.
"""

from __future__ import annotations

from typing import assert_never

from msgspec import UNSET
from msgspec.structs import replace

from noughts.engine.engine import levels
from noughts.errors import Rejection
from noughts.room.clock import full_ms
from noughts.room.commands import (
    Answer,
    AnyCommand,
    Chat,
    Claim,
    Close,
    EngineAnswered,
    EngineMoved,
    Free,
    Move,
    Mute,
    Offer,
    React,
    Renamed,
    Request,
    Resign,
    Resumed,
    SeatEngine,
    Set,
    Sit,
    Stand,
    Wake,
)
from noughts.room.due import settle
from noughts.room.events import Closed, Event, Reacted, Said, Settings
from noughts.room.games import end_game, make_move
from noughts.room.offers import answer, engine_answers, not_too_soon, offer
from noughts.room.room import CurrentGame, House, Room, flag_fallen, mark_of, may_claim
from noughts.room.seat import EngineSeat, HumanSeat, Person, with_name
from noughts.room.seats import free, seat_engine, sit, stand
from noughts.rules.notation import cell_index
from noughts.rules.outcome import MARKS, Mark, Outcome, other
from noughts.rules.variant import variant_named


def step(room: Room, command: AnyCommand, now_ms: int, house: House) -> tuple[Room, tuple[Event, ...]]:
    """Apply one command. The new room's version is one higher, or the same when nothing in it changed (a chat line, a
    reaction, a wake-up with nothing due). Raises :class:`Rejection`."""
    events: list[Event] = []
    if isinstance(command, Request):
        after = _request(room, command, now_ms, house, events)
    elif isinstance(command, Wake):
        after, settled = settle(room, now_ms, house)
        events.extend(settled)
    elif isinstance(command, EngineMoved):
        after = _engine_moved(room, command, now_ms, events)
    elif isinstance(command, EngineAnswered):
        _thought_about(room, command, now_ms)
        after = engine_answers(room, command.accept, now_ms, events)
    elif isinstance(command, Resumed):
        after = _resumed(room, command, now_ms)
    else:
        after = _renamed(room, command)
    if after is room:
        return room, tuple(events)
    return replace(after, version=room.version + 1, used_ms=now_ms), tuple(events)


def _request(room: Room, request: Request, now_ms: int, house: House, events: list[Event]) -> Room:
    command, by = request.command, request.by
    if room.closed:
        raise Rejection("forbidden", "This room is closed.")
    if isinstance(command, Move):
        return _move(room, by, command, now_ms, events)
    if isinstance(command, Chat):
        return _chat(room, by, command, house, events)
    if isinstance(command, React):
        _may_speak(room, by, house)
        events.append(Reacted(by.player, by.name, mark_of(room, by.player), command.emoji))
        return room
    if isinstance(command, Sit):
        return sit(room, by, command, now_ms, events)
    if isinstance(command, Stand):
        return stand(room, _seated(room, by), events)
    if isinstance(command, Resign):
        mark = _seated(room, by)
        _current(room, command.game, now_ms)
        return end_game(room, Outcome(other(mark), "resignation"), now_ms, events)
    if isinstance(command, Offer):
        mark = _seated(room, by)
        not_too_soon(room, mark, command.what, now_ms)
        if command.what == "rematch":
            _not_stale(room, command.game)
        else:
            _current(room, command.game, now_ms)
        return offer(room, mark, command.what, now_ms, events)
    if isinstance(command, Answer):
        mark = _seated(room, by)
        if command.what == "rematch":
            _not_stale(room, command.game)
        else:
            _current(room, command.game, now_ms)
        return answer(room, mark, command.what, command.accept, now_ms, events)
    if isinstance(command, Claim):
        return _claim(room, by, command, now_ms, house, events)
    if isinstance(command, SeatEngine):
        return seat_engine(room, by, command, now_ms, house, events)
    if isinstance(command, Set):
        return _set(room, by, command, house, events)
    if isinstance(command, Free):
        _owner(room, by)
        return free(room, command.mark, events)
    if isinstance(command, Mute):
        return _mute(room, by, command, events)
    if isinstance(command, Close):
        _owner(room, by)
        events.append(Closed())
        return replace(room, closed=True, offers=(), claimable=())
    assert_never(command)


def _seated(room: Room, by: Person) -> Mark:
    mark = mark_of(room, by.player)
    if mark is None:
        raise Rejection("not_seated", "You are watching: take a seat to do that.")
    return mark


def _current(room: Room, number: int | None, now_ms: int) -> CurrentGame:
    """The game that is on, if the command means that one."""
    game = room.game
    if game is None:
        raise Rejection("not_playing", "The game has not begun: it starts when both seats are taken.")
    if game.outcome is not None:
        raise Rejection("game_over", "The game is over: offer a rematch to play again.")
    if flag_fallen(room, now_ms):
        # Nobody gains or loses by a wake-up that is late.
        raise Rejection("game_over", "The time is over.")
    if number is not None and number != game.number:
        raise Rejection("stale", "That was about another game of this room.")
    return game


def _not_stale(room: Room, number: int | None) -> None:
    if number is not None and (room.game is None or number != room.game.number):
        raise Rejection("stale", "That was about another game of this room.")


def _owner(room: Room, by: Person) -> None:
    if room.owner.player != by.player:
        raise Rejection("forbidden", "Only the owner of the room may do that.")


def _between_games(room: Room) -> None:
    if room.playing:
        raise Rejection("forbidden", "Wait until the game is over.")


def _move(room: Room, by: Person, command: Move, now_ms: int, events: list[Event]) -> Room:
    mark = _seated(room, by)
    game = _current(room, command.game, now_ms)
    if command.ply != game.play.ply:
        raise Rejection("stale", "The position has changed: look again and move.")
    if not isinstance(room.seat(mark), HumanSeat):
        raise Rejection("not_your_turn", "The engine holds your seat: sit down first.")
    if game.turn != mark:
        raise Rejection("not_your_turn", "It is your opponent's turn.")
    return make_move(room, game, cell_index(game.play.variant, command.cell), now_ms, events)


def _engine_moved(room: Room, command: EngineMoved, now_ms: int, events: list[Event]) -> Room:
    game = _thought_about(room, command, now_ms)
    if not isinstance(room.seat(game.play.position.turn), EngineSeat):
        raise Rejection("stale", "The engine no longer holds the seat.")
    return make_move(room, game, command.cell, now_ms, events)


def _thought_about(room: Room, command: EngineMoved | EngineAnswered, now_ms: int) -> CurrentGame:
    """The game that is on, if the engine's answer is about its present position."""
    game = room.game
    if (
        game is None
        or not room.playing
        or (game.number, game.play.ply) != (command.game, command.ply)
        or (command.moves is not None and command.moves != game.play.moves)
        or flag_fallen(room, now_ms)
    ):
        raise Rejection("stale", "The room has gone on without the engine.")
    return game


def _claim(room: Room, by: Person, command: Claim, now_ms: int, house: House, events: list[Event]) -> Room:
    mark = _seated(room, by)
    _current(room, command.game, now_ms)
    if not may_claim(room, other(mark), house):
        raise Rejection("forbidden", "Your opponent has not been away for long enough.")
    return end_game(room, Outcome(mark if command.what == "win" else None, "abandoned"), now_ms, events)


def _may_speak(room: Room, by: Person, house: House) -> None:
    if not house.chat:
        raise Rejection("forbidden", "Chat is switched off on this server.")
    if by.player in room.muted:
        raise Rejection("forbidden", "The owner of the room has muted you.")
    if mark_of(room, by.player) is None and by.player != room.owner.player:
        if "spectators" in room.muted or room.spectator_chat == "off":
            raise Rejection("forbidden", "Spectators may not chat in this room.")
        if room.spectator_chat == "between_games" and room.playing:
            raise Rejection("forbidden", "Spectators may chat between games only.")


def _chat(room: Room, by: Person, command: Chat, house: House, events: list[Event]) -> Room:
    _may_speak(room, by, house)
    ply = room.game.play.ply if room.game is not None else 0
    events.append(Said(by.player, by.name, mark_of(room, by.player), command.text, ply))
    return room


def _set(room: Room, by: Person, command: Set, house: House, events: list[Event]) -> Room:
    variant = variant_named(command.variant) if command.variant is not None else None
    _owner(room, by)
    _between_games(room)
    after = room
    if variant is not None:
        known = levels(variant)
        seats = [
            replace(seat, level=known[-1]) if isinstance(seat, EngineSeat) and seat.level not in known else seat
            for seat in (room.x, room.o)
        ]
        after = replace(after, variant=variant.key, x=seats[0], o=seats[1])
    if command.clock is not UNSET:
        after = replace(after, clock=command.clock)
        if after.game is not None and after.clock is not None and after.clock != room.clock:
            # Between games the clock shows what each side will have.
            each_ms = full_ms(after.clock)
            after = replace(after, game=replace(after.game, x_ms=each_ms, o_ms=each_ms))
    if (after.variant, after.clock) != (room.variant, room.clock):
        # Who offered a rematch offered the game as it was.
        after = replace(after, offers=(), refused=())
    if command.visibility is not None:
        after = replace(after, visibility=command.visibility)
    if command.spectator_chat is not None:
        after = replace(after, spectator_chat=command.spectator_chat)
    events.append(Settings())
    return after if after is not room else replace(room)


def _mute(room: Room, by: Person, command: Mute, events: list[Event]) -> Room:
    _owner(room, by)
    if command.muted and command.player == by.player:
        raise Rejection("forbidden", "You cannot mute yourself.")
    rest = tuple(player for player in room.muted if player != command.player)
    if command.muted and len(rest) >= 200:
        raise Rejection("forbidden", "So many are muted already: mute all spectators instead.")
    events.append(Settings())
    return replace(room, muted=(*rest, command.player) if command.muted else rest)


def _resumed(room: Room, command: Resumed, now_ms: int) -> Room:
    """Give back the time that nobody could use: the side to move goes on thinking as of now."""
    game = room.game
    if game is None or not room.playing or room.clock is None:
        return room
    lost_ms = now_ms - max(command.down_from_ms, game.turn_since_ms)
    if lost_ms <= 0:
        return room
    return replace(room, game=replace(game, turn_since_ms=game.turn_since_ms + lost_ms))


def _renamed(room: Room, command: Renamed) -> Room:
    """A new name wherever the old one stood, also in the game's record of who began it: a forgotten name is gone."""
    person = command.person
    after = room
    for mark in MARKS:
        seat = after.seat(mark)
        named = with_name(seat, person) if seat is not None else None
        if named != seat:
            after = replace(after, x=named) if mark == "X" else replace(after, o=named)
    game = room.game
    if game is not None:
        x, o = with_name(game.x, person), with_name(game.o, person)
        if (x, o) != (game.x, game.o):
            after = replace(after, game=replace(game, x=x, o=o))
    if room.owner.player == person.player and room.owner != person:
        after = replace(after, owner=person)
    return after
