"""The file in which a program keeps its player's secret and its rooms."""

from __future__ import annotations

from pathlib import Path

import pytest

from noughts.client.token_file import TokenFile, TokenFileError, unknown_token


def test_a_new_file_knows_nothing(tmp_path: Path) -> None:
    for path in (None, tmp_path / "token"):
        file = TokenFile(path)
        assert (file.token, file.rooms) == (None, ())


def test_a_file_keeps_the_token_and_the_rooms(tmp_path: Path) -> None:
    path = tmp_path / "token"
    TokenFile(path).keep("secret", ["room1", "room2"])
    assert path.stat().st_mode & 0o777 == 0o600
    file = TokenFile(path)
    assert (file.token, file.rooms) == ("secret", ("room1", "room2"))
    file.keep("secret", [])
    assert path.read_text() == "secret\n"
    assert list(tmp_path.iterdir()) == [path]


def test_without_a_path_nothing_is_kept(tmp_path: Path) -> None:
    file = TokenFile(None)
    file.keep("secret", ["room"])
    assert (file.token, file.rooms) == ("secret", ("room",))


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    picture = tmp_path / "picture"
    picture.write_bytes(b"\x89PNG")
    for path, words in ((tmp_path, "Is a directory"), (picture, "it holds no token")):
        with pytest.raises(TokenFileError) as error:
            TokenFile(path)
        assert str(error.value) == f"The token file {path} cannot be read: {words}. Name another one."
    path = tmp_path / "none" / "token"
    file = TokenFile(path)
    with pytest.raises(TokenFileError) as error:
        file.keep("secret")
    assert str(error.value) == f"The token file {path} cannot be written: No such file or directory. Name another one."


def test_an_unknown_token_names_its_file(tmp_path: Path) -> None:
    assert str(tmp_path / "token") in unknown_token(tmp_path / "token")
    assert "start again" in unknown_token(None)
