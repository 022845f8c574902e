"""The view of a room, the same for every audience, the parts of it that other messages share, and the view of a variant."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from msgspec import UNSET, UnsetType

from noughts.protocol.bodies import MyRoom, VariantView
from noughts.protocol.messages import (
    ClockView,
    EngineSeatView,
    GameView,
    HumanSeatView,
    LiveRoom,
    OpenRoom,
    OutcomeView,
    RoomMatchView,
    SeatPresence,
    SeatView,
    SeriesView,
    VerdictView,
    View,
)
from noughts.room.clock import FIRST_MOVE_MS, ClockSetting, full_ms, mode_of
from noughts.room.policy import Policy
from noughts.room.presence import NO_PRESENCE, Presence
from noughts.room.room import Phase, Room, RoomGame, Series, clock_running, mark_of
from noughts.room.seat import SOMEONE, HumanSeat, Names, Person, Player, Seat
from noughts.room.timers import claimable_at_ms, expires_ms, flag_at_ms
from noughts.rules.by_mark import ByMark
from noughts.rules.geometry import chosen
from noughts.rules.outcome import MARKS, Decision, Mark, Outcome, other
from noughts.rules.variant import Variant

_MARK_OF_PLY: Final = MARKS * 128
"""The mark of each ply. No game is longer."""
MAX_LISTED_NAMES: Final = 20
"""The most spectators whose names the crowd message lists."""


def person_view(player: Player, names: Names) -> Person:
    """Return a player with the present name."""
    return Person(player.player, names.get(player.player, SOMEONE), player.bot)


def seat_view(seat: Seat, names: Names) -> SeatView:
    """Return a seat with the present name of its player."""
    if isinstance(seat, HumanSeat):
        return HumanSeatView(seat.player, names.get(seat.player, SOMEONE), seat.bot)
    held = seat.holding_for
    return EngineSeatView(seat.level, None if held is None else person_view(held, names))


def seats_view(seats: ByMark[Seat | None], names: Names) -> ByMark[SeatView | None]:
    """Return both seats with the present names of their players."""
    x, o = seats.X, seats.O
    return ByMark(None if x is None else seat_view(x, names), None if o is None else seat_view(o, names))


def view(room: Room, policy: Policy, names: Names) -> View:
    """Return the room as everybody may see it."""
    game, phase = room.game, room.phase
    return view_around(
        room,
        names,
        phase,
        room.version,
        None if game is None else game_view(game, phase == "playing"),
        None if room.clock is None else clock_view(room, room.clock),
        # Without presence, which changes without a new version: a version has one view.
        expires_ms(room, NO_PRESENCE, policy),
    )


def view_around(
    room: Room,
    names: Names,
    phase: Phase,
    version: int,
    game: GameView | None,
    clock: ClockView | None,
    expires_ms: int,
) -> View:
    """Return the view with these parts, which a move changes. They may be gaps."""
    match = room.match
    return View(
        room.id,
        version,
        room.variant,
        room.visibility,
        None if room.closed else room.join,
        room.owner.player,
        phase,
        seats_view(room.seats, names),
        game,
        clock,
        room.offers,
        room.score,
        room.draws,
        room.spectator_chat,
        room.created_ms,
        expires_ms,
        None if room.first_to is None else series_view(room.first_to, room.series),
        room.swap,
        UNSET if match is None else RoomMatchView(match.tournament, match.match, match.games),
    )


def series_view(first_to: int, series: Series | None) -> SeriesView:
    """Return the view of a series; before its first game, of an empty one."""
    if series is None:
        return SeriesView(first_to, 0, None, False)
    return SeriesView(first_to, series.games, series.winner, series.over)


def game_view(game: RoomGame, playing: bool) -> GameView:
    """Return the view of a game. With ``playing`` false, no side is to move."""
    history = game.history
    position, variant, moves = history.position, history.variant, history.move_names
    names = variant.names
    fading: str | UnsetType | None = UNSET
    boards: tuple[Decision, ...] | UnsetType = UNSET
    forced: int | UnsetType | None = UNSET
    first = 0
    if variant.marks_kept is not None:
        # Only the newest marks of each side are on the board.
        first = max(0, len(moves) - 2 * variant.marks_kept)
        cell = position.fading if playing else None
        fading = None if cell is None else names[cell]
    if position.boards is not None:
        boards, forced = position.boards, position.forced if playing else None
    return GameView(
        game.number,
        variant.key,
        moves,
        dict(zip(moves[first:], _MARK_OF_PLY[first:], strict=False)),
        history.turn if playing else None,
        chosen(names, position.playable) if playing else (),
        None if game.outcome is None else outcome_view(game.outcome, names),
        game.swapped,
        fading,
        boards,
        forced,
        game.from_ply,
    )


def outcome_view(outcome: Outcome | None, names: tuple[str, ...]) -> OutcomeView | None:
    """Return an outcome with its cells by name."""
    if outcome is None:
        return None
    return OutcomeView(outcome.winner, outcome.reason, tuple([names[cell] for cell in outcome.cells]))


def clock_view(room: Room, setting: ClockSetting) -> ClockView:
    """Return the time that each side has left."""
    mode = mode_of(setting)
    game = room.game
    if game is None:
        each_ms = full_ms(setting)
        return ClockView(mode, each_ms, each_ms, None, room.created_ms, setting, None)
    running = clock_running(room)
    off_clock = room.playing and running is None and not room.engines_only
    first_by_ms = game.turn_since_ms + FIRST_MOVE_MS if off_clock else None
    return ClockView(mode, game.left_ms.X, game.left_ms.O, running, game.turn_since_ms, setting, first_by_ms)


def seats_presence(room: Room, presence: Presence, now_ms: int, policy: Policy) -> ByMark[SeatPresence | None]:
    """Return the presence of both seats, with the time until a claim becomes possible."""
    return ByMark(
        _seat_presence(room, "X", presence, now_ms, policy), _seat_presence(room, "O", presence, now_ms, policy)
    )


def _seat_presence(room: Room, mark: Mark, presence: Presence, now_ms: int, policy: Policy) -> SeatPresence | None:
    seat = room.seat(mark)
    if not isinstance(seat, HumanSeat):
        return None
    away_since = presence.away_since_ms(seat.player)
    if away_since is None:
        return SeatPresence(True, None, None)
    claimable_at = claimable_at_ms(room, mark, presence, policy)
    claimable_in_ms = None if claimable_at is None else max(0, claimable_at - now_ms)
    return SeatPresence(False, max(0, now_ms - away_since), claimable_in_ms)


def open_room(room: Room, names: Names) -> OpenRoom:
    """Return the lobby's item for a room that waits for an opponent."""
    mark: Mark = "O" if room.seats.O is None else "X"
    return OpenRoom(room.id, room.variant, room.clock, person_view(room.owner, names), mark, room.created_ms)


