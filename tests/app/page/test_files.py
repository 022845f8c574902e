"""The files of the page: which are served, their hash, and what is made of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from noughts.app.page.files import PageFiles, page_directory

NEEDED: Final = {"html__shell_html": "", "js__joined_json": "{}", "js__texts__en_json": "{}"}


def page_of(directory: Path, **files: str) -> PageFiles:
    """Return the page of a directory, with these files and those that it needs. ``__`` in a name is a slash, ``_`` a dot."""
    for name, text in {**NEEDED, **files}.items():
        path = directory / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return PageFiles(directory)


def test_only_files_of_a_page_are_served(tmp_path: Path) -> None:
    names = ("deep__main_js", "notes_md", "types_d_ts", "jsconfig_json", "icon_png", "html__start_html")
    files = page_of(tmp_path, **dict.fromkeys(names, "x")).files
    assert {name: file.kind for name, file in files.items()} == {
        "deep/main.js": "text/javascript",
        "icon.png": "image/png",
        "js/texts/en.json": "application/json",
        "types.d.ts": "text/plain",
    }


def test_the_hash_is_that_of_the_tree(tmp_path: Path) -> None:
    """It changes with the text, the name and the place of every file, and with nothing else."""
    first = page_of(tmp_path / "1", a_js="x", b_js="y").tree
    assert page_of(tmp_path / "2", a_js="x", b_js="y", notes_md="z").tree == first
    others = ({"a_js": "x", "b_js": "z"}, {"a_js": "x", "c_js": "y"}, {"a_js": "x", "d__b_js": "y"}, {"a_js": "x y"})
    trees = {page_of(tmp_path / str(n + 3), **files).tree for n, files in enumerate(others)}
    assert len(trees - {first}) == len(others)


def test_what_is_sent_of_a_file(tmp_path: Path) -> None:
    """A script is joined, a style sheet holds those that it imports, and comments are left out of both."""
    page = page_of(
        tmp_path,
        js__joined_json='{"a/main.js": ["b/b.js", "a/main.js"]}',
        js__a__main_js='import { b } from "../b/b.js";\n// Why.\nconsole.log(b);\n',
        js__b__b_js="/** Why. */\nexport const b = 1;\n",
        css__page_css='@import "b.css";\n@import "a.css";\n',
        css__a_css="/* Why. */\na {}\n",
        css__b_css="b {}\n",
    )
    bodies = {name: file.body.decode() for name, file in page.files.items()}
    assert bodies["js/a/main.js"] == "export const b = 1;\nconsole.log(b);\n"
    assert bodies["js/b/b.js"] == "export const b = 1;\n"
    assert bodies["css/page.css"] == "b{}\na{}\n"


def test_a_catalogue_is_sent_whole(tmp_path: Path) -> None:
    """In English where it has a gap, so that a page needs one."""
    page = page_of(tmp_path, js__texts__en_json='{"a": "A", "b": "B"}', js__texts__de_json='{"a": "Ä"}')
    assert json.loads(page.files["js/texts/de.json"].body) == {"a": "Ä", "b": "B"}
    assert page.files["js/texts/de.json"].kind == "application/json"


def test_a_page_has_catalogues_of_its_own(tmp_path: Path) -> None:
    texts = {"js__texts__learn__en_json": '{"a": "A", "b": "B"}', "js__texts__learn__de_json": '{"a": "Ä"}'}
    page = page_of(tmp_path, js__texts__en_json="{}", **texts)
    assert json.loads(page.files["js/texts/learn/de.json"].body) == {"a": "Ä", "b": "B"}
    assert json.loads(page.files["js/texts/en.json"].body) == {}


def test_a_directory_without_a_page_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="the page is missing"):
        PageFiles(tmp_path)


def test_the_page_lies_beside_the_package_in_a_checkout() -> None:
    assert (page_directory() / "html" / "shell.html").is_file()
