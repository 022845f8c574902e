"""tools/mutants.py and its table: each guard is there once, its tests exist, and a survivor is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.mutants import ROOT, Mutant, copied, main, mutants, trial

MUTANTS = mutants()
PROGRAM = "def is_even(number: int) -> bool:\n    return number % 2 == 0\n"
TEST = "from program import is_even\n\ndef test_even():\n    assert is_even(2)\n"


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.guard for mutant in MUTANTS])
def test_a_guard_stands_once_in_its_file(mutant: Mutant) -> None:
    """Adapt the table when the guard is written in another way."""
    text = (ROOT / mutant.file).read_text()
    if mutant.file.endswith(".py"):
        compile(mutant.applied(text), mutant.file, "exec")
    assert mutant.applied(text) != text


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.guard for mutant in MUTANTS])
def test_the_tests_of_a_guard_exist(mutant: Mutant) -> None:
    assert [test for test in mutant.tests if not (ROOT / test.partition("::")[0]).is_file()] == []


def test_no_guard_stands_twice_in_the_table() -> None:
    assert len({mutant.guard for mutant in MUTANTS}) == len({mutant[1:4] for mutant in MUTANTS}) == len(MUTANTS)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a tree with a program, its test, and files that no copy needs. No plugin slows pytest down there."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    root = tmp_path / "tree"
    for name, text in {
        "server/program.py": PROGRAM,
        "tests/test_program.py": TEST,
        ".venv/large": "",
        "data/noughts.db": "",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def mutant_of(old: str, new: str) -> Mutant:
    return Mutant("numbers", "server/program.py", old, new, ("tests/test_program.py",))


def test_a_copy_has_what_tests_need(tree: Path, tmp_path: Path) -> None:
    copy = copied(tree, tmp_path / "copy")
    assert sorted(path.name for path in copy.rglob("*") if path.is_file()) == ["program.py", "test_program.py"]


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("== 0", "== 1", "killed"),
        ("% 2", "% 1", "survived"),
        ("def is_even", "def is_odd", "broken"),
    ],
)
def test_a_trial_tells_what_the_tests_saw(tree: Path, old: str, new: str, verdict: str) -> None:
    """Restore the file afterwards."""
    assert trial(mutant_of(old, new), tree).verdict == verdict
    assert (tree / "server/program.py").read_text() == PROGRAM


def test_a_guard_that_is_gone_is_an_error() -> None:
    with pytest.raises(ValueError, match="0 times"):
        mutant_of("% 3", "").applied(PROGRAM)


ROWS = """
[[mutant]]
guard = "numbers"
file = "server/program.py"
old = "{}"
new = "{}"
tests = ["tests/test_program.py"]
"""


@pytest.mark.parametrize(("old", "new", "status"), [("== 0", "== 1", 0), ("% 2", "% 1", 1)])
def test_a_survivor_makes_the_command_fail(tree: Path, tmp_path: Path, old: str, new: str, status: int) -> None:
    table = tmp_path / "mutants.toml"
    table.write_text(ROWS.format(old, new))
    assert main(["--jobs", "1"], tree, table) == status


def test_tests_that_fail_unchanged_prove_nothing(tree: Path, tmp_path: Path) -> None:
    table = tmp_path / "mutants.toml"
    table.write_text(ROWS.format("== 0", "== 1"))
    (tree / "tests/test_program.py").write_text("def test_nothing():\n    assert not True\n")
    assert main([], tree, table) == 2


def test_a_text_that_no_guard_has_is_an_error() -> None:
    with pytest.raises(SystemExit):
        main(["no such guard"])
