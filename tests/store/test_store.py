"""What every store promises."""

from __future__ import annotations

import asyncio

import pytest

from noughts.store.contract import Change, Found, Line, StoredPlayer

FOUND = Found(wake_at_ms=1_000, listing="open", variant="classic", players=("p_ann",))
LINE = Line(n=1, at_ms=10, player="p_ann", mark="X", text="hello", ply=3)


def made(room="r1", found=FOUND, **fields):
    return Change(room, 1, 0, data=b"one", found=found, **fields)


def changed(version, room="r1", data=b"more", **fields):
    return Change(room, version, version - 1, data=data, **fields)


# --- compare and set ----------------------------------------------------------------------------------------------


async def test_what_is_committed_is_loaded(store):
    assert await store.commit(made())
    assert (await store.load("r1")).data == b"one"
    assert await store.commit(changed(2, data=b"two"))
    assert (await store.load("r1")).data == b"two"


async def test_a_room_that_is_not_there(store):
    assert await store.load("nowhere") is None
    assert await store.game("nowhere", 1) is None
    assert not await store.commit(changed(2, room="nowhere"))
    assert not await store.commit(Change("nowhere", 1, 1, answered=("p_ann", "c1")))
    assert await store.load("nowhere") is None


async def test_a_room_is_made_once(store):
    assert await store.commit(made())
    assert not await store.commit(made()._replace(data=b"another"))
    assert (await store.load("r1")).data == b"one"


@pytest.mark.parametrize("expected", [1, 3, 7])
async def test_another_version_than_the_stored_is_a_conflict(store, expected):
    await store.commit(made())
    await store.commit(changed(2, data=b"two"))
    assert not await store.commit(Change("r1", expected + 1, expected, data=b"late"))
    assert (await store.load("r1")).data == b"two"


async def test_a_conflict_writes_nothing_at_all(store):
    await store.commit(made())
    await store.commit(changed(2, answered=("p_ann", "c1")))
    late = Change(
        "r1",
        2,
        1,
        data=b"late",
        found=Found(5, "live", "misere", ("p_ben",)),
        answered=("p_ben", "late"),
        forget=(("p_ann", "c1"),),
        game=(1, b"game"),
    )
    assert not await store.commit(late)
    room = await store.load("r1")
    assert (room.data, room.answered) == (b"more", (("p_ann", "c1", 2),))
    assert await store.game("r1", 1) is None
    assert await store.rooms_of("p_ben") == []
    assert list(await store.rooms_of("p_ann")) == ["r1"]
    assert list(await store.listed("open", None, 10)) == ["r1"]
    assert list(await store.listed("live", None, 10)) == []
    assert list(await store.wakes()) == [("r1", 1_000)]


async def test_of_many_at_the_same_version_one_comes_through(store):
    await store.commit(made())
    won = await asyncio.gather(*[store.commit(changed(2, data=str(i).encode())) for i in range(50)])
    assert won.count(True) == 1
    assert (await store.load("r1")).data == str(won.index(True)).encode()


# --- what comes with a change -------------------------------------------------------------------------------------


async def test_ids_answered_ok_come_with_the_change_oldest_first(store):
    await store.commit(made())
    await store.commit(changed(2, answered=("p_ben", "z")))
    await store.commit(changed(3, answered=("p_ann", "a")))
    assert (await store.load("r1")).answered == (("p_ben", "z", 2), ("p_ann", "a", 3))


async def test_an_id_may_come_without_a_change_of_the_room(store):
    await store.commit(made())
    assert await store.commit(Change("r1", 1, 1, answered=("p_ann", "react")))
    room = await store.load("r1")
    assert (room.data, room.answered) == (b"one", (("p_ann", "react", 1),))


async def test_ids_are_forgotten_when_told(store):
    await store.commit(made())
    for version in range(2, 6):
        await store.commit(changed(version, answered=("p_ann", f"c{version}")))
    await store.commit(changed(6, answered=("p_ann", "c6"), forget=(("p_ann", "c2"), ("p_ann", "c4"))))
    assert [known[1] for known in (await store.load("r1")).answered] == ["c3", "c5", "c6"]


async def test_the_same_id_of_another_player_or_room_is_another(store):
    await store.commit(made())
    await store.commit(made(room="r2"))
    await store.commit(changed(2, answered=("p_ann", "c")))
    await store.commit(changed(3, answered=("p_ben", "c")))
    assert (await store.load("r1")).answered == (("p_ann", "c", 2), ("p_ben", "c", 3))
    assert (await store.load("r2")).answered == ()


