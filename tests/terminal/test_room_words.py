"""A room in words: what changed between two views, who sits where, and what is asked."""

from __future__ import annotations

from msgspec.structs import replace

from noughts.protocol.messages import GameView, OutcomeView, View, You
from noughts.room.room import OpenOffer
from noughts.room.seat import EngineSeat, HumanSeat, Person
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game
from noughts.terminal.room_words import game_of, news, question, seated, seats

ANN, BEN = HumanSeat("p_a", "Ann"), HumanSeat("p_b", "Ben")
WIN = OutcomeView("X", "line", ("a1", "b1", "c1"))


def game(moves: str, number: int = 1, outcome: OutcomeView | None = None, variant: str = "classic") -> GameView:
    played = Game.of(variant, moves)
    return GameView(number, variant, played.move_names, {}, played.turn, played.legal_names(), outcome)


def view(game_view: GameView | None = None, phase: str = "playing", offers: tuple[OpenOffer, ...] = ()) -> View:
    room = View(
        "id", 1, "classic", "unlisted", None, "p_a", "playing", ByMark(ANN, BEN), game_view, None, offers, (), 0,
        "always", 0, 0,
    )  # fmt: skip
    return replace(room, phase=phase)


def test_seats_have_names() -> None:
    assert seats(view()) == "X: Ann. O: Ben."
    assert seated(None) == "nobody"
    assert seated(HumanSeat("p_c", "Bot", True)) == "Bot (a bot)"
    assert seated(EngineSeat("novice")) == "the engine (novice)"
    assert seated(EngineSeat("novice", Person("p_a", "Ann"))) == "the engine for Ann"


def test_a_game_of_a_view_has_its_outcome() -> None:
    assert game_of(game("b2 a1")).outcome is None
    ended = game_of(game("a1 a2 b1 b2 c1", outcome=WIN)).outcome
    assert ended is not None
    assert (ended.winner, ended.cells) == ("X", (0, 1, 2))
    resigned = game_of(game("b2", outcome=OutcomeView("X", "resignation", ()))).outcome
    assert resigned is not None
    assert resigned.reason == "resignation"


def test_the_first_view_says_who_sits_where() -> None:
    assert list(news(None, view(game("b2")))) == ["X: Ann. O: Ben.", "Game 1 of Tic-tac-toe."]


def test_every_missed_move_is_told() -> None:
    assert list(news(view(game("")), view(game("b2 a1")))) == ["Ann (X) plays b2.", "Ben (O) plays a1."]


def test_the_next_game_is_told_from_its_start() -> None:
    before = view(game("a1 a2 b1 b2 c1", outcome=WIN))
    assert list(news(before, view(game("b2", number=2)))) == ["Game 2 of Tic-tac-toe.", "Ann (X) plays b2."]


def test_an_ending_is_told_once() -> None:
    after = view(game("a1 a2 b1 b2 c1", outcome=WIN))
    assert list(news(view(game("a1 a2 b1 b2")), after)) == ["Ann (X) plays c1.", "X wins with a1 b1 c1."]
    assert list(news(after, after)) == []


def test_a_takeback_is_told() -> None:
    assert list(news(view(game("b2 a1")), view(game("b2")))) == ["A move was taken back."]


def test_offers_and_seats_are_told_when_they_change() -> None:
    offered = view(game(""), offers=(OpenOffer("draw", "O"),))
    assert list(news(view(game("")), offered)) == ["Ben (O) offers a draw."]
    assert list(news(offered, offered)) == []
    engine = replace(view(game("b2")), seats=ByMark(ANN, EngineSeat("novice")))
    assert list(news(view(game("")), engine)) == ["X: Ann. O: the engine (novice).", "Ann (X) plays b2."]
    assert list(news(engine, replace(engine, game=game("b2 a1")))) == ["The engine (novice) (O) plays a1."]


def test_questions() -> None:
    can_move, watching = You("X", False, ("move",)), You(None, False, ())
    assert question(view(game("")), can_move) == "Your move (X):"
    ultimate = view(game("e5", variant="ultimate"))
    assert question(ultimate, You("O", False, ("move",))).startswith("Play in the middle board: ")
    assert question(view(game("b2")), You("X", False, ())) == "Waiting for O:"
    assert question(view(game("b2")), watching) == "Watching:"
    assert question(view(phase="waiting"), You("X", True, ())) == "Waiting for an opponent:"
    assert question(view(phase="waiting"), watching) == "Waiting for players:"
    assert question(view(phase="finished"), You("X", True, ("offer:rematch",))) == "rematch or quit:"
    assert question(view(phase="finished"), watching) == "The game is over:"
