"""What happens in a room with the passing of time: when (:func:`wake_at_ms`), and what (:func:`advance`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec.structs import replace

from noughts.room.clock import FIRST_MOVE_MS, DaysClock, FischerClock, full_ms, is_off_clock
from noughts.room.events import Claimable, Closed, Settings
from noughts.room.game_flow import end_game, start_game
from noughts.room.lag import lag_of
from noughts.room.policy import Policy
from noughts.room.presence import NO_PRESENCE, Presence
from noughts.room.room import Notice, Phase, Room, RoomGame, clock_running, closed_room
from noughts.room.seat import EngineSeat, HumanSeat, Player, holder
from noughts.room.transition import Moment, Transition
from noughts.rules.outcome import MARKS, Mark, Outcome, other

NEXT_ENGINES_GAME_MS: Final = 10_000
"""The pause before two engines begin their next game."""
OWNER_AWAY_MS: Final = 600_000
"""How long an owner may be away before another player in the room becomes the owner."""
EXPIRY_STEP_MS: Final = 600_000
"""A stored time of expiry is rounded up to a multiple of this, so that the index entry rarely changes with a move."""
MATCH_KEPT_MS: Final = 600_000
"""How long the room of a match is kept whose last game is over. The tournament keeps the games."""
CREATION_MS: Final = 10_000
"""The most time between the creation of a room and the moment from which its connections are observed."""
RETURN_MS: Final = 3_000
"""How long a player may be away before a notice is sent: a page that is loaded again comes back sooner."""
_Deadline: TypeAlias = Callable[[Room, Presence, Policy], int | None]


# --- when something is due ---------------------------------------------------------------------------------------------


def advance_at_ms(room: Room, presence: Presence, policy: Policy) -> int | None:
    """Return when :func:`advance` next has something to do, a past time if it has already.

    Return None if only a command or a change of presence can make something due.
    """
    if room.closed:
        return None
    if not presence.away and presence.connections and not room.claimable:
        # With all players here, two things can fall due: the flag of a game, or after it the next game of two engines.
        if room.game is not None and room.game.outcome is None:
            return None if room.clock is None else flag_at_ms(room, presence)
        return next_engines_game_ms(room, presence)
    return _earliest(*[at_ms_of(room, presence, policy) for at_ms_of, _ in _PARTS])


def stored_wake_at_ms(room: Room, policy: Policy) -> int:
    """Return when the room needs attention if no player connects to it: the deadline in its index entry."""
    deadlines = [_rounded_up(expires_ms(room, NO_PRESENCE, policy))]
    flag_at = flag_at_ms(room, NO_PRESENCE)
    if flag_at is not None:
        deadlines.append(flag_at)
    if not room.engines_only:
        engine_at = engine_at_ms(room, NO_PRESENCE, policy)
        if engine_at is not None:
            deadlines.append(engine_at)
    if isinstance(room.clock, DaysClock):
        untold_ms = untold_turn_ms(room, policy)
        if untold_ms is not None:
            deadlines.append(untold_ms)
    if room.open_to_all:
        deadlines.append(_rounded_up(room.used_ms + policy.abandoned_open_ms))
    if room.version == 1:
        deadlines.append(_rounded_up(room.used_ms + policy.unjoined_ms))
    return min(deadlines)


def time_runs(room: Room, presence: Presence) -> bool:
    """Return whether a player's time runs, which downtime must not use up."""
    return room.clock is not None and flag_at_ms(room, presence) is not None