async def test_chat_lines_keep_their_order_and_the_newest_hundred_are_loaded(store):
    await store.commit(made())
    for n in range(1, 121):
        assert await store.commit(Change("r1", 1, 1, line=LINE._replace(n=n, text=f"line {n}")))
    lines = (await store.load("r1")).lines
    assert [line.n for line in lines] == list(range(21, 121))
    assert lines[0] == LINE._replace(n=21, text="line 21")


async def test_a_chat_line_with_a_number_that_is_taken_is_a_conflict(store):
    await store.commit(made())
    assert await store.commit(Change("r1", 1, 1, line=LINE, answered=("p_ann", "c1")))
    assert not await store.commit(Change("r1", 1, 1, line=LINE._replace(text="me too"), answered=("p_ben", "c2")))
    room = await store.load("r1")
    assert room.lines == (LINE,)
    assert room.answered == (("p_ann", "c1", 1),)


async def test_chat_may_hold_any_text(store):
    await store.commit(made())
    text = "\0 ' \" \u202e 👩‍👧 \U0010ffff"
    await store.commit(Change("r1", 1, 1, line=LINE._replace(text=text, mark=None)))
    (line,) = (await store.load("r1")).lines
    assert (line.text, line.mark) == (text, None)


async def test_games_are_kept_by_number(store):
    await store.commit(made())
    await store.commit(changed(2, game=(1, b"first")))
    await store.commit(changed(3, game=(2, b"second")))
    assert await store.game("r1", 1) == b"first"
    assert await store.game("r1", 2) == b"second"
    assert await store.game("r1", 3) is None


# --- how rooms are found ------------------------------------------------------------------------------------------


async def test_a_change_that_does_not_say_what_the_room_is_found_by_leaves_it(store):
    await store.commit(made())
    await store.commit(changed(2))
    assert list(await store.wakes()) == [("r1", 1_000)]
    assert list(await store.listed("open", "classic", 10)) == ["r1"]
    assert list(await store.rooms_of("p_ann")) == ["r1"]


async def test_what_a_room_is_found_by_is_replaced_whole(store):
    await store.commit(made())
    await store.commit(changed(2, found=Found(None, None, "misere", ("p_ben", "p_cat"))))
    assert list(await store.wakes()) == []
    assert list(await store.listed("open", None, 10)) == []
    assert list(await store.rooms_of("p_ann")) == []
    assert list(await store.rooms_of("p_cat")) == ["r1"]


async def test_lists_are_newest_first_by_variant_and_bounded(store):
    for number in range(6):
        variant = "classic" if number % 2 else "misere"
        await store.commit(made(room=f"r{number}", found=Found(1, "open", variant, ())))
    await store.commit(made(room="live", found=Found(1, "live", "classic", ())))
    await store.commit(Change("r0", 2, 1, data=b"changed last", found=Found(2, "open", "misere", ())))
    assert list(await store.listed("open", None, 10)) == ["r5", "r4", "r3", "r2", "r1", "r0"]
    assert list(await store.listed("open", "misere", 10)) == ["r4", "r2", "r0"]
    assert list(await store.listed("open", None, 2)) == ["r5", "r4"]
    assert list(await store.listed("live", None, 10)) == ["live"]
    assert set(await store.all_rooms()) == {"r0", "r1", "r2", "r3", "r4", "r5", "live"}


async def test_delete_leaves_nothing_behind(store, leftovers):
    await store.commit(made())
    await store.commit(made(room="other"))
    before = await leftovers()
    await store.commit(made(room="gone"))
    change = changed(
        2, room="gone", answered=("p_ann", "c1"), game=(1, b"game"), found=FOUND._replace(players=("p_ben",))
    )
    await store.commit(change)
    await store.commit(Change("gone", 2, 2, line=LINE))
    assert await leftovers() != before
    await store.delete("gone")
    assert await store.load("gone") is None
    assert await leftovers() == before
    await store.delete("gone")
    assert await store.count() == (0, 2)


# --- players ------------------------------------------------------------------------------------------------------

ANN = StoredPlayer("p_ann", "Ann", 100)


async def test_a_player_is_known_by_each_token(store):
    await store.add_player(ANN, b"first")
    await store.add_token("p_ann", b"second")
    assert await store.player_by_token(b"first") == ANN
    assert await store.player_by_token(b"second") == ANN
    assert await store.player_by_token(b"third") is None
    assert await store.player("p_ann") == ANN
    assert await store.player("p_ben") is None


async def test_names_are_the_present_ones(store):
    await store.add_player(ANN, b"a")
    await store.add_player(StoredPlayer("p_ben", "Ben", 100), b"b")
    await store.rename("p_ann", "Änne")
    assert await store.names(["p_ann", "p_ben", "p_cat", "p_ann"]) == {"p_ann": "Änne", "p_ben": "Ben"}
    assert await store.names([]) == {}


