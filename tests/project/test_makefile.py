"""The Makefile: its targets, `make help`, and the hooks that call the steps of `make check`."""

from __future__ import annotations

import re
import subprocess

from tests.project.reading import ROOT, text_of

MAKEFILE = text_of("Makefile").replace("\\\n", " ")
TARGETS = re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.M)
INTERNAL = {"packages"}
"""Targets that only other targets need."""


def prerequisites(target: str) -> list[str]:
    """Return what stands behind a target's colon."""
    line = re.search(rf"^{re.escape(target)}:([^#\n]*)", MAKEFILE, re.M)
    assert line is not None, target
    return line[1].split()


def test_run_is_the_first_target() -> None:
    assert TARGETS[0] == "run"


def test_every_target_is_phony_and_has_a_rule() -> None:
    assert sorted(prerequisites(".PHONY")) == sorted(TARGETS)


def test_help_lists_every_target() -> None:
    process = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = dict(re.findall(r"^make ([a-z-]+) +(\S.*)$", process.stdout, re.M))
    assert list(listed) == [target for target in TARGETS if target not in INTERNAL]


def test_hooks_call_the_steps_of_check() -> None:
    entries = re.findall(r"^ +entry: make ([a-z-]+)$", text_of(".pre-commit-config.yaml"), re.M)
    assert entries == prerequisites("check")


def test_the_last_lines_of_a_test_run_are_pytests() -> None:
    """What the page's own tests print comes before."""
    for target in ("test", "test-long"):
        recipe = re.search(rf"^{target}:[^\n]*\n((?:\t.*\n)+)", MAKEFILE, re.M)
        assert recipe is not None
        steps = recipe[1].splitlines()
        assert "PAGE_TESTS" in steps[0]
        assert steps[-1].startswith("\t$(PYTEST)")


def test_modes_are_variables_because_processes_inherit_no_flags() -> None:
    """Both modes use the processes of ``make test``."""
    assert set(re.findall(r"^\t(\w+=1) \$\(PYTEST\)", MAKEFILE, re.M)) == {"PYTHONOPTIMIZE=1", "PYTHONDEVMODE=1"}
    assert not re.search(r"^\t.*python -(?:O|X dev)", MAKEFILE, re.M)
