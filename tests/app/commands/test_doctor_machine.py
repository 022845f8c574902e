"""``noughts doctor`` on a machine that is really wrong, check by check."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from noughts.app.runtime.backups import note_backup
from tests.support.node_processes import faked_time
from tests.support.whole_file import fill

DAY_MS: Final = 86_400_000
SMALL_DISK: Final = ("unshare", "--mount", "--map-root-user", "sh", "-c")
"""A process that sees a file system of its own, and may mount it without being root."""
NOT_ALLOWED_ALL: Final = () if os.geteuid() else ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
"""Takes from root what lets it open the files and directories of others."""
LIMITED: Final = """
import resource, sys
from noughts.command_line import main
resource.setrlimit(resource.RLIMIT_NOFILE, (400, 400))
resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))
sys.exit(main(sys.argv[1:]))
"""


async def test_each_check_of_a_machine_fails_where_its_fault_is(tmp_path: Path) -> None:
    """A full disk, a readable file, few descriptors, little memory, a late clock, a taken port and an old backup."""
    assert shutil.which("unshare"), "unshare is missing: apt install util-linux"
    made, data = tmp_path / "made", tmp_path / "data"
    data.mkdir()
    made.mkdir()
    await fill(made / "noughts.db", rooms=3)
    note_backup(made, time.time_ns() // 1_000_000 - 9_090 * DAY_MS)
    (made / "backup.json").chmod(0o640)
    with socket.create_server(("127.0.0.1", 0)) as other:
        doctor = (sys.executable, "-c", LIMITED, "doctor", "--json", "--data", str(data))
        options = ("--port", str(other.getsockname()[1]), "--trusted", "10.0.0.0/8")
        command = shlex.join((*faked_time("-9000d"), *doctor, *options))
        small = f"mount -t tmpfs -o size=1m none {data} && cp -p {made}/* {data} && {command}"
        process = subprocess.run([*SMALL_DISK, small], capture_output=True, text=True, check=False, env=os.environ)
    findings = {finding["check"]: finding for finding in json.loads(process.stdout)["findings"]}
    assert {name: finding["right"] for name, finding in findings.items()} == {
        "file system": True,
        "free space": False,
        "files": False,
        "open files": False,
        "engine": False,
        "clock": False,
        "port": False,
        "backup": False,
        "trust": False,
    }
    assert "tmpfs" in findings["file system"]["text"]
    assert "backup.json: run chmod 600" in findings["files"]["text"]
    assert "Only 304 connections" in findings["open files"]["text"]
    assert "2160 hours old" in findings["backup"]["text"]
    assert "more memory" in findings["engine"]["text"]
    assert "Address already in use" in findings["port"]["text"]
    assert process.returncode == 1


def test_a_directory_that_may_not_be_entered_has_its_findings(tmp_path: Path) -> None:
    """All checks are listed, and one says why."""
    data = tmp_path / "data"
    (data / "inner").mkdir(parents=True)
    data.chmod(0o000)
    for place in (data, data / "inner"):
        doctor = (
            *NOT_ALLOWED_ALL,
            sys.executable,
            "-m",
            "noughts",
            "doctor",
            "--json",
            "--port",
            "0",
            "--data",
            str(place),
        )
        process = subprocess.run(doctor, capture_output=True, check=False, env=os.environ)
        findings = {finding["check"]: finding for finding in json.loads(process.stdout)["findings"]}
        assert len(findings) == 9
        assert findings["files"]["right"] is False
        assert "may not look into" in findings["files"]["text"]
    data.chmod(0o700)
