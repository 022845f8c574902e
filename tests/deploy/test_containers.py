"""The Dockerfile and the compose files, without a Docker engine."""

from __future__ import annotations

import fnmatch
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.project.reading import ROOT
from tests.support.programs import output_of, program
from tests.support.server import QUICK

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
START = "import sys; from noughts.command_line import main; sys.exit(main())"


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile, each as its word and its arguments on one line."""
    text = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", DOCKERFILE, flags=re.M))
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in text.splitlines() if line)]


def build_stage() -> list[tuple[str, str]]:
    """Return the instructions of the first stage, after its FROM."""
    _, *rest = instructions()
    end = next(at for at, (word, _) in enumerate(rest) if word == "FROM")
    return rest[:end]


def test_the_dockerfile_has_no_lint() -> None:
    output_of(program("hadolint"), DEPLOY / "Dockerfile")


def test_the_dockerfile_copies_what_exists_and_is_not_ignored() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    kept = [line.removeprefix("!") for line in ignored if line.startswith("!")]
    for word, rest in build_stage():
        if word == "COPY":
            *sources, _ = rest.split()
            for source in sources:
                assert (ROOT / source).exists()
                assert any(fnmatch.fnmatch(source, pattern) for pattern in kept), source


def test_the_image_runs_without_root_and_checks_its_health() -> None:
    words = dict(instructions())
    assert re.fullmatch(r"\d+:\d+", words["USER"])
    assert words["HEALTHCHECK"].endswith('CMD ["noughts", "health"]')
    assert (words["ENTRYPOINT"], words["CMD"]) == ('["noughts"]', '["serve"]')


def accounts() -> tuple[int, int] | None:
    """Return the ids of an account without rights if this process may change to it."""
    if os.geteuid() != 0:
        return None
    nobody = pwd.getpwnam("nobody")
    return nobody.pw_uid, nobody.pw_gid


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """Return a directory that every account may enter. pytest's own are closed to others."""
    path = Path(tempfile.mkdtemp(prefix="noughts-image-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def run_as(ids: tuple[int, int] | None, *command: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command],
        env={"PATH": os.defpath, **environment},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
        user=None if ids is None else ids[0],
        group=None if ids is None else ids[1],
        extra_groups=None if ids is None else [],
    )


def interpreter(ids: tuple[int, int] | None) -> str:
    """Return an interpreter that an account can run and that makes environments."""
    for path in (f"{sys.base_prefix}/bin/python3", "/usr/bin/python3"):
        try:
            if run_as(ids, path, "-c", "import ensurepip, venv").returncode == 0:
                return path
        except OSError:
            continue
    pytest.fail("this test needs a Python that every account can run: sudo apt install python3-venv")


@pytest.mark.long
def test_the_build_commands_make_a_program_that_needs_no_rights(open_directory: Path) -> None:
    """Run the first stage in a directory in place of an image. The program then writes to its data directory alone."""
    ids = accounts()
    python = interpreter(ids)
    source, target = open_directory / "src", open_directory / "opt"
    target.mkdir()
    for word, rest in build_stage():
        if word == "WORKDIR":
            source.mkdir()
        elif word == "COPY":
            *names, to = rest.split()
            for name in names:
                if (ROOT / name).is_dir():
                    shutil.copytree(ROOT / name, source / to, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
                else:
                    shutil.copy(ROOT / name, source / to)
        else:
            command = rest.replace("/opt/", f"{target}/").replace("python -m venv", f"{python} -m venv")
            output_of("sh", "-c", command, cwd=source, env={**os.environ, "PYTHONPATH": ""})
    shutil.rmtree(source)
    output_of("chmod", "-R", "a-w", target)

    data = open_directory / "data"
    data.mkdir(mode=0o700)
    if ids is not None:
        os.chown(data, *ids)
    noughts = target / "noughts" / "bin" / "noughts"
    settings = {**QUICK, "NOUGHTS_DATA": str(data), "NOUGHTS_PORT": "0", "NOUGHTS_WORKERS": "1"}
    started = run_as(ids, "sh", "-c", f"timeout --signal=TERM 8 {noughts} serve; test $? = 124", **settings)
    assert started.returncode == 0, started.stderr
    assert "Noughts is ready" in started.stdout, started.stderr
    assert (data / "noughts.db").exists()
    assert "Traceback" not in started.stderr
    touched = run_as(ids, "touch", target / "noughts" / "file")
    assert touched.returncode != 0
    output_of("chmod", "-R", "u+w", target)


# --- compose ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def deploy(tmp_path: Path) -> Path:
    """Copy deploy/ and give it the file with the password, which an operator makes."""
    copy = tmp_path / "deploy"
    shutil.copytree(DEPLOY, copy)
    (copy / "redis" / "password").write_text("secret")
    return copy


def composed(deploy: Path, *names: str) -> Any:
    files = [word for name in names for word in ("--file", str(deploy / name))]
    return yaml.safe_load(output_of(program("docker-compose", "docker-compose"), *files, "config"))


def test_one_server_has_one_volume_and_a_read_only_root(deploy: Path) -> None:
    ((name, service),) = composed(deploy, "compose.yaml")["services"].items()
    assert name == "noughts"
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert [volume.split(":")[1] for volume in service["volumes"]] == ["/data"]


@pytest.mark.parametrize("names", [("compose.scale.yaml",), ("compose.scale.yaml", "compose.traefik.yaml")])
def test_two_nodes_share_redis_behind_a_proxy(deploy: Path, names: tuple[str, ...]) -> None:
    services = composed(deploy, *names)["services"]
    nodes = [service for service in services.values() if service["image"] == "noughts"]
    assert len(nodes) == 2
    assert len({node["environment"]["NOUGHTS_NODE_NAME"] for node in nodes}) == 2
    assert "ports" not in services["redis"]
    assert {node["environment"]["NOUGHTS_STORE"] for node in nodes} == {"redis://noughts@redis:6379"}
    assert services["caddy"]["environment"]["NODES"] == "node1:8000 node2:8000"
    if len(names) == 2:
        assert all(node["labels"]["traefik.enable"] == "true" for node in nodes)


def test_a_node_drains_for_longer_than_its_health_check_takes(deploy: Path) -> None:
    services = composed(deploy, "compose.scale.yaml")["services"]
    check_s = re.search(r"health_interval (\d+)s", (deploy / "caddy" / "Caddyfile").read_text())
    assert check_s is not None
    assert int(services["node1"]["environment"]["NOUGHTS_DRAIN_S"]) > 2 * int(check_s[1])
