"""The room's one state machine: :func:`step` takes a frozen room and a command, and returns a new room and events.

It raises a :class:`~noughts.errors.Rejection` for a command that is not allowed, with the first code that applies in the
order of :data:`noughts.errors.CODES`. The checks of each handler stand in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.clock import full_ms
from noughts.room.commands import (
    Answer,
    AnyCommand,
    BeginGame,
    Chat,
    Claim,
    Close,
    Discard,
    EndGame,
    EngineDrawAnswer,
    EngineMoved,
    EngineSwapped,
    Free,
    GiveTime,
    Move,
    Mute,
    Noticed,
    Offer,
    React,
    Request,
    Resign,
    RoomCommand,
    SeatEngine,
    Set,
    Sit,
    Stand,
    Swap,
    Wake,
)
from noughts.room.events import Closed, Reacted, Said, Settings
from noughts.room.game_flow import end_game, make_move, start_game
from noughts.room.offers import answer_draw_as_engine, answer_offer, check_not_declined, make_offer
from noughts.room.policy import Policy
from noughts.room.room import Notice, Room, RoomGame, check_not_of_match, closed_room, mark_of
from noughts.room.seat import EngineSeat, HumanSeat, Person, Seat
from noughts.room.seats import free, seat_engine, sit, stand
from noughts.room.swap import SWAP_PLY, swap_sides
from noughts.room.time_gifts import check_gifts_left, give_time
from noughts.room.timers import advance, may_claim, notice_of_turn
from noughts.room.transition import Moment, Transition
from noughts.room.turn_start import without_downtime
from noughts.rules.by_mark import ByMark
from noughts.rules.outcome import Mark, Outcome, other
from noughts.rules.variant import variant_named

MAX_MUTED: Final = 200
"""The most players that a room can mute one by one."""


def step(room: Room, command: AnyCommand, at: Moment) -> Transition:
    """Return the room after one command. Raise :class:`Rejection` for a command that is not allowed.

    First the room is compensated for downtime and everything that is due by now is carried out. Both belong to the same
    change. The new version is one higher. It stays the same when nothing in the room changes, as after a chat line, a
    reaction, or a wake-up with nothing due.
    """
    ready = advance(without_downtime(room, at) if at.downtimes else room, at)
    if isinstance(command, Request):
        if ready.room.closed:
            raise Rejection("forbidden", "This room is closed.")
        by, kind = command.by, type(command.command)
        if kind in _SEAT_COMMANDS:
            mark = mark_of(ready.room, by.player)
            if mark is None:
                raise Rejection("not_seated", "You are watching: take a seat to do that.")
            after = _SEAT_COMMANDS[kind](ready.room, mark, command.command, at)
        else:
            after = _COMMANDS[kind](ready.room, by, command.command, at)
    else:
        after = _APPLICATION_COMMANDS[type(command)](ready.room, command, at)
    if after.room is room:
        return after
    changed = replace(after.room, version=room.version + 1, used_ms=at.now_ms)
    if ready.events:
        after = after.following(ready)
    return Transition(changed, after.events, after.finished)


# --- checks -----------------------------------------------------------------------------------------------------------


def _current(room: Room, number: int | None) -> RoomGame:
    """Return the game that is on. Raise ``not_playing``, ``game_over``, or ``stale`` for a command about another game."""
    game = room.game
    if game is None:
        raise Rejection("not_playing", "The game has not begun: it starts when both seats are taken.")
    if game.outcome is not None:
        raise Rejection("game_over", "The game is over: offer a rematch to play again.")
    if number is not None and number != game.number:
        raise Rejection("stale", "That was about another game of this room.")
    return game


def _check_game(room: Room, what: str, number: int | None) -> None:
    if what != "rematch":
        _current(room, number)
    elif number is not None and (room.game is None or number != room.game.number):
        raise Rejection("stale", "That was about another game of this room.")


def _check_owner(room: Room, by: Person) -> None:
    if room.owner.player != by.player:
        raise Rejection("forbidden", "Only the owner of the room may do that.")


def _check_has_chat(room: Room) -> None:
    if not room.has_chat:
        raise Rejection("forbidden", "The host of the tournament has not switched chat on.")


def _check_may_speak(room: Room, by: Person, policy: Policy) -> None:
    if not policy.chat:
        raise Rejection("forbidden", "Chat is switched off on this server.")
    if by.player in room.muted:
        raise Rejection("forbidden", "The owner of the room has muted you.")
    if mark_of(room, by.player) is None and by.player != room.owner.player:
        if "spectators" in room.muted or room.spectator_chat == "off":
            raise Rejection("forbidden", "Spectators may not chat in this room.")
        if room.spectator_chat == "between_games" and room.playing:
            raise Rejection("forbidden", "Spectators may chat between games only.")


# --- commands of players ----------------------------------------------------------------------------------------------


def _move(room: Room, mark: Mark, command: Move, at: Moment) -> Transition:
    game = _current(room, command.game)
    history = game.history
    if command.ply != history.ply:
        raise Rejection("stale", "The position has changed: look at it again, then move.")
    if type(room.seats.X if mark == "X" else room.seats.O) is not HumanSeat:
        raise Rejection("not_your_turn", "The engine holds your seat: take it back first.")
    if history.turn != mark:
        raise Rejection("not_your_turn", "It is your opponent's turn.")
    return make_move(room, game, history.variant.index_of[command.cell], at)


def _resign(room: Room, mark: Mark, command: Resign, at: Moment) -> Transition:
    _current(room, command.game)
    return end_game(room, Outcome(other(mark), "resignation"), at.now_ms)


def _swap(room: Room, mark: Mark, command: Swap, at: Moment) -> Transition:
    game = _current(room, command.game)
    if command.ply != game.history.ply or command.ply != SWAP_PLY:
        raise Rejection("stale", "You can swap only after the first move.")
    if not isinstance(room.seat(mark), HumanSeat):
        raise Rejection("not_your_turn", "The engine holds your seat: take it back first.")
    if mark != "O":
        raise Rejection("not_your_turn", "Only the player of O can swap.")
    return swap_sides(room, game, at)


def _give_time(room: Room, mark: Mark, command: GiveTime, at: Moment) -> Transition:
    check_gifts_left(room, mark)
    return give_time(room, _current(room, command.game), mark)


def _offer(room: Room, mark: Mark, command: Offer, at: Moment) -> Transition:
    check_not_declined(room, mark, command.what, at.now_ms)
    _check_game(room, command.what, command.game)
    if command.what != "draw":
        check_not_of_match(room)
    return make_offer(room, mark, command.what, at)


def _answer(room: Room, mark: Mark, command: Answer, at: Moment) -> Transition:
    _check_game(room, command.what, command.game)
    return answer_offer(room, mark, command.what, command.accept, at)


def _claim(room: Room, mark: Mark, command: Claim, at: Moment) -> Transition:
    _current(room, command.game)
    if not may_claim(room, other(mark), at.presence, at.policy):
        raise Rejection("forbidden", "Your opponent has not been away for long enough.")
    return end_game(room, Outcome(mark if command.what == "win" else None, "abandoned"), at.now_ms)


def _stand(room: Room, mark: Mark, command: Stand, at: Moment) -> Transition:
    check_not_of_match(room)
    return stand(room, mark)


def _chat(room: Room, by: Person, command: Chat, at: Moment) -> Transition:
    _check_has_chat(room)
    _check_may_speak(room, by, at.policy)
    ply = room.game.history.ply if room.game is not None else 0
    return Transition(room, (Said(by.player, by.name, mark_of(room, by.player), command.text, ply),))


def _react(room: Room, by: Person, command: React, at: Moment) -> Transition:
    _check_may_speak(room, by, at.policy)
    return Transition(room, (Reacted(by.player, by.name, mark_of(room, by.player), command.emoji),))


def _set(room: Room, by: Person, command: Set, at: Moment) -> Transition:
    variant = variant_named(command.variant) if command.variant is not None else None
    _check_owner(room, by)
    check_not_of_match(room)
    if room.playing:
        raise Rejection("forbidden", "Wait until the game is over.")
    after = replace(room)
    if variant is not None:
        before = at.policy.levels.get(room.variant, ())
        levels = at.policy.levels.get(variant.key, ())
        seats = ByMark(_at_known_level(room.seats.X, before, levels), _at_known_level(room.seats.O, before, levels))
        after = replace(after, variant=variant.key, seats=seats)
    if command.clock is not UNSET:
        after = replace(after, clock=command.clock)
        if after.game is not None and after.clock is not None and after.clock != room.clock:
            # Between games the clock shows the time that each side will start with.
            each_ms = full_ms(after.clock)
            after = replace(after, game=replace(after.game, left_ms=ByMark(each_ms, each_ms)))
    if command.first_to is not UNSET or command.swap is not None:
        after = _with_terms(after, command)
    if (after.variant, after.clock, after.first_to, after.swap) != (room.variant, room.clock, room.first_to, room.swap):
        # An open offer of a rematch was for the old settings.
        after = replace(after, offers=(), declined=())
    if command.visibility is not None:
        after = replace(after, visibility=command.visibility)
    if command.spectator_chat is not None:
        after = replace(after, spectator_chat=command.spectator_chat)
    return Transition(after, (Settings(),))


def _with_terms(room: Room, command: Set) -> Room:
    """Return the room with another length of a series, which begins with the next game, or with or without swap."""
    if room.engines_only:
        raise Rejection("forbidden", "Two engines play neither a series nor with the swap rule.")
    if command.first_to is not UNSET:
        room = replace(room, first_to=command.first_to, series=None)
    return room if command.swap is None else replace(room, swap=command.swap)


def _at_known_level(seat: Seat | None, before: tuple[str, ...], levels: tuple[str, ...]) -> Seat | None:
    """Return the seat with an engine at one of ``levels``: its own one, else the one at the same height as ``before``."""
    if not isinstance(seat, EngineSeat) or seat.level in levels:
        return seat
    if seat.level not in before:
        return replace(seat, level=levels[-1])
    height = before.index(seat.level) / max(1, len(before) - 1)
    return replace(seat, level=levels[round(height * (len(levels) - 1))])


def _free(room: Room, by: Person, command: Free, at: Moment) -> Transition:
    _check_owner(room, by)
    check_not_of_match(room)
    return free(room, command.mark, at)


def _mute(room: Room, by: Person, command: Mute, at: Moment) -> Transition:
    _check_owner(room, by)
    _check_has_chat(room)
    if command.muted and command.player == by.player:
        raise Rejection("forbidden", "You cannot mute yourself.")
    others = tuple([player for player in room.muted if player != command.player])
    if command.muted and len(others) >= MAX_MUTED:
        raise Rejection("forbidden", f"You have muted {MAX_MUTED} players: mute all spectators instead.")
    return Transition(replace(room, muted=(*others, command.player) if command.muted else others), (Settings(),))


def _close(room: Room, by: Person, command: Close, at: Moment) -> Transition:
    _check_owner(room, by)
    check_not_of_match(room)
    return Transition(closed_room(room), (Closed(),))


_SEAT_COMMANDS: Final[Mapping[type[RoomCommand], Callable[[Room, Mark, Any, Moment], Transition]]] = MappingProxyType(
    {
        Stand: _stand,
        Move: _move,
        Resign: _resign,
        Swap: _swap,
        GiveTime: _give_time,
        Offer: _offer,
        Answer: _answer,
        Claim: _claim,
    }
)
"""The commands of the player in a seat."""
_COMMANDS: Final[Mapping[type[RoomCommand], Callable[[Room, Person, Any, Moment], Transition]]] = MappingProxyType(
    {
        Sit: sit,
        SeatEngine: seat_engine,
        Chat: _chat,
        React: _react,
        Set: _set,
        Free: _free,
        Mute: _mute,
        Close: _close,
    }
)

# --- commands of the application --------------------------------------------------------------------------------------


def _engine_moved(room: Room, command: EngineMoved, at: Moment) -> Transition:
    game = _searched(room, command)
    if not isinstance(room.seat(game.history.position.turn), EngineSeat):
        raise Rejection("stale", "The engine no longer holds the seat.")
    return make_move(room, game, command.cell, at)


def _engine_swapped(room: Room, command: EngineSwapped, at: Moment) -> Transition:
    game = _searched(room, command)
    if not isinstance(room.seats.O, EngineSeat):
        raise Rejection("stale", "The engine no longer holds the seat.")
    return swap_sides(room, game, at)


def _engine_draw_answer(room: Room, command: EngineDrawAnswer, at: Moment) -> Transition:
    _searched(room, command)
    return answer_draw_as_engine(room, command.accept, at)


def _searched(room: Room, command: EngineMoved | EngineSwapped | EngineDrawAnswer) -> RoomGame:
    """Return the game that is on. Raise ``stale`` unless the engine's answer is about its present position."""
    game = room.game
    if game is None or not room.playing or (game.number, game.history.moves) != (command.game, command.moves):
        raise Rejection("stale", "The room has gone on without the engine.")
    return game


