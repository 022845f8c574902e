"""Bundles: modules run once, in order, and later ones share the modules of the first."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from noughts.app.endpoints.page_bundles import EMBED, MAIN, script_bundles, style_bundle
from noughts.app.endpoints.page_files import PageFiles, page_directory

LOADED_LATER: Final = re.compile(r'\bimport\("\./([\w.]+)"\)')


def run(folder: Path, bundles: dict[str, str], root: str = MAIN) -> list[str]:
    """Run the bundle of a page in Node. Return the lines that it prints."""
    for name, text in bundles.items():
        (folder / name).write_text(text)
    (folder / "package.json").write_text('{"type": "module"}')
    command = ["node", "--no-warnings", str(folder / root)]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert answer.stderr == ""
    return answer.stdout.splitlines()


def test_modules_run_once_in_the_order_of_their_imports(tmp_path: Path) -> None:
    """All forms of import and export that the page uses keep their meaning."""
    sources = {
        "main.js": 'import { first, second as other } from "./a.js";\nimport * as b from "./b.js";\n'
        "console.log(first(), other, b.count(), new b.Box().text);\n",
        "a.js": 'import {\n  count,\n} from "./b.js";\nconsole.log("a");\ncount();\n'
        "export const second = 2;\nexport const first = () => count();\n",
        "b.js": 'console.log("b");\nlet counted = 0;\nexport function count() {\n  return ++counted;\n}\n'
        'class Box {\n  text = "box";\n}\nexport { Box };\n',
    }
    assert run(tmp_path, script_bundles(sources)) == ["b", "a", "2 2 3 box"]


def test_a_later_bundle_shares_the_modules_of_the_first(tmp_path: Path) -> None:
    """Two later bundles with the same module share it too."""
    sources = {
        "main.js": 'import { count } from "./a.js";\ncount();\nasync function later() {\n'
        '  const { one } = await import("./one.js");\n  const { two } = await import("./two.js");\n'
        "  await one();\n  two();\n}\nvoid later();\n",
        "a.js": "let counted = 0;\nexport const count = () => console.log(++counted);\n",
        "one.js": 'import { count } from "./a.js";\nimport { shared } from "./both.js";\n'
        "export async function one() {\n  count();\n  shared();\n}\n",
        "two.js": 'import { count } from "./a.js";\nimport { shared } from "./both.js";\n'
        "export function two() {\n  shared();\n  count();\n}\n",
        "both.js": 'console.log("both");\nlet n = 0;\nexport const shared = () => console.log("shared", ++n);\n',
    }
    bundles = script_bundles(sources)
    assert set(bundles) == {"main.js", "one.js", "two.js"}
    assert run(tmp_path, bundles) == ["1", "both", "2", "shared 1", "shared 2", "3"]


@pytest.mark.parametrize(
    ("sources", "reason"),
    [
        ({"main.js": "export let n = 0;\n"}, "main.js cannot be bundled, because of this statement: export let n = 0;"),
        ({"main.js": 'import "./a.js";\n', "a.js": ""}, "cannot be bundled"),
        ({"main.js": 'import { a } from "./a.js";\n'}, "a.js does not exist: main.js > a.js"),
        (
            {
                "main.js": 'import { a } from "./a.js";\n',
                "a.js": 'import { b } from "./b.js";\nexport const a = 1;\n',
                "b.js": 'import { a } from "./a.js";\nexport const b = 1;\n',
            },
            "a.js imports itself: main.js > a.js > b.js > a.js",
        ),
    ],
)
def test_what_cannot_be_bundled_is_an_error(sources: dict[str, str], reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        script_bundles(sources)


def test_every_page_has_what_it_imports_later(tmp_path: Path) -> None:
    """A module that two pages import later holds all that one of them lacks. It runs no other page."""
    later = 'void import("./later.js").then(({ later }) => later());\n'
    sources = {
        "main.js": 'import { a } from "./a.js";\nconsole.log("main", a);\n' + later,
        "embed.js": 'import { b } from "./b.js";\nconsole.log("embed", b);\n' + later + 'void import("./own.js");\n',
        "a.js": 'export const a = "a";\n',
        "b.js": 'export const b = "b";\n',
        "later.js": 'import { a } from "./a.js";\nimport { b } from "./b.js";\n'
        "export const later = () => console.log(a, b);\n",
        "own.js": 'void import("./last.js");\n',
        "last.js": 'console.log("last");\n',
    }
    bundles = script_bundles(sources)
    assert set(bundles) == {"main.js", "embed.js", "later.js", "own.js", "last.js"}
    assert run(tmp_path, bundles) == ["main a", "a b"]
    assert run(tmp_path, bundles, EMBED) == ["embed b", "a b", "last"]


def test_a_catalogue_is_loaded_as_it_is() -> None:
    """It imports nothing, and every page may load it. One without a file is left out."""
    bundles = script_bundles(
        {
            "main.js": 'import { EN } from "./en.js";\n',
            "en.js": "export const EN = {};\n",
            "pt-BR.js": "x",
            "zz.js": "y",
        },
        ("en.js", "pt-BR.js", "fr.js"),
    )
    assert set(bundles) == {"main.js", "pt-BR.js"}
    assert bundles["pt-BR.js"] == "x"


def test_styles_are_joined_in_their_order() -> None:
    page = '/* All. */\n@import "b.css";\n@import "a.css";\n'
    assert style_bundle(page, {"a.css": "a {}", "b.css": "b {}"}) == "/* All. */\nb {}\na {}\n"
    with pytest.raises(KeyError):
        style_bundle(page, {"a.css": ""})


def test_every_module_that_comes_later_has_a_bundle() -> None:
    files = PageFiles(page_directory())
    bundles = {
        name.removeprefix("bundles/"): file.body.decode()
        for name, file in files.files.items()
        if name.startswith("bundles/") and name.endswith(".js")
    }
    assert {name for text in bundles.values() for name in LOADED_LATER.findall(text)} <= set(bundles)
    assert {f"{key}.js" for key in files.languages if key != "en"} <= set(bundles)


def test_style_sheets_are_all_in_the_bundle() -> None:
    """A style sheet that is forgotten in page.css would reach no page."""
    folder = page_directory() / "css"
    named = re.findall(r'^@import "([\w.]+)";$', (folder / "page.css").read_text(), re.M)
    assert {path.name for path in folder.glob("*.css")} == {"page.css", *named}
    assert len(named) == len(set(named))
