"""The files of the page: which are served, their hash, and the modules that a module imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from noughts.app.endpoints.page_files import PageFiles, page_directory


def page_of(directory: Path, **files: str) -> PageFiles:
    """Return the page of a directory, with these files and a shell. ``__`` in a name is a slash, ``_`` a dot."""
    for name, text in {"html__shell_html": "", **files}.items():
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
    }


def test_the_hash_is_that_of_the_tree(tmp_path: Path) -> None:
    """It changes with the text, the name and the place of every file, and with nothing else."""
    first = page_of(tmp_path / "1", a_js="x", b_js="y").tree
    assert page_of(tmp_path / "2", a_js="x", b_js="y", notes_md="z").tree == first
    others = ({"a_js": "x", "b_js": "z"}, {"a_js": "x", "c_js": "y"}, {"a_js": "x", "d__b_js": "y"}, {"a_js": "x y"})
    trees = {page_of(tmp_path / str(n + 3), **files).tree for n, files in enumerate(others)}
    assert len(trees - {first}) == len(others)


def test_imports_of_a_module(tmp_path: Path) -> None:
    """A call of ``import()`` is not among them: such a module comes later."""
    page = page_of(
        tmp_path,
        js__main_js='import { a } from "./a.js";\nimport {\n  b,\n} from "./deep/b.js";\nconst c = import("./c.js");\n',
        js__a_js='import "../other.js";\nexport { b } from "./deep/b.js";\n',
        js__deep__b_js='import { main } from "../main.js";\n',
        js__c_js="",
        other_js="",
    )
    assert page.imports("js/main.js") == ("js/a.js", "js/deep/b.js", "other.js")


def test_a_directory_without_a_page_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="the page is missing"):
        PageFiles(tmp_path)


def test_the_page_lies_beside_the_package_in_a_checkout() -> None:
    assert (page_directory() / "html" / "shell.html").is_file()
