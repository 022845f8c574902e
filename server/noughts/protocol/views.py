"""What each audience sees: one view of the room for all, and for each of four audiences what it is and can do."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from msgspec.structs import replace

from noughts.protocol.messages import (
    ClockView,
    Decided,
    GameRecord,
    GameView,
    LiveRoom,
    MoveRecord,
    OfferView,
    OpenRoom,
    OutcomeView,
    PlacesView,
    PlaceView,
    SeatsView,
    View,
    You,
)
from noughts.room.clock import FIRST_MOVE_MS, MoveClock, full_ms
from noughts.room.games import takeback_ply
from noughts.room.room import (
    NOBODY,
    SOMEONE,
    CurrentGame,
    House,
    Room,
    claimable_at_ms,
    clock_running,
    expires_ms,
    mark_of,
    may_claim,
)
from noughts.room.seat import EngineSeat, HumanSeat, Person, Seat, holder, with_name
from noughts.rules.game import start
from noughts.rules.notation import cell_names
from noughts.rules.outcome import MARKS, Mark, Outcome, other

Audience: TypeAlias = Literal["X", "O", "owner", "everyone"]
"""The holder of X, the holder of O, an owner without a seat, everyone else."""

MAX_LISTED_NAMES: Final = 20


def audience_of(room: Room, player: str | None) -> Audience:
    """The audience that a player belongs to; a nameless spectator is everyone."""
    if player is None:
        return "everyone"
    return mark_of(room, player) or ("owner" if room.owner.player == player else "everyone")


def view(room: Room, house: House) -> View:
    """The room as everybody may see it."""
    return View(
        id=room.id,
        version=room.version,
        variant=room.variant,
        visibility=room.visibility,
        join=None if room.closed else room.join,
        owner=room.owner.player,
        phase=room.phase,
        seats=SeatsView(room.x, room.o),
        game=game_view(room.game, room.playing) if room.game is not None else None,
        clock=_clock(room),
        offers=tuple([OfferView(offer.what, offer.by) for offer in room.offers]),
        score=room.score,
        draws=room.draws,
        spectator_chat=room.spectator_chat,
        created_ms=room.created_ms,
        # As if nobody had been here since the last change: who comes and goes is no new version, and a version has one view.
        expires_ms=expires_ms(replace(room, presence=NOBODY), house),
    )


def game_view(game: CurrentGame, playing: bool) -> GameView:
    """A game; with ``playing`` false nobody is to move any more."""
    play = game.play
    position = play.position
    variant = play.variant
    names = cell_names(variant.shape)
    moves = tuple([names[cell] for cell in play.moves])
    if variant.marks_kept is None:
        marks = {name: MARKS[ply & 1] for ply, name in enumerate(moves)}
    else:  # the newest of each side are left
        first = max(0, len(moves) - 2 * variant.marks_kept)
        marks = {name: MARKS[ply & 1] for ply, name in enumerate(moves) if ply >= first}
    special: dict[str, Any] = {}
    if variant.marks_kept is not None:
        fading = position.fading if playing else None
        special["fading"] = names[fading] if fading is not None else None
    if variant.nested:
        special["boards"] = position.boards
        special["forced"] = position.forced if playing else None
    return GameView(
        number=game.number,
        variant=variant.key,
        moves=moves,
        marks=marks,
        turn=position.turn if playing else None,
        legal=tuple([names[cell] for cell in position.legal()]) if playing else (),
        outcome=outcome_view(game.outcome, names),
        **special,
    )


def outcome_view(outcome: Outcome | None, names: tuple[str, ...]) -> OutcomeView | None:
    """An outcome with its cells by name."""
    if outcome is None:
        return None
    return OutcomeView(outcome.winner, outcome.reason, tuple([names[cell] for cell in outcome.cells]))


def _clock(room: Room) -> ClockView | None:
    setting = room.clock
    if setting is None:
        return None
    mode: Literal["move", "fischer"] = "move" if isinstance(setting, MoveClock) else "fischer"
    game = room.game
    if game is None:
        each = full_ms(setting)
        return ClockView(mode, each, each, None, room.created_ms, setting, None)
    running = clock_running(room)
    first_by = (
        game.turn_since_ms + FIRST_MOVE_MS if room.playing and running is None and not room.engines_only else None
    )
    return ClockView(mode, game.x_ms, game.o_ms, running, game.turn_since_ms, setting, first_by)


def you(room: Room, audience: Audience, house: House) -> You:
    """What an audience is and can do now."""
    mark: Mark | None = audience if audience == "X" or audience == "O" else None
    holds = holder(room.seat(mark)) if mark is not None else None
    owner = audience == "owner" or (holds is not None and holds == room.owner.player)
    invite = room.invite if mark is not None or owner else None
    return You(mark, owner, tuple(_can(room, mark, owner, house)), invite)


def _can(room: Room, mark: Mark | None, owner: bool, house: House) -> list[str]:
    if room.closed:
        return []
    playing = room.playing
    if mark is None:
        can = _can_sit(room, playing)
    elif playing and room.game is not None:
        can = _can_in_play(room, room.game, mark, house)
    else:
        can = ["stand"]
        if room.phase == "finished" and not any(offer.by == mark for offer in room.offers):
            can.append("offer:rematch")
    if mark is not None:
        if room.offers:
            can += [f"answer:{offer.what}" for offer in room.offers]
        if isinstance(room.seat(mark), EngineSeat):
            can.append(f"sit:{mark}")
    if (room.x is None or room.o is None) and (mark is not None or owner):
        can += [f"seat_engine:{side}" for side in MARKS if room.seat(side) is None]
    if house.chat and _may_chat(room, mark, owner, playing):
        can += _SPEAK
    if owner:
        if not playing:
            can.append("set")
            can += [f"free:{side}" for side in MARKS if _may_free(room, side)]
        can += _OWN
    return can


_SPEAK: Final = ("chat", "react")
_OWN: Final = ("mute", "close")


def _can_sit(room: Room, playing: bool) -> list[str]:
    return [f"sit:{side}" for side in MARKS if (seat := room.seat(side)) is None or (_lent(seat) and not playing)]


def _can_in_play(room: Room, game: CurrentGame, mark: Mark, house: House) -> list[str]:
    can = ["move"] if game.turn == mark and isinstance(room.seat(mark), HumanSeat) else []
    can.append("resign")
    offers = room.offers
    if not offers or not any(offer.by == mark for offer in offers):
        can.append("offer:draw")
        if takeback_ply(game, mark) >= 0 or any(offer.what == "takeback" for offer in offers):
            can.append("offer:takeback")
    if room.claimable and may_claim(room, other(mark), house):
        can += ("claim:win", "claim:draw", f"seat_engine:{other(mark)}")
    return can


def _may_free(room: Room, side: Mark) -> bool:
    seat = room.seat(side)
    if isinstance(seat, EngineSeat):
        return True
    return isinstance(seat, HumanSeat) and room.presence.of(side).away_since_ms is not None


def _lent(seat: Seat | None) -> bool:
    return isinstance(seat, EngineSeat) and seat.holding_for is None


def _may_chat(room: Room, mark: Mark | None, owner: bool, playing: bool) -> bool:
    """Whether this audience may speak; of the spectators any one may still be muted."""
    if mark is not None or owner:
        return not room.muted or (holder(room.seat(mark)) if mark else room.owner.player) not in room.muted
    if "spectators" in room.muted or room.spectator_chat == "off":
        return False
    return room.spectator_chat == "always" or not playing


def places(room: Room, now_ms: int, house: House) -> PlacesView:
    """The presence of the two seats, with the time until a claim becomes possible."""
    return PlacesView(_place(room, "X", now_ms, house), _place(room, "O", now_ms, house))


def _place(room: Room, mark: Mark, now_ms: int, house: House) -> PlaceView | None:
    seat = room.seat(mark)
    if not isinstance(seat, HumanSeat):
        return None
    away_since = room.presence.of(mark).away_since_ms
    if away_since is None:
        return PlaceView(True, None, None)
    claimable_at = claimable_at_ms(room, mark, house)
    return PlaceView(
        False,
        max(0, now_ms - away_since),
        None if claimable_at is None else max(0, claimable_at - now_ms),
    )


def open_room(room: Room) -> OpenRoom:
    """A lobby item: a room that waits for an opponent."""
    return OpenRoom(room.id, room.variant, room.clock, room.owner, "O" if room.o is None else "X", room.created_ms)


def live_room(room: Room, spectators: int) -> LiveRoom:
    """A lobby item: a room in which a game is on."""
    ply = room.game.play.ply if room.game is not None else 0
    return LiveRoom(room.id, room.variant, room.clock, SeatsView(room.x, room.o), ply, spectators)


def game_record(game: CurrentGame, names_now: dict[str, str]) -> GameRecord:
    """A game move by move. ``names_now``: the present name of each player, so that a forgotten one stays forgotten."""
    play = game.play
    names = cell_names(play.variant.shape)
    moves = []
    position = start(play.variant)
    for ply, cell in enumerate(play.moves):
        after = position.play(cell)
        gone = (position.x | position.o) & ~(after.x | after.o)
        decided = None
        if after.boards is not None and position.boards is not None and after.boards != position.boards:
            for board, (was, now) in enumerate(zip(position.boards, after.boards, strict=True)):
                if was != now and now is not None:
                    decided = Decided(board, now)  # type: ignore[arg-type]
        moves.append(
            MoveRecord(
                names[cell],
                position.turn,
                game.by[ply],
                game.at_ms[ply],
                names[gone.bit_length() - 1] if gone else None,
                decided,
            )
        )
        position = after
    return GameRecord(
        play.variant.key,
        game.number,
        SeatsView(_named(game.x, names_now), _named(game.o, names_now)),
        tuple(moves),
        outcome_view(game.outcome, names),
    )


def _named(seat: Seat, names_now: dict[str, str]) -> Seat:
    player = holder(seat)
    return seat if player is None else with_name(seat, Person(player, names_now.get(player, SOMEONE)))
