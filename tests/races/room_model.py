"""A model of one room of classic tic-tac-toe, written from the description of the protocol and not from the program.

It judges a command by the codes in the order of the protocol, and keeps what everybody must see afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

Fields: TypeAlias = dict[str, Any]

LINES: Final = ("a1 b1 c1", "a2 b2 c2", "a3 b3 c3", "a1 a2 a3", "b1 b2 b3", "c1 c2 c3", "a1 b2 c3", "c1 b2 a3")
CELLS: Final = tuple(f"{column}{row}" for row in (1, 2, 3) for column in "abc")
OTHER: Final = {"X": "O", "O": "X"}


@dataclass
class RoomModel:
    """One room that its owner made for a friend, with X for the owner. Everybody stays connected."""

    owner: str
    invite: str
    seats: dict[str, str | None]
    version: int
    number: int = 0
    moves: list[str] = field(default_factory=list)
    winner: str | None = None
    reason: str | None = None
    """Why the game ended; None while it goes on."""
    offers: dict[str, str] = field(default_factory=dict)
    """The open offer of each mark."""
    declined: set[tuple[str, str]] = field(default_factory=set)
    """Offers (mark, what) that were declined: for a time, which the model does not know, they are rejected."""
    muted: set[str] = field(default_factory=set)
    spectator_chat: str = "always"
    lines: list[tuple[str, str]] = field(default_factory=list)
    """Player and text of each chat line."""
    accepted: dict[tuple[str, str], int] = field(default_factory=dict)
    """The version of each player's command that was accepted."""

    @property
    def playing(self) -> bool:
        return self.number > 0 and self.reason is None

    @property
    def phase(self) -> str:
        if self.playing:
            return "playing"
        return "finished" if self.number and all(self.seats.values()) else "waiting"

    @property
    def turn(self) -> str:
        return "XO"[len(self.moves) % 2]

    def mark_of(self, player: str | None) -> str | None:
        """Return the mark of a player's seat."""
        return next((mark for mark, holder in self.seats.items() if holder is not None and holder == player), None)

    def knows(self, player: str | None, command_id: str) -> bool:
        """Return whether this command was accepted before."""
        return player is not None and (player, command_id) in self.accepted

    def depends_on_time(self, player: str | None, kind: str, fields: Fields) -> bool:
        """Return whether the answer depends on how long ago an offer was declined."""
        return kind == "offer" and (self.mark_of(player), fields["what"]) in self.declined

    # --- judging ----------------------------------------------------------------------------------------------------

    def code(self, player: str | None, kind: str, fields: Fields) -> str:
        """Return the code of the rejection of a new command, or ok."""
        if player is None:
            return "unauthorized"
        mark = self.mark_of(player)
        if kind in ("stand", "move", "resign", "offer", "answer", "claim") and mark is None:
            return "not_seated"
        about_game = kind in ("move", "resign", "claim") or (
            kind in ("offer", "answer") and fields["what"] != "rematch"
        )
        if about_game:
            if not self.number:
                return "not_playing"
            if not self.playing:
                return "game_over"
        if fields.get("game") is not None and (not self.number or fields["game"] != self.number):
            return "stale"
        return str(getattr(self, f"_judge_{kind}")(player, mark, fields))

    def _judge_sit(self, player: str, mark: str | None, fields: Fields) -> str:
        if self.seats[fields["mark"]] is not None:
            return "seat_taken"
        if mark is not None or (player != self.owner and fields["invite"] != self.invite):
            return "forbidden"
        return "ok"

    def _judge_stand(self, player: str, mark: str, fields: Fields) -> str:
        return "forbidden" if self.playing else "ok"

    def _judge_move(self, player: str, mark: str, fields: Fields) -> str:
        if fields["ply"] != len(self.moves):
            return "stale"
        if self.turn != mark:
            return "not_your_turn"
        return "ok" if fields["cell"] in CELLS and fields["cell"] not in self.moves else "illegal_move"

    def _judge_resign(self, player: str, mark: str, fields: Fields) -> str:
        return "ok"

    def _judge_claim(self, player: str, mark: str, fields: Fields) -> str:
        return "forbidden"

    def _judge_offer(self, player: str, mark: str, fields: Fields) -> str:
        what = fields["what"]
        if what == "rematch" and self.phase != "finished":
            return "forbidden"
        if mark in self.offers:
            return "forbidden"
        accepts = self.offers.get(OTHER[mark]) == what
        return "forbidden" if what == "takeback" and not accepts and len(self.moves) <= "XO".index(mark) else "ok"

    def _judge_answer(self, player: str, mark: str, fields: Fields) -> str:
        what, accept = fields["what"], fields["accept"]
        if self.offers.get(OTHER[mark]) == what:
            return "ok"
        return "ok" if self.offers.get(mark) == what and not accept else "forbidden"

    def _judge_chat(self, player: str, mark: str | None, fields: Fields) -> str:
        spectator = mark is None and player != self.owner
        quiet = self.spectator_chat == "off" or (self.spectator_chat == "between_games" and self.playing)
        if player in self.muted or (spectator and (quiet or "spectators" in self.muted)):
            return "forbidden"
        return "ok"

    def _judge_set(self, player: str, mark: str | None, fields: Fields) -> str:
        return "ok" if player == self.owner and not self.playing else "forbidden"

    def _judge_free(self, player: str, mark: str | None, fields: Fields) -> str:
        return "forbidden"  # nobody is away

    def _judge_mute(self, player: str, mark: str | None, fields: Fields) -> str:
        return "ok" if player == self.owner and not (fields["muted"] and fields["player"] == player) else "forbidden"

    # --- effects ----------------------------------------------------------------------------------------------------

    def apply(self, player: str, command_id: str, kind: str, fields: Fields) -> None:
        """Carry out a command that is accepted."""
        getattr(self, f"_do_{kind}")(player, self.mark_of(player), fields)
        if kind != "chat":
            self.version += 1
        self.accepted[player, command_id] = self.version

    def _do_sit(self, player: str, mark: str | None, fields: Fields) -> None:
        self._change_seat(fields["mark"], player)
        if all(self.seats.values()):
            self._start()

    def _do_stand(self, player: str, mark: str, fields: Fields) -> None:
        self._change_seat(mark, None)
        self.declined.clear()
        successor = self.seats[OTHER[mark]]
        if player == self.owner and successor is not None:
            self.owner = successor

    def _do_move(self, player: str, mark: str, fields: Fields) -> None:
        self.moves.append(fields["cell"])
        self.offers.clear()
        own = set(self.moves[-1::-2])
        if any(own >= set(line.split()) for line in LINES):
            self._end(mark, "line")
        elif len(self.moves) == len(CELLS):
            self._end(None, "full_board")

    def _do_resign(self, player: str, mark: str, fields: Fields) -> None:
        self._end(OTHER[mark], "resignation")

    def _do_offer(self, player: str, mark: str, fields: Fields) -> None:
        if self.offers.get(OTHER[mark]) == fields["what"]:
            self._accept(OTHER[mark])
        else:
            self.offers[mark] = fields["what"]

    def _do_answer(self, player: str, mark: str, fields: Fields) -> None:
        what = fields["what"]
        if self.offers.get(OTHER[mark]) != what:
            del self.offers[mark]
        elif fields["accept"]:
            self._accept(OTHER[mark])
        else:
            self.declined.add((OTHER[mark], self.offers.pop(OTHER[mark])))

    def _do_chat(self, player: str, mark: str | None, fields: Fields) -> None:
        self.lines.append((player, fields["text"]))

    def _do_set(self, player: str, mark: str | None, fields: Fields) -> None:
        self.spectator_chat = fields["spectator_chat"]

    def _do_mute(self, player: str, mark: str | None, fields: Fields) -> None:
        (self.muted.add if fields["muted"] else self.muted.discard)(fields["player"])

    def _accept(self, by: str) -> None:
        what = self.offers[by]
        if what == "draw":
            self._end(None, "agreement")
        elif what == "rematch":
            self.seats = {"X": self.seats["O"], "O": self.seats["X"]}
            self._start()
        else:
            self.moves = self.moves[: -2 if self.turn == by else -1]
            self.offers.clear()

    def _change_seat(self, mark: str, player: str | None) -> None:
        self.seats[mark] = player
        self.offers = {by: what for by, what in self.offers.items() if what != "rematch"}

    def _start(self) -> None:
        self.number += 1
        self.moves, self.winner, self.reason = [], None, None
        self.offers.clear()
        self.declined.clear()

    def _end(self, winner: str | None, reason: str) -> None:
        self.winner, self.reason = winner, reason
        self.offers.clear()
        self.declined.clear()

    # --- what everybody sees ----------------------------------------------------------------------------------------

    def seen(self) -> Fields:
        """Return the parts of the view that the model knows."""
        return {
            "version": self.version,
            "owner": self.owner,
            "phase": self.phase,
            "seats": self.seats,
            "number": self.number,
            "moves": self.moves,
            "turn": self.turn if self.playing else None,
            "legal": sorted(set(CELLS) - set(self.moves)) if self.playing else [],
            "outcome": None if self.reason is None else (self.winner, self.reason),
            "offers": self.offers,
            "spectator_chat": self.spectator_chat,
        }


def seen_in(view: Fields) -> Fields:
    """Return the same parts of a view."""
    game = view["game"] or {"number": 0, "moves": [], "turn": None, "legal": [], "outcome": None}
    outcome = game["outcome"]
    return {
        "version": view["version"],
        "owner": view["owner"],
        "phase": view["phase"],
        "seats": {mark: seat and seat["player"] for mark, seat in view["seats"].items()},
        "number": game["number"],
        "moves": game["moves"],
        "turn": game["turn"],
        "legal": sorted(game["legal"]),
        "outcome": outcome and (outcome["winner"], outcome["reason"]),
        "offers": {offer["by"]: offer["what"] for offer in view["offers"]},
        "spectator_chat": view["spectator_chat"],
    }
