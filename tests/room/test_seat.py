"""A seat: whose it is, who moves for it, and what its holder is called."""

from __future__ import annotations

from noughts.room.seat import EngineSeat, HumanSeat, Person, person_in, seat_of, shown_name, with_name

HUMAN = HumanSeat("p_1", "One")
HELD = EngineSeat("casual", Person("p_1", "One"))


def test_a_seat_with_another_name() -> None:
    """The holder's name is replaced; the seat of another player, or of nobody, is the same object."""
    assert with_name(HUMAN, "p_1", "Uno") == HumanSeat("p_1", "Uno")
    assert with_name(HELD, "p_1", "Uno") == EngineSeat("casual", Person("p_1", "Uno"))
    for seat in (HUMAN, HELD, EngineSeat("casual")):
        assert with_name(seat, "p_2", "Two") is seat


def test_what_others_read() -> None:
    """A player is named also while the engine stands in, and an engine by its level."""
    names = [shown_name(seat) for seat in (HUMAN, HELD, EngineSeat("casual"), None)]
    assert names == ["One", "One", "Engine (casual)", ""]


def test_a_bot_stays_a_bot() -> None:
    """A rename knows only its id and its name."""
    bot = Person("p_1", "One", bot=True)
    seat = seat_of(bot)
    assert (seat, person_in(seat)) == (HumanSeat("p_1", "One", bot=True), bot)
    assert with_name(seat, "p_1", "Uno") == HumanSeat("p_1", "Uno", bot=True)
    assert with_name(EngineSeat("casual", bot), "p_1", "Uno") == EngineSeat("casual", Person("p_1", "Uno", bot=True))
