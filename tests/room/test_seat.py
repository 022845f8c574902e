"""A seat: whose it is, and what its holder is called."""

from __future__ import annotations

from noughts.room.seat import EngineSeat, HumanSeat, Person, Player, seat_of, shown_name

HUMAN = HumanSeat("p_1")
HELD = EngineSeat("casual", Player("p_1"))


def test_what_others_read() -> None:
    """A player is named also while the engine stands in, and an engine by its level. A deleted player is someone."""
    seats = (HUMAN, HELD, EngineSeat("casual"), None)
    assert [shown_name(seat, {"p_1": "One"}) for seat in seats] == ["One", "One", "Otto (casual)", ""]
    assert [shown_name(seat, {}) for seat in seats[:2]] == ["someone", "someone"]


def test_a_bot_stays_a_bot() -> None:
    bot = Person("p_1", "One", bot=True)
    assert seat_of(bot) == seat_of(bot.nameless) == HumanSeat("p_1", bot=True)
    assert seat_of(bot).holder == bot.nameless == Player("p_1", bot=True)
