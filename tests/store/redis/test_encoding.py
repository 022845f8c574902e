"""Changes and presence as words and messages."""

from __future__ import annotations

from msgspec.structs import replace

from noughts.store.machine_store import Change
from noughts.store.presence import Attendance, RoomPresence
from noughts.store.redis.encoding import (
    change_from_message,
    commit_words,
    line_bytes,
    presence_from_answer,
)
from tests.support.commits import INDEX, LINE, next_version


def test_a_plain_change_has_few_words() -> None:
    """It is sent for each move."""
    change = next_version(2, command=("p_ann", "c1"), command_ids=b"long", news=b"news")
    assert commit_words("one", change) == ["one", "r1", 1, 2, "dcn", b"more", "p_ann", "c1", b"news"]


def test_all_parts_have_their_place() -> None:
    index = INDEX._replace(listing=None, players=("p_b", "p_a", "p_b"))
    change = next_version(2, index_entry=index, command=("p", "c"), records=((3, b"game"),), line=LINE)
    words = commit_words("one", change)
    entry = (1_000, "", "classic", "p_a p_b", 0)
    assert words[4:] == ["dicrl", b"more", *entry, "p", "c", 1, 3, b"game", line_bytes(LINE)]
    assert commit_words("one", replace(change, closes=True))[4:] == ["clx", "p", "c", line_bytes(LINE)]
    assert commit_words("one", Change("r1", 1, 1, checks=True))[4:] == ["k"]


def test_a_message_has_texts_without_separators() -> None:
    payload = b"c4 5 0 0 2 3 -1 -1 -1 4\nr1\n\0\nnews"
    assert change_from_message(payload) == next_version(5, data=b"\n\0\n", news=b"news")


def test_presence_of_dead_nodes_is_departure() -> None:
    fields = [b"s", b"5", b"l", b"10", b"d:p_ann", b"20", b"n:one", b'[1,0,{"p_ann":"Ann"}]', b"n:two", b"[1,1,{}]"]
    assert presence_from_answer([fields, []]) == RoomPresence(
        5, 10, {"p_ann": 20}, {"one": Attendance(1, 0, {"p_ann": "Ann"}), "two": Attendance(1, 1, {})}
    )
    assert presence_from_answer([fields, [b"one", b"30"]]) == RoomPresence(
        5, 30, {"p_ann": 30}, {"two": Attendance(1, 1, {})}
    )


def test_presence_that_a_newer_release_added_is_ignored() -> None:
    """So is a dead node that had reported nothing."""
    fields = [b"s", b"5", b"z:new", b"1", b"n:two", b"[1,1,{}]"]
    assert presence_from_answer([fields, [b"one", b"30"]]) == RoomPresence(5, 0, {}, {"two": Attendance(1, 1, {})})
