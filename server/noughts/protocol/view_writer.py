"""Room messages as JSON, carried on from move to move.

A move changes a few fields of a view. What stays the same is encoded once and joined with what changed::

    {"type":"room","version":7,"event":EVENT,"you":YOU,"room":
        {"id":…,"version":7 SETTING "game":GAME,"clock":CLOCK,TALLY "expires_ms":…}}

SETTING and TALLY are encoded again only when a field in them is another object than before. In GAME the lists of moves,
marks and legal cells are carried on from the position before. :func:`noughts.protocol.views.view` is the definition: what
this module writes is, byte for byte, that view encoded.
"""

from __future__ import annotations

from typing import Final

from noughts.protocol.audience import Audience, you
from noughts.protocol.codec import encode
from noughts.protocol.messages import OfferView
from noughts.protocol.views import clock_view, game_view, view
from noughts.room.events import ViewEvent
from noughts.room.policy import Policy
from noughts.room.presence import NO_PRESENCE, Presence
from noughts.room.room import Room, RoomGame
from noughts.room.timers import expires_ms
from noughts.rules.notation import cell_names


class ViewWriter:
    """Writes the messages of one room. It remembers what it wrote last."""

    __slots__ = (
        "_game",
        "_policy",
        "_setting",
        "_setting_of",
        "_tally",
        "_tally_of",
        "_view",
        "_view_of",
        "_you",
        "_you_of",
    )

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._view_of: Room | None = None
        self._view = b""
        self._setting_of: tuple[object, ...] = ()
        self._setting = b""
        self._tally_of: tuple[object, ...] = ()
        self._tally = b""
        self._game = _GameWriter()
        self._you_of: tuple[object, ...] = ()
        self._you: dict[tuple[Audience, object], bytes] = {}

    def message(self, room: Room, audience: Audience, presence: Presence, event: ViewEvent | None) -> bytes:
        """Return one room message for an audience, as JSON."""
        return b"".join(
            (
                b'{"type":"room","version":',
                str(room.version).encode(),
                b',"event":',
                b"null" if event is None else encode(event),
                b',"you":',
                self.you(room, audience, presence),
                b',"room":',
                self.view(room),
                b"}",
            )
        )

    def you(self, room: Room, audience: Audience, presence: Presence) -> bytes:
        """Return what an audience is and can do now, as JSON."""
        game = room.game
        state = (
            room.seats, room.owner, room.offers, room.claimable, room.muted, room.spectator_chat, presence,
            room.closed, room.invite, None if game is None else game.outcome,
        )  # fmt: skip
        if not _same(state, self._you_of) or room.claimable:
            self._you_of = state
            self._you.clear()
        # While a game goes on only the turn and the first plies change what can be done.
        turn = None if game is None else (game.history.ply if game.history.ply < 2 else 2 + game.history.ply % 2)
        key = (audience, turn)
        written = self._you.get(key)
        if written is None:
            written = self._you[key] = encode(you(room, audience, presence, self._policy))
        return written

    def view(self, room: Room) -> bytes:
        """Return the view of a room, as JSON."""
        if room is not self._view_of:
            self._view_of = room
            self._view = self._write_view(room)
        return self._view

    def _write_view(self, room: Room) -> bytes:
        playing = room.playing
        setting = (room.variant, room.visibility, room.join, room.owner, room.seats, playing, room.closed)
        if not _same(setting, self._setting_of):
            self._setting_of = setting
            self._setting = _between(encode(view(room, self._policy)), b',"variant":', b'"game":')
        tally = (room.offers, room.score, room.draws, room.spectator_chat)
        if not _same(tally, self._tally_of):
            self._tally_of = tally
            self._tally = b"".join(
                (
                    b',"offers":',
                    encode([OfferView(offer.what, offer.by) for offer in room.offers]),
                    b',"score":',
                    encode(room.score),
                    b',"draws":%d,"spectator_chat":"%b","created_ms":%d,"expires_ms":'
                    % (room.draws, room.spectator_chat.encode(), room.created_ms),
                )
            )
        return b"".join(
            (
                b'{"id":"',
                room.id.encode(),
                b'","version":',
                str(room.version).encode(),
                self._setting,
                b"null" if room.game is None else self._game.written(room.game, playing),
                b',"clock":',
                b"null" if room.clock is None else encode(clock_view(room)),
                self._tally,
                str(expires_ms(room, NO_PRESENCE, self._policy)).encode(),
                b"}",
            )
        )


