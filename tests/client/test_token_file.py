"""The file in which a program keeps its player's secret and its rooms."""

from __future__ import annotations

from pathlib import Path

import pytest

from noughts.client.token_file import TokenFile, TokenFileError, unknown_token

SERVER = "http://127.0.0.1:8000"


def test_a_new_file_knows_nothing(tmp_path: Path) -> None:
    for path in (None, tmp_path / "token"):
        file = TokenFile(path, SERVER)
        assert (file.token, file.rooms) == (None, ())


def test_a_file_keeps_the_token_and_the_rooms(tmp_path: Path) -> None:
    path = tmp_path / "token"
    TokenFile(path, SERVER).keep("secret", ["room1", "room2"])
    assert path.stat().st_mode & 0o777 == 0o600
    file = TokenFile(path, SERVER)
    assert (file.token, file.rooms) == ("secret", ("room1", "room2"))
    file.keep("secret", [])
    assert path.read_text() == f"secret\n{SERVER}\n"
    assert list(tmp_path.iterdir()) == [path]


def test_without_a_path_nothing_is_kept(tmp_path: Path) -> None:
    file = TokenFile(None, SERVER)
    file.keep("secret", ["room"])
    assert (file.token, file.rooms) == ("secret", ("room",))


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    picture = tmp_path / "picture"
    picture.write_bytes(b"\x89PNG")
    for path, words in ((tmp_path, "Is a directory"), (picture, "it holds no token")):
        with pytest.raises(TokenFileError) as error:
            TokenFile(path, SERVER)
        assert str(error.value) == f"The token file {path} cannot be read: {words}. Name another one."
    path = tmp_path / "none" / "token"
    file = TokenFile(path, SERVER)
    with pytest.raises(TokenFileError) as error:
        file.keep("secret")
    assert str(error.value) == f"The token file {path} cannot be written: No such file or directory. Name another one."


def test_an_unknown_token_names_its_file(tmp_path: Path) -> None:
    assert str(tmp_path / "token") in unknown_token(tmp_path / "token")
    assert "start again" in unknown_token(None)


def test_a_token_is_for_one_server(tmp_path: Path) -> None:
    """A stranger's link must not make a program give its secret away."""
    path = tmp_path / "token"
    TokenFile(path, "https://Play.example/games").keep("secret", ["room"])
    for same in ("https://play.example/games", "https://play.example:443/games/"):
        assert TokenFile(path, same).token == "secret"
    for other in ("https://evil.example/games", "http://play.example/games", "https://play.example:8443/games"):
        with pytest.raises(TokenFileError, match=f"is for the server https://Play.example/games, not for {other}"):
            TokenFile(path, other)


def test_a_file_without_a_server_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("secret\nroom1\n")
    file = TokenFile(path, SERVER)
    assert (file.token, file.rooms, file.is_old) == ("secret", ("room1",), True)
    file.keep("secret", file.rooms)
    assert not file.is_old
    assert TokenFile(path, SERVER).rooms == ("room1",)
    with pytest.raises(TokenFileError):
        TokenFile(path, "http://127.0.0.1:8001")
