"""What every store promises about players, their tokens and resume codes, and about bans."""

from __future__ import annotations

import asyncio

import pytest

from noughts.store.contract import Store, StoredPlayer, StoredToken, StoreUnavailableError
from tests.store.conftest import Contents, OpenStore

ANN = StoredPlayer("p_ann", "Ann", 100)


async def test_a_player_is_found_by_each_token(store: Store) -> None:
    await store.add_player(ANN, b"first")
    await store.add_token("p_ann", b"second")
    assert await store.player_by_token(b"first") == ANN
    assert await store.player_by_token(b"second") == ANN
    assert await store.player_by_token(b"third") is None
    assert await store.player("p_ann") == ANN
    assert await store.player("p_ben") is None
    assert await store.player_count() == 1


async def test_tokens_are_listed_with_their_times(store: Store) -> None:
    """A token is noted as used when its player is; a copy of an older file has no times."""
    await store.add_player(ANN, b"first", 20)
    await store.add_token("p_ann", b"third")
    await store.add_token("p_ann", b"second", 30)
    third, first, second = StoredToken(b"third"), StoredToken(b"first", 20, 20), StoredToken(b"second", 30, 30)
    assert list(await store.tokens("p_ann")) == [third, first, second]
    assert await store.player_by_token(b"first") == ANN._replace(seen_ms=20)  # the token was not used since
    assert await store.player_by_token(b"third") == ANN
    await store.seen("p_ann", 200, b"first")
    await store.seen("p_ann", 200, b"unknown")
    assert list(await store.tokens("p_ann")) == [third, first._replace(seen_ms=200), second]
    assert await store.player_by_token(b"first") == ANN._replace(seen_ms=200)
    assert list(await store.tokens("p_ben")) == []


async def test_one_token_of_a_player_is_deleted(store: Store) -> None:
    await store.add_player(ANN, b"first", 20)
    await store.add_token("p_ann", b"second", 30)
    await store.delete_token("p_ben", b"first")
    await store.delete_token("p_ann", b"second")
    assert await store.known_tokens([b"first", b"second", b"first"]) == {b"first"}
    assert await store.player_by_token(b"second") is None
    assert list(await store.tokens("p_ann")) == [StoredToken(b"first", 20, 20)]
    await store.delete_player("p_ann")
    assert await store.known_tokens([b"first"]) == set()
    await store.add_player(ANN, b"first")
    assert list(await store.tokens("p_ann")) == [StoredToken(b"first")]


async def test_a_bot_is_found_as_a_bot(store: Store) -> None:
    bot = StoredPlayer("p_bot", "Robin", 100, bot=True)
    await store.add_player(bot, b"first")
    await store.rename("p_bot", "Ruby")
    assert await store.player("p_bot") == await store.player_by_token(b"first") == bot._replace(name="Ruby")


async def test_an_identity_has_one_player(store: Store) -> None:
    """The first call makes the player, and each later one gives it a token more. Two at once make one player."""
    other = StoredPlayer("p_other", "Ann", 200)
    first, second = await asyncio.gather(
        store.sign_on(b"identity", ANN, b"first"), store.sign_on(b"identity", other, b"second")
    )
    assert first == second
    assert await store.player_by_token(b"first") == await store.player_by_token(b"second") == first
    assert await store.player_count() == 1
    assert await store.player_by_token(b"identity") is None
    assert await store.identity_hash(first.id) == b"identity"
    await store.add_player(StoredPlayer("p_ben", "Ben", 100), b"ben")
    assert await store.identity_hash("p_ben") is None


async def test_a_deleted_identity_begins_anew(store: Store, contents: Contents) -> None:
    empty = await contents()
    await store.sign_on(b"identity", ANN, b"first")
    await store.delete_player("p_ann")
    assert await store.identity_hash("p_ann") is None
    assert await contents() == empty
    again = StoredPlayer("p_new", "Ann", 200)
    assert await store.sign_on(b"identity", again, b"second") == again
    assert await store.delete_unseen(300, ["p_new"]) == 1
    assert await contents() == empty


async def test_names_are_the_present_ones(store: Store) -> None:
    await store.add_player(ANN, b"a")
    await store.add_player(StoredPlayer("p_ben", "Ben", 100), b"b")
    await store.rename("p_ann", "Änne")
    assert await store.names(["p_ann", "p_ben", "p_cat", "p_ann"]) == {"p_ann": "Änne", "p_ben": "Ben"}
    assert await store.names([]) == {}
    many = [f"p_{number}" for number in range(1_100)]
    assert await store.names([*many, "p_ben"]) == {"p_ben": "Ben"}


async def test_a_deleted_player_leaves_nothing_behind(store: Store, contents: Contents) -> None:
    empty = await contents()
    await store.add_player(ANN, b"first")
    await store.add_token("p_ann", b"second")
    await store.add_resume_code(b"code", "p_ann", 1_000)
    await store.delete_player("p_ann")
    assert await store.player_by_token(b"first") is None
    assert await store.player_by_token(b"second") is None
    assert await store.take_resume_code(b"code", 0) is None
    assert await contents() == empty