def _same(state: tuple[object, ...], before: tuple[object, ...]) -> bool:
    return len(state) == len(before) and all(map(_is, state, before))


def _is(a: object, b: object) -> bool:
    return a is b


def _between(text: bytes, first: bytes, end: bytes) -> bytes:
    """The part of a view from one key up to and including another. Keys stand unescaped in no string of a view."""
    start = text.index(first)
    return text[start : text.index(end, start) + len(end)]


class _GameWriter:
    """Writes one game after another. Where the game goes on by one move it carries the lists on."""

    __slots__ = ("_head", "_legal", "_marks", "_moves", "_number", "_ply_cells", "_variant")

    def __init__(self) -> None:
        self._number = 0
        self._variant = ""
        self._ply_cells: tuple[int, ...] = ()
        self._head = b""
        self._moves = b""
        self._marks = b""
        self._legal = b""

    def written(self, game: RoomGame, playing: bool) -> bytes:
        """Return the view of a game, as JSON."""
        history = game.history
        variant = history.variant
        if variant.nested or variant.marks_kept is not None:
            return encode(game_view(game, playing))
        cells = history.moves
        names = _quoted(variant.shape)
        if not (self._number == game.number and self._variant == variant.key and cells[:-1] == self._ply_cells):
            self._begin(game, names)
        if len(cells) > len(self._ply_cells):
            name = names[cells[-1]]
            mark = b'"X"' if len(cells) & 1 else b'"O"'
            self._moves = self._moves + b"," + name if self._moves else name
            self._marks = b"%b,%b:%b" % (self._marks, name, mark) if self._marks else name + b":" + mark
            self._legal = self._legal.replace(name + b",", b"")
        self._ply_cells = cells
        if not playing:
            legal, turn = b"", b"null"
        else:
            turn = b'"O"' if len(cells) & 1 else b'"X"'
            legal = (
                b",".join([names[cell] for cell in history.position.legal()]) if variant.gravity else self._legal[:-1]
            )
        return b"".join(
            (
                self._head,
                self._moves,
                b'],"marks":{',
                self._marks,
                b'},"turn":',
                turn,
                b',"legal":[',
                legal,
                b'],"outcome":',
                b"null}" if game.outcome is None else encode(game_view(game, playing).outcome) + b"}",
            )
        )

    def _begin(self, game: RoomGame, names: tuple[bytes, ...]) -> None:
        """Write the lists of a game up to the move before its last."""
        history = game.history
        cells = history.moves[:-1]
        self._number, self._variant, self._ply_cells = game.number, history.variant.key, cells
        self._head = b'{"number":%d,"variant":"%b","moves":[' % (game.number, history.variant.key.encode())
        self._moves = b",".join([names[cell] for cell in cells])
        self._marks = b",".join([names[cell] + (b':"O"' if ply & 1 else b':"X"') for ply, cell in enumerate(cells)])
        taken = set(cells)
        self._legal = b"".join([name + b"," for cell, name in enumerate(names) if cell not in taken])


_names: Final[dict[tuple[int, ...], tuple[bytes, ...]]] = {}


def _quoted(shape: tuple[int, ...]) -> tuple[bytes, ...]:
    """The names of a board's cells as JSON."""
    names = _names.get(shape)
    if names is None:
        names = _names[shape] = tuple([b'"%b"' % name.encode() for name in cell_names(shape)])
    return names