async def test_a_deleted_player_is_forgotten_with_all_secrets(store, leftovers):
    empty = await leftovers()
    await store.add_player(ANN, b"first")
    await store.add_token("p_ann", b"second")
    await store.add_resume_code(b"code", "p_ann", 1_000)
    await store.delete_player("p_ann")
    assert await store.player_by_token(b"first") is None
    assert await store.player_by_token(b"second") is None
    assert await store.take_resume_code(b"code", 0) is None
    assert await leftovers() == empty


async def test_guests_not_seen_are_forgotten_and_the_others_not(store):
    await store.add_player(ANN, b"a")
    await store.add_player(StoredPlayer("p_ben", "Ben", 100), b"b")
    await store.add_player(StoredPlayer("p_cat", "Cat", 200), b"c")
    await store.seen("p_ben", 300)
    assert await store.forget_unseen(200) == 1
    assert await store.player_by_token(b"a") is None
    assert (await store.player("p_ben")).seen_ms == 300
    assert await store.player("p_cat") is not None
    assert await store.count() == (2, 0)


async def test_a_resume_code_is_used_once(store):
    await store.add_resume_code(b"code", "p_ann", 1_000)
    assert await store.take_resume_code(b"wrong", 0) is None
    taken = await asyncio.gather(*[store.take_resume_code(b"code", 0) for _ in range(10)])
    assert sorted(map(str, taken)) == ["None"] * 9 + ["p_ann"]


async def test_a_resume_code_ends_in_time(store):
    await store.add_resume_code(b"code", "p_ann", 1_000)
    assert await store.take_resume_code(b"code", 1_000) is None
    assert await store.take_resume_code(b"code", 0) is None


async def test_a_new_resume_code_voids_the_old(store):
    await store.add_resume_code(b"old", "p_ann", 1_000)
    await store.add_resume_code(b"other", "p_ben", 1_000)
    await store.add_resume_code(b"new", "p_ann", 1_000)
    assert await store.take_resume_code(b"old", 0) is None
    assert await store.take_resume_code(b"new", 0) == "p_ann"
    assert await store.take_resume_code(b"other", 0) == "p_ben"


# --- the server ---------------------------------------------------------------------------------------------------


async def test_the_last_sign_of_life(store):
    assert await store.last_alive_ms() is None
    await store.alive(10)
    await store.alive(20)
    assert await store.last_alive_ms() == 20


async def test_bans(store):
    await store.ban("203.0.113.9")
    await store.ban("203.0.113.9")
    await store.ban("2001:db8::9")
    assert sorted(await store.banned()) == ["2001:db8::9", "203.0.113.9"]
    await store.unban("203.0.113.9")
    await store.unban("198.51.100.1")
    assert list(await store.banned()) == ["2001:db8::9"]


async def test_all_of_it_is_there_after_a_restart(store, open_store):
    await store.add_player(ANN, b"a")
    await store.commit(made())
    await store.commit(changed(2, data=b"two", answered=("p_ann", "c1"), game=(1, b"game")))
    await store.commit(Change("r1", 2, 2, line=LINE))
    await store.ban("203.0.113.9")
    await store.close()
    again = await open_store()
    room = await again.load("r1")
    assert (room.data, room.answered, room.lines) == (b"two", (("p_ann", "c1", 2),), (LINE,))
    assert await again.game("r1", 1) == b"game"
    assert await again.player_by_token(b"a") == ANN
    assert list(await again.banned()) == ["203.0.113.9"]
    assert list(await again.wakes()) == [("r1", 1_000)]
    assert not await again.commit(changed(2))


# --- one request that cannot be carried out -----------------------------------------------------------------------


async def test_a_poisonous_request_fails_alone(store):
    await store.commit(made())
    good = [store.add_player(StoredPlayer(f"p_{i}", "Ann", 1), f"t{i}".encode()) for i in range(20)]
    bad = [store.add_player(StoredPlayer("p_bad", "half \ud800 a pair", 1), b"bad") for _ in range(20)]
    mixed = [request for pair in zip(good, bad, strict=True) for request in pair]
    told = await asyncio.gather(*mixed, store.commit(changed(2)), return_exceptions=True)
    assert [answer for answer in told[:-1:2] if answer is not None] == []
    assert all(isinstance(answer, Exception) for answer in told[1:-1:2])
    assert told[-1] is True
    assert await store.count() == (20, 1)
    assert await store.player("p_bad") is None


async def test_a_store_that_can_write_answers_a_ping(store):
    await store.ping()