async def test_a_pass_works_until_it_expires(store: Store, contents: Contents) -> None:
    empty = await contents()
    await store.add_pass(b"a", "code", 100, 0)
    await store.add_pass(b"b", "session", 200, 0)
    assert await store.has_pass(b"b", "session", 199)
    assert not await store.has_pass(b"b", "session", 200)
    assert not await store.has_pass(b"b", "code", 0)
    assert not await store.has_pass(b"c", "session", 0)
    assert not await store.take_pass(b"a", "session", 0)
    assert await store.take_pass(b"a", "code", 99)
    assert not await store.take_pass(b"a", "code", 99)
    await store.add_pass(b"d", "code", 300, 250)
    assert not await store.has_pass(b"b", "session", 0), "what has expired is deleted"
    assert await store.take_pass(b"d", "code", 299)
    assert await contents() == empty


async def test_unseen_players_are_deleted(store: Store) -> None:
    for seen_ms in (10, 20, 30):
        await store.add_player(StoredPlayer(f"p_{seen_ms}", "Ann", seen_ms), f"t{seen_ms}".encode())
    assert sorted(await store.unseen(30, 100)) == ["p_10", "p_20"]
    assert len(await store.unseen(30, 1)) == 1
    await store.seen("p_10", 40)
    assert await store.delete_unseen(30, ["p_10", "p_20", "p_30", "p_nobody"]) == 1
    assert await store.unseen(30, 100) == []
    assert await store.player("p_10") == StoredPlayer("p_10", "Ann", 40)
    assert await store.player_by_token(b"t20") is None
    assert await store.player("p_30") is not None
    assert await store.player_count() == 2


async def test_a_resume_code_works_once(store: Store) -> None:
    await store.add_resume_code(b"code", "p_ann", 1_000)
    assert await store.take_resume_code(b"wrong", 0) is None
    players = await asyncio.gather(*[store.take_resume_code(b"code", 0) for _ in range(10)])
    assert sorted(map(str, players)) == ["None"] * 9 + ["p_ann"]


async def test_a_resume_code_expires(store: Store) -> None:
    await store.add_resume_code(b"code", "p_ann", 1_000)
    assert await store.take_resume_code(b"code", 1_000) is None
    assert await store.take_resume_code(b"code", 0) is None


async def test_a_new_resume_code_voids_the_old(store: Store) -> None:
    await store.add_resume_code(b"old", "p_ann", 1_000)
    await store.add_resume_code(b"other", "p_ben", 1_000)
    await store.add_resume_code(b"new", "p_ann", 1_000)
    assert await store.take_resume_code(b"old", 0) is None
    assert await store.take_resume_code(b"new", 0) == "p_ann"
    assert await store.take_resume_code(b"other", 0) == "p_ben"


async def test_a_request_that_cannot_be_stored_fails_alone(store: Store) -> None:
    good = [store.add_player(StoredPlayer(f"p_{i}", "Ann", 1), f"t{i}".encode()) for i in range(20)]
    bad = [store.add_player(StoredPlayer("p_bad", "half \ud800 a pair", 1), b"bad") for _ in range(20)]
    mixed = [request for pair in zip(good, bad, strict=True) for request in pair]
    answers = await asyncio.gather(*mixed, return_exceptions=True)
    assert answers[::2] == [None] * 20
    assert all(isinstance(answer, ValueError) for answer in answers[1::2])
    assert await store.player_count() == 20
    assert await store.player("p_bad") is None


async def test_a_player_that_exists_is_a_value_error(store: Store) -> None:
    """Nothing of the second request stays, neither its name nor its token."""
    await store.add_player(ANN, b"first")
    with pytest.raises(ValueError, match="cannot hold"):
        await store.add_player(ANN._replace(name="Anna"), b"second")
    assert await store.player_by_token(b"second") is None
    assert await store.player("p_ann") == ANN
    with pytest.raises(ValueError, match="cannot hold"):
        await store.add_player(StoredPlayer("p_ben", "Ben", 1), b"first")
    assert await store.player("p_ben") is None


async def test_a_token_belongs_to_one_player(store: Store) -> None:
    await store.add_player(ANN, b"first")
    await store.add_player(StoredPlayer("p_ben", "Ben", 1), b"second")
    with pytest.raises(ValueError, match="cannot hold"):
        await store.add_token("p_ben", b"first")
    assert await store.player_by_token(b"first") == ANN


async def test_players_are_there_after_a_restart(store: Store, open_store: OpenStore) -> None:
    await store.add_player(ANN, b"a")
    await store.add_resume_code(b"code", "p_ann", 1_000)
    await store.close()
    with pytest.raises(StoreUnavailableError):
        await store.player("p_ann")
    store = await open_store()
    assert await store.player_by_token(b"a") == ANN
    assert await store.take_resume_code(b"code", 0) == "p_ann"


# --- bans -----------------------------------------------------------------------------------------------------------


async def test_an_address_is_banned_until_it_is_unbanned(store: Store, open_store: OpenStore) -> None:
    await store.ban("203.0.113.9")
    await store.ban("203.0.113.9")
    await store.ban("2001:db8::9")
    assert sorted(await store.banned()) == ["2001:db8::9", "203.0.113.9"]
    await store.unban("203.0.113.9")
    await store.unban("198.51.100.1")
    await store.close()
    assert list(await (await open_store()).banned()) == ["2001:db8::9"]
