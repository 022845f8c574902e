"""The files of the page: which are served, their hash, and what is made of them."""

from __future__ import annotations

import gzip
import re
import subprocess
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from noughts.app.endpoints.page_files import FOR_A_YEAR, PageFiles, page_directory, page_file, response


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
        "types.d.ts": "text/plain",
    }


def test_the_hash_is_that_of_the_tree(tmp_path: Path) -> None:
    """It changes with the text, the name and the place of every file, and with nothing else."""
    first = page_of(tmp_path / "1", a_js="x", b_js="y").tree
    assert page_of(tmp_path / "2", a_js="x", b_js="y", notes_md="z").tree == first
    others = ({"a_js": "x", "b_js": "z"}, {"a_js": "x", "c_js": "y"}, {"a_js": "x", "d__b_js": "y"}, {"a_js": "x y"})
    trees = {page_of(tmp_path / str(n + 3), **files).tree for n, files in enumerate(others)}
    assert len(trees - {first}) == len(others)


@pytest.mark.parametrize(
    ("accepts", "kind", "content_type", "coding"),
    [
        ("gzip, br", "text/css", "text/css; charset=utf-8", "gzip"),
        ("br", "text/css", "text/css; charset=utf-8", None),
        (None, "image/png", "image/png", None),
    ],
)
def test_a_file_is_compressed_for_clients_that_accept_it(
    accepts: str | None, kind: str, content_type: str, coding: str | None
) -> None:
    request = make_mocked_request("GET", "/", {} if accepts is None else {"Accept-Encoding": accepts})
    answer = response(request, page_file(b"a" * 999, kind), {"X-More": "1"}, 203)
    assert (answer.status, answer.headers["Content-Type"], answer.headers["X-More"]) == (203, content_type, "1")
    assert (answer.headers.get("Content-Encoding"), answer.headers["Vary"]) == (coding, "Accept-Encoding")
    body = answer.body
    assert isinstance(body, bytes)
    assert (gzip.decompress(body) if coding else body) == b"a" * 999


def test_only_the_address_of_this_version_is_kept_for_a_year(tmp_path: Path) -> None:
    """A page of another version is served all the same: its node has just been updated, or soon will be."""
    page, request = page_of(tmp_path, a_js="x"), make_mocked_request("GET", "/")
    for tree, cached in ((page.tree, FOR_A_YEAR), ("another", "no-store")):
        answer = page.response(request, tree, "a.js")
        assert (answer.body, answer.headers["Cache-Control"]) == (b"x", cached)
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
    with pytest.raises(web.HTTPNotFound):
        page.response(request, page.tree, "b.js")


def test_bundles_are_files_of_the_tree(tmp_path: Path) -> None:
    """The sources are served too: pages of other sites import them."""
    page = page_of(
        tmp_path,
        js__main_js='import { a } from "./a.js";\nconsole.log(a);\n',
        js__a_js="export const a = 1;\n",
        css__page_css='@import "a.css";\n',
        css__a_css="a { color: red; }\n",
    )
    assert {"js/main.js", "js/a.js", "bundles/main.js", "css/a.css", "bundles/page.css"} <= set(page.files)
    assert page.files["bundles/page.css"].body == b"a{color:red}"
    assert "import" not in page.files["bundles/main.js"].body.decode()


def test_comments_are_not_sent(tmp_path: Path) -> None:
    """Strings, templates and regular expressions keep what looks like a comment."""
    page = page_of(
        tmp_path,
        a_js='/** Why. */\nconst a = "/* b */"; // so\nconst c = `// ${a}  d`, e = /[/]\\/\\//.test(a);\n',
        a_css="/* Why. */\n@media (a) and (b) { c:not(d) e { f: calc(1px + 2px); } }\n",
    )
    script = page.files["a.js"].body.decode()
    assert [part for part in ('"/* b */"', "`// ${a}  d`", "/[/]\\/\\//.test") if part not in script] == []
    style = page.files["a.css"].body.decode()
    assert style == "@media (a) and (b){c:not(d) e{f:calc(1px + 2px)}}"
    assert not {"Why", "so"} & set(re.findall(r"\w+", script + style))


def test_every_module_parses_as_it_is_sent(tmp_path: Path) -> None:
    scripts = {name: file for name, file in PageFiles(page_directory()).files.items() if name.endswith(".js")}
    for name, file in scripts.items():
        (tmp_path / f"{name.replace('/', '-')}.mjs").write_bytes(file.body)
    check = "for (const name of process.argv.slice(1)) new vm.SourceTextModule(fs.readFileSync(name, 'utf8'))"
    command = ["node", "--no-warnings", "--experimental-vm-modules", "-e", check, *map(str, tmp_path.glob("*.mjs"))]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert answer.stderr == ""
    assert answer.returncode == 0


def test_a_directory_without_a_page_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="the page is missing"):
        PageFiles(tmp_path)


def test_the_page_lies_beside_the_package_in_a_checkout() -> None:
    assert (page_directory() / "html" / "shell.html").is_file()
