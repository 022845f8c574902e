"""Joined modules: what they do is what the modules do, and each page names all that it begins with."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from noughts.app.page.files import PageFiles, imported_sheets, page_directory
from noughts.app.page.joined import joined, scripts_by_module, without_comments

MODULES: Final = page_directory() / "js"
IMPORT: Final = re.compile(r'^import \{[^}]*\} from "(\.[^"]+)";$', re.M)
LATER: Final = re.compile(r'(?<![{(|] )(?<!typeof )\bimport\("([^"]+)"\)(?!\.[A-Z])')
"""A call of ``import()``. In comments, it names types."""


def imports(name: str) -> list[str]:
    """Return the modules that a module imports, by their paths."""
    text = (MODULES / name).read_text()
    return [str(((MODULES / name).parent / path).resolve().relative_to(MODULES)) for path in IMPORT.findall(text)]


def with_imports(name: str, present: list[str]) -> list[str]:
    """Return a module after all that it imports, directly or not, without those that are present."""
    order: list[str] = []

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, f"a cycle: {' > '.join([*path, module])}"
        if module not in order and module not in present:
            for imported in imports(module):
                visit(imported, (*path, module))
            order.append(module)

    visit(name, ())
    return order


def test_a_script_has_all_that_its_first_module_imports() -> None:
    """In the order in which modules run. Later scripts leave out what the scripts of the start page and of a room have."""
    start = with_imports("main/main.js", [])
    room = with_imports("room/page.js", start)
    assert PageFiles(page_directory()).joined == {
        "main/main.js": start,
        "room/page.js": room,
        "learn/learn_page.js": with_imports("learn/learn_page.js", start + room),
        "room/embed.js": with_imports("room/embed.js", []),
    }


def test_a_script_runs_its_modules(tmp_path: Path) -> None:
    """They share one scope. A module of another script is imported."""
    sources = {
        "a/one.js": '/** Why. */\nexport const one = 1;\nconsole.log("one");\n',
        "b/two.js": 'import { one } from "../a/one.js";\nimport {\n  half,\n  third,\n} from "../c/other.js";\n'
        "export const two = (one + one) * half * third;\n",
        "b/main.js": 'import { third } from "../c/other.js";\nimport { two } from "./two.js";\nconsole.log(two, third);\n',
    }
    other = "export const half = 0.5;\nexport const third = 3;\nexport const none = 0;\n"
    for name, text in {
        "b/main.js": joined(("a/one.js", "b/two.js", "b/main.js"), sources, {}),
        "c/other.js": other,
    }.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    answer = subprocess.run(["node", tmp_path / "b/main.js"], capture_output=True, text=True, timeout=60, check=True)
    assert answer.stdout.splitlines() == ["one", "3 3"]


@pytest.mark.parametrize(
    "statement", ['import "./b.js"', 'import * as b from "./b.js"', 'import { b as c } from "./b.js"', "import b"]
)
def test_another_form_of_import_is_an_error(statement: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"a/a.js cannot be joined, because of this statement: {statement}")):
        joined(["a/a.js"], {"a/a.js": f"{statement};\n"}, {})


def test_a_later_module_imports_from_the_scripts() -> None:
    """So no module runs twice. The modules that the client of other sites imports are sent as they are."""
    scripts = scripts_by_module({"a/main.js": ["a/b.js", "a/c.js", "a/main.js"], "d/e.js": ["a/b.js", "d/e.js"]})
    source = 'import { b } from "../a/b.js";\nimport { c } from "../a/c.js";\nb(c);\n'
    assert joined(["f/g.js"], {"f/g.js": source}, scripts) == 'import { b, c } from "../a/main.js";\nb(c);\n'
    files = PageFiles(page_directory())
    inside = {name for name, script in scripts_by_module(files.joined).items() if name != script}
    for path in MODULES.glob("*/*.js"):
        name = str(path.relative_to(MODULES))
        imported = IMPORT.findall(files.files[f"js/{name}"].body.decode())
        if name not in inside and name != "room/embed.js":
            assert not {str((path.parent / each).resolve().relative_to(MODULES)) for each in imported} & inside, name
    assert "../net/" not in files.files["js/net/connection.js"].body.decode()


def test_modules_that_come_later_exist() -> None:
    """Each call names the folder of a module, so that it means the same in a joined script."""
    calls = {name for path in MODULES.glob("*/*.js") for name in LATER.findall(path.read_text())}
    assert len(calls) > 5
    assert [name for name in calls if not re.fullmatch(r"\.\./\w+/\w+\.js", name)] == []
    assert [name for name in calls if not (MODULES / "main" / name).exists()] == []


def test_style_sheets_are_all_joined() -> None:
    """A style sheet that is forgotten in page.css would reach no page."""
    folder = page_directory() / "css"
    named = imported_sheets((folder / "page.css").read_text())
    # Their pages name or load them.
    alone = {
        f"{name}.css"
        for name in ("admin", "document", "embed", "invitation", "keys", "learn", "share", "speech", "tournament")
    }
    assert {path.name for path in folder.glob("*.css")} == {"page.css", *named} | alone
    assert len(named) == len(set(named))


def test_indentation_types_and_comments_are_left_out() -> None:
    """A comment stays between code, and with a quote, because it may be a part of a text."""
    source = """/** Why. */
const a = "/* b */"; // so
const url = "a; // b";
.c { top: 0; } /* why */
  // gone
/*
 * gone
 */

  /** @type {X} */ let d;
/* e */ f /* g */
"""
    assert without_comments(source).splitlines() == [
        'const a = "/* b */";',
        'const url = "a; // b";',
        ".c { top: 0; }",
        "let d;",
        "/* e */ f /* g */",
    ]


PRINTED: Final = """
const ts = require(process.argv[1]);
const printer = ts.createPrinter({ removeComments: true });
const files = JSON.parse(require("fs").readFileSync(0, "utf8"));
const print = (text) => printer.printFile(ts.createSourceFile("a.js", text, ts.ScriptTarget.Latest));
console.log(JSON.stringify(files.map(([name, text, sent]) => print(text) === print(sent) ? "" : name)));
"""
"""Say in which files TypeScript reads other code without comments."""


def test_every_module_means_the_same_without_comments() -> None:
    """No text of a module looks like a comment that has lines of its own."""
    files = [(path.name, text := path.read_text(), without_comments(text)) for path in sorted(MODULES.rglob("*.js"))]
    assert any(len(sent) < len(text) / 2 for _, text, sent in files)
    compiler = page_directory().parent / "node_modules" / "typescript"
    command = ["node", "-e", PRINTED, str(compiler)]
    answer = subprocess.run(command, input=json.dumps(files), capture_output=True, text=True, timeout=120, check=True)
    assert [name for name in json.loads(answer.stdout) if name] == []


def test_every_script_parses_as_it_is_sent(tmp_path: Path) -> None:
    """No two modules of a joined script declare the same name."""
    for name, file in PageFiles(page_directory()).files.items():
        if name.endswith(".js"):
            (tmp_path / f"{name.replace('/', '-')}.mjs").write_bytes(file.body)
    check = "for (const name of process.argv.slice(1)) new vm.SourceTextModule(fs.readFileSync(name, 'utf8'))"
    command = ["node", "--no-warnings", "--experimental-vm-modules", "-e", check, *map(str, tmp_path.glob("*.mjs"))]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert answer.stderr == ""
    assert answer.returncode == 0