def live_room(room: Room, spectators: int, names: Names) -> LiveRoom:
    """Return the lobby's item for a room in which a game is on."""
    ply = room.game.history.ply if room.game is not None else 0
    return LiveRoom(room.id, room.variant, room.clock, seats_view(room.seats, names), ply, spectators)


def my_room(room: Room, player: str, names: Names) -> MyRoom | None:
    """Return the item of a room in the list of a player's rooms; None without a seat in it, and once it is closed."""
    mark = mark_of(room, player)
    if mark is None or room.closed:
        return None
    game = None if room.game is None else game_view(room.game, room.playing)
    turn = None if game is None else game.turn
    opponent = room.seat(other(mark))
    return MyRoom(
        room.id,
        room.variant if game is None else game.variant,
        room.phase,
        mark,
        turn,
        turn == mark,
        None if opponent is None else seat_view(opponent, names),
        flag_at_ms(room, NO_PRESENCE),
        room.used_ms,
        0 if game is None else len(game.moves),
        None if game is None else game.outcome,
        {} if game is None else game.marks,
        UNSET if game is None else game.boards,
    )


def in_order(rooms: Iterable[MyRoom]) -> list[MyRoom]:
    """Return a player's rooms with those first that the player should look at first."""
    return sorted(rooms, key=lambda room: (not room.yours, room.deadline_ms or math.inf, -room.used_ms, room.id))


def variant_view(variant: Variant, value: VerdictView, levels: tuple[str, ...]) -> VariantView:
    """Return a variant as the API describes it: with its value, and the levels at which the engine plays it."""
    return VariantView(*(*variant.definition, value, levels))
