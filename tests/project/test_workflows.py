"""The workflows of a forge: they call what a contributor calls, with actions of fixed versions and no secret."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.project.reading import ROOT, text_of
from tests.support.programs import output_of, program

WORKFLOWS = sorted(path.name for path in (ROOT / ".github" / "workflows").iterdir())
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", text_of("Makefile") + text_of("lab.mk"), re.M))


def jobs(name: str) -> dict[str, Any]:
    """Return the jobs of a workflow."""
    loaded: dict[str, Any] = yaml.safe_load(text_of(f".github/workflows/{name}"))["jobs"]
    return loaded


def steps(name: str) -> list[dict[str, Any]]:
    """Return the steps of all jobs of a workflow."""
    return [step for job in jobs(name).values() for step in job["steps"]]


def commands(name: str) -> str:
    """Return what a workflow runs, one command a line."""
    return "\n".join(step["run"] for step in steps(name) if "run" in step)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_targets_and_files_exist(name: str) -> None:
    assert set(re.findall(r"^make ([a-z-]+)", commands(name), re.M)) <= TARGETS
    for path in re.findall(r"(?<![\w./])(?:\.ci|deploy|tools)/[\w.-]+", commands(name)):
        assert (ROOT / path).is_file(), path


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_have_versions_and_no_secret_is_read(name: str) -> None:
    for step in steps(name):
        assert "uses" not in step or re.fullmatch(r"[\w-]+/[\w-]+@v\d+\.\d+\.\d+", step["uses"])
    assert "secrets." not in text_of(f".github/workflows/{name}")


def test_the_workflows_have_no_lint() -> None:
    """Without the programs that read scripts, which a machine may have or not."""
    output_of(program("actionlint"), "-no-color", "-shellcheck=", "-pyflakes=", cwd=ROOT)


def test_the_checks_run_on_every_python() -> None:
    (job,) = jobs("checks.yml").values()
    assert ".ci/run" in commands("checks.yml").splitlines()
    oldest = tomllib.loads(text_of("pyproject.toml"))["project"]["requires-python"].removeprefix(">=")
    assert job["strategy"]["matrix"]["python"] == [oldest, "3.12", "3.13", "3.14"]


def test_a_tag_releases_packages_and_an_image() -> None:
    lines = commands("release.yml")
    assert "make release" in lines
    assert 'grep -qx "version = ' in lines  # the tag is that of the version
    assert "make single" in lines
    assert jobs("release.yml")["single-files"]["strategy"] == {
        "matrix": {"python": jobs("checks.yml")["checks"]["strategy"]["matrix"]["python"]}
    }
    assert "--platform linux/amd64,linux/arm64" in lines
    assert "--provenance mode=max --sbom true" in lines
    assert jobs("release.yml")["index"]["permissions"] == {"id-token": "write"}  # trusted publishing stores no password


def test_what_ci_runs_exists() -> None:
    assert set(re.findall(r"^make ([a-z-]+)", text_of(".ci/run"), re.M)) <= TARGETS
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o100
