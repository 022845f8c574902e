"""The file in which a bot keeps its secret and its rooms."""

from __future__ import annotations

from pathlib import Path

from noughts.bots.token_file import TokenFile


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
