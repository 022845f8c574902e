"""The base of frozen structs."""

from __future__ import annotations

import gc

import pytest

from noughts.values import Value


class Point(Value):
    x: int
    neighbours: tuple[int, ...] = ()


class Spot(Value):
    x: int
    neighbours: tuple[int, ...] = ()


class Shelf(Value):
    books: list[str]


def test_a_value_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(AttributeError):
        point.x = 2  # type: ignore[misc]
    assert point.x == 1


def test_values_are_equal_when_their_types_and_fields_are() -> None:
    assert Point(1, (2, 3)) == Point(1, (2, 3))
    assert Point(1, (2, 3)) != Point(1, (2,))
    others: list[object] = [Spot(1), (1, ())]
    assert Point(1) not in others


def test_equal_values_have_one_hash() -> None:
    assert len({Point(1, (2, 3)), Point(1, (2, 3)), Point(1)}) == 2


def test_the_garbage_collector_does_not_track_values() -> None:
    assert not gc.is_tracked(Shelf(["a list is tracked, and so would be what holds it"]))