def _wake(room: Room, command: Wake, at: Moment) -> Transition:
    return Transition(room)


def _noticed(room: Room, command: Noticed, at: Moment) -> Transition:
    game, settled = room.game, Notice(command.game, command.ply, command.takebacks)
    if game is None or not room.playing or notice_of_turn(room, game) != settled:
        raise Rejection("stale", "This turn has passed.")
    return Transition(replace(room, notice=replace(settled, remind_at_ms=command.remind_at_ms)))


def _begin_game(room: Room, command: BeginGame, at: Moment) -> Transition:
    if room.playing or room.closed or room.games != command.game - 1:
        raise Rejection("stale", "This game has begun, or the one before it is on.")
    return start_game(room, at.now_ms, swap=True)


def _end_game(room: Room, command: EndGame, at: Moment) -> Transition:
    game = room.game
    if game is None or not room.playing or game.number != command.game:
        raise Rejection("stale", "This game has ended.")
    if command.reason == "bell" and not game.history.ply:
        return end_game(room, Outcome(None, "aborted"), at.now_ms)
    return end_game(room, Outcome(command.winner, command.reason), at.now_ms)


def _discard(room: Room, command: Discard, at: Moment) -> Transition:
    return Transition(room) if room.closed else Transition(closed_room(room), (Closed(),))


_APPLICATION_COMMANDS: Final[Mapping[type[AnyCommand], Callable[[Room, Any, Moment], Transition]]] = MappingProxyType(
    {
        EngineMoved: _engine_moved,
        EngineSwapped: _engine_swapped,
        EngineDrawAnswer: _engine_draw_answer,
        Wake: _wake,
        Noticed: _noticed,
        BeginGame: _begin_game,
        EndGame: _end_game,
        Discard: _discard,
    }
)