def _rounded_up(at_ms: int) -> int:
    return -(-at_ms // EXPIRY_STEP_MS) * EXPIRY_STEP_MS


def _earliest(*times_ms: int | None) -> int | None:
    """Return the earliest of several times. None stands for never."""
    return min([at_ms for at_ms in times_ms if at_ms is not None], default=None)


def grace_ms(room: Room, policy: Policy) -> int:
    """Return how long a player may be away before the opponent may claim.

    On a clock this is at most a third of the time that a side starts with, but not under five seconds.
    """
    if room.clock is None:
        return policy.grace_ms
    return min(policy.grace_ms, max(5_000, full_ms(room.clock) // 3))


def claimable_at_ms(room: Room, mark: Mark, presence: Presence, policy: Policy) -> int | None:
    """Return when the opponent of ``mark`` may claim; None if the player is here or no absence would allow a claim."""
    game, seat = room.game, room.seat(mark)
    if game is None or not room.playing or not isinstance(seat, HumanSeat) or isinstance(room.clock, DaysClock):
        return None
    away_since = presence.away_since_ms(seat.player)
    if away_since is None or not isinstance(room.seat(other(mark)), HumanSeat):
        return None
    return max(away_since, game.started_ms) + grace_ms(room, policy)


def may_claim(room: Room, absent: Mark, presence: Presence, policy: Policy) -> bool:
    """Return whether the opponent of ``absent`` may claim now.

    ``room.claimable`` alone does not say so. The claim ends with the absence that gave it: when the player comes back, or
    when presence is reset because the server was restarted. :func:`advance` takes it out of ``room.claimable`` later.
    A valid claim became possible no later than the room's last change.
    """
    at_ms = claimable_at_ms(room, absent, presence, policy)
    return absent in room.claimable and at_ms is not None and at_ms <= room.used_ms


def flag_at_ms(room: Room, presence: Presence) -> int | None:
    """Return when the side to move runs out of time, or, before its first move, when the game is aborted.

    Two engines have no flag, because they play only while a client is connected.
    """
    game = room.game
    if room.clock is None or game is None or not room.playing or room.engines_only:
        return None
    turn = game.history.position.turn
    lag_ms = lag_of(room, game, turn, presence)
    if is_off_clock(room.clock, game.history.ply):
        return game.turn_since_ms + FIRST_MOVE_MS + lag_ms
    return game.turn_since_ms + game.left_ms.of(turn) + lag_ms


def expires_ms(room: Room, presence: Presence, policy: Policy, phase: Phase | None = None) -> int:
    """Return when an unused room is deleted. A caller that knows the room's phase passes it."""
    phase = phase or room.phase
    kept_ms = policy.playing_ms if phase == "playing" else policy.finished_ms
    if room.match is not None and phase == "finished":
        kept_ms = MATCH_KEPT_MS
    if phase == "waiting" and room.game is None:
        kept_ms = policy.waiting_ms
    used_ms = max(room.used_ms, presence.last_left_ms)
    if type(room.clock) is DaysClock:
        # It runs while nobody is here. The room stays until the clock has ended the game.
        used_ms = max(used_ms, flag_at_ms(room, presence) or 0)
    return used_ms + kept_ms


def engine_at_ms(room: Room, presence: Presence, policy: Policy) -> int | None:
    """Return when the engine should answer a draw offer or make its move; None while it has nothing to do."""
    game = room.game
    if game is None or not room.has_engine or not room.playing:
        return None
    if draw_offered_to_engine(room):
        return game.turn_since_ms
    if not isinstance(room.seat(game.history.position.turn), EngineSeat):
        return None
    if room.engines_only:
        return game.turn_since_ms + policy.engines_pace_ms if presence.connections else None
    return game.turn_since_ms + _engine_pace_ms(room, game, policy)


def untold_turn_ms(room: Room, policy: Policy) -> int | None:
    """Return when a notice or a reminder of the present turn is due, whether the player sees the page or not.

    Return None if all that is to be sent has been sent, and without a clock of days.
    """
    game = room.game
    if not policy.notices or game is None or not isinstance(room.clock, DaysClock) or not room.playing:
        return None
    if not isinstance(room.seat(game.history.position.turn), HumanSeat):
        return None
    notice = room.notice
    if notice is None or notice.ply != game.history.ply or notice.game != game.number:
        return game.turn_since_ms
    return notice.remind_at_ms


def notice_of_turn(room: Room, game: RoomGame) -> Notice:
    """Return the notice of the present turn of a game, without a reminder."""
    takebacks = 0 if room.notice is None else room.notice.takebacks
    return Notice(game.number, game.history.ply, takebacks)


def notice_at_ms(room: Room, presence: Presence, policy: Policy) -> int | None:
    """Return when to send a notice to the player whose turn it is; None while the player sees the page."""
    at_ms, game = untold_turn_ms(room, policy), room.game
    if at_ms is None or game is None:
        return None
    player = holder(room.seat(game.history.position.turn))
    if player is None or player in presence.hidden:
        return at_ms
    away_since = presence.away_since_ms(player)
    return None if away_since is None else max(at_ms, away_since + RETURN_MS)


def _engine_pace_ms(room: Room, game: RoomGame, policy: Policy) -> int:
    """Return the pause before the engine's move. It costs the engine little of its own clock."""
    if room.clock is None or is_off_clock(room.clock, game.history.ply):
        return policy.engine_pace_ms
    if isinstance(room.clock, FischerClock):
        return min(policy.engine_pace_ms, game.left_ms.of(game.history.position.turn) // 40)
    return min(policy.engine_pace_ms, room.clock.move_ms // 4)


def draw_offered_to_engine(room: Room) -> bool:
    """Return whether an engine has a draw offer to answer."""
    return any(offer.what == "draw" and isinstance(room.seat(other(offer.by)), EngineSeat) for offer in room.offers)


def next_engines_game_ms(room: Room, presence: Presence) -> int | None:
    """Return when two engines begin their next game; None without a connection, because engines wait for a spectator."""
    game = room.game
    if game is None or game.outcome is None or room.closed or not room.engines_only:
        return None
    return game.ended_ms + NEXT_ENGINES_GAME_MS if presence.connections else None


def heir(room: Room, presence: Presence) -> Player | None:
    """Return the seated player who would become the owner: one who is here and is not the owner. None without one."""
    for seat in (room.seats.X, room.seats.O):
        if isinstance(seat, HumanSeat) and seat.player != room.owner.player and presence.is_here(seat.player):
            return seat.holder
    return None


def _new_owner_at_ms(room: Room, presence: Presence, policy: Policy) -> int | None:
    away_since = presence.away_since_ms(room.owner.player)
    if away_since is None or room.match is not None or heir(room, presence) is None:
        return None
    return away_since + OWNER_AWAY_MS


def _absent_side(room: Room, presence: Presence) -> Mark | None:
    """Return the side whose player is away while its opponent is here. In an empty room there is none, so no claim."""
    players = [(mark, holder(room.seat(mark))) for mark in MARKS]
    here = [mark for mark, player in players if player is not None and presence.is_here(player)]
    return other(here[0]) if len(here) == 1 else None


def _claims_at_ms(room: Room, presence: Presence, policy: Policy) -> int | None:
    """Return when a claim begins or ends. It ends now if the absent player is back."""
    if not all(may_claim(room, mark, presence, policy) for mark in room.claimable):
        return room.used_ms
    absent = _absent_side(room, presence)
    return None if absent is None or absent in room.claimable else claimable_at_ms(room, absent, presence, policy)


def _closes_at_ms(room: Room, presence: Presence, policy: Policy) -> int | None:
    """Return when the room is deleted if nothing changes; None while it is used."""
    return _earliest(
        _abandoned_at_ms(room, presence, policy),
        _unjoined_at_ms(room, presence, policy),
        None if presence.connections else expires_ms(room, presence, policy),
    )


def _abandoned_at_ms(room: Room, presence: Presence, policy: Policy) -> int | None:
    """Return when an open room that its owner has left is deleted; None while another player waits in a seat."""
    away_since = presence.away_since_ms(room.owner.player)
    if away_since is None or not room.open_to_all or heir(room, presence) is not None:
        return None
    return max(away_since, room.used_ms) + policy.abandoned_open_ms


def _unjoined_at_ms(room: Room, presence: Presence, policy: Policy) -> int | None:
    """Return when a room that no client has ever joined is deleted. None once one has, or if that is not known.

    It is not known after a restart of the only node: the room then expires as any other.
    """
    since = presence.since_ms
    if room.version > 1 or presence.connections or presence.last_left_ms:
        return None
    return None if since is None or since > room.created_ms + CREATION_MS else room.used_ms + policy.unjoined_ms


# --- what is then carried out ------------------------------------------------------------------------------------------


def advance(room: Room, at: Moment) -> Transition:
    """Carry out what is due by now: a flag, a claim, a new owner, the next game of two engines, expiry.

    Return a transition with the same room object when nothing is due.
    """
    at_ms = advance_at_ms(room, at.presence, at.policy)
    if at_ms is None or at_ms > at.now_ms:
        return Transition(room)
    transition = Transition(room)
    for at_ms_of, carry_out in _PARTS:
        at_ms = at_ms_of(transition.room, at.presence, at.policy)
        if at_ms is not None and at_ms <= at.now_ms:
            transition = carry_out(transition.room, at).following(transition)
            # Expiry counts from the room's last change, which is now, and may_claim compares a claim with it.
            transition = replace(transition, room=replace(transition.room, used_ms=at.now_ms))
    return transition


def _flag(room: Room, at: Moment) -> Transition:
    late = clock_running(room)
    outcome = Outcome(None, "aborted") if late is None else Outcome(other(late), "timeout")
    return end_game(room, outcome, at.now_ms)


def _claims(room: Room, at: Moment) -> Transition:
    claims = tuple([mark for mark in room.claimable if may_claim(room, mark, at.presence, at.policy)])
    absent = _absent_side(room, at.presence)
    if absent is not None and absent not in claims:
        at_ms = claimable_at_ms(room, absent, at.presence, at.policy)
        if at_ms is not None and at_ms <= at.now_ms:
            return Transition(replace(room, claimable=(*claims, absent)), (Claimable(absent),))
    return Transition(replace(room, claimable=claims))


def _new_owner(room: Room, at: Moment) -> Transition:
    return Transition(replace(room, owner=heir(room, at.presence) or room.owner), (Settings(),))


def _next_engines_game(room: Room, at: Moment) -> Transition:
    return start_game(room, at.now_ms, swap=True)


def _close(room: Room, at: Moment) -> Transition:
    return Transition(closed_room(room), (Closed(),))


_PARTS: Final[tuple[tuple[_Deadline, Callable[[Room, Moment], Transition]], ...]] = (
    (lambda room, presence, policy: flag_at_ms(room, presence), _flag),
    (_claims_at_ms, _claims),
    (_new_owner_at_ms, _new_owner),
    (lambda room, presence, policy: next_engines_game_ms(room, presence), _next_engines_game),
    (_closes_at_ms, _close),
)
"""What can fall due, in the order in which it is carried out: when, and what then."""
