"""Each check of ``noughts doctor`` with right facts and with wrong ones. A wrong one says what to do."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from noughts import command_line
from noughts.app.commands import doctor_findings as judge
from noughts.app.commands.doctor_findings import Answer, Finding

RIGHT = [
    judge.file_system("ext4", shared=False),
    judge.free_space(10**10),
    judge.file_rights(1000, {"noughts.db": (1000, 0o100600)}),
    judge.descriptors(4_000),
    judge.programs(None),
    judge.clock(10_000, 10_000),
    judge.clock(10_000, None),
    judge.clock(10_000, None, shared=True),
    judge.port(""),
    judge.newest_backup(30.0, 24),
    judge.newest_backup(100.0, 0),
    judge.trust(()),
    judge.name_resolves("https://a.example", ["203.0.113.7"]),
    judge.tls("https://a.example", 60.0, ""),
    judge.tls("http://127.0.0.1:8000", None, ""),
    judge.push("https://a.example", Answer(200, {"key": None}), switched_off=True),
    judge.push("https://a.example", Answer(200, {"key": "B"}), switched_off=False),
    judge.push("http://127.0.0.1:8000", Answer(200, {"key": None}), switched_off=False),
]
WRONG = [
    (judge.file_system("nfs4", shared=True), "--data"),
    (judge.free_space(10**6), "Make room"),
    (judge.file_rights(1000, {"noughts.db": (0, 0o100600)}), "chown"),
    (judge.file_rights(1000, {"noughts.db": (1000, 0o100644)}), "chmod 600"),
    (judge.file_rights(1000, None), "run this as its owner"),
    (judge.descriptors(100), "ulimit"),
    (judge.programs("no memory"), "MemoryDenyWriteExecute"),
    (judge.clock(10_000, 90_000), "NTP"),
    (judge.port("Address already in use"), "--port"),
    (judge.newest_backup(None, 24), "--backup-hours"),
    (judge.newest_backup(49.0, 24), "log"),
    (judge.trust(("NOUGHTS_TRUSTED has 10.0.0.0/8",)), "10.0.0.0/8"),
    (judge.name_resolves("https://a.example", []), "DNS"),
    (judge.tls("http://a.example", None, ""), "set it up"),
    (judge.tls("https://a.example", 3.0, ""), "Renew"),
    (judge.tls("https://a.example", None, "self-signed"), "self-signed"),
    (judge.push("https://a.example", Answer(200, {"key": None}), switched_off=False), "--public-url"),
]


@pytest.mark.parametrize("finding", RIGHT, ids=str)
def test_right_facts(finding: Finding) -> None:
    assert finding.right


@pytest.mark.parametrize(("finding", "remedy"), WRONG, ids=str)
def test_wrong_facts(finding: Finding, remedy: str) -> None:
    assert not finding.right
    assert remedy in finding.text


def test_the_command_examines_a_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A directory without a backup is the one thing that is wrong, and the status says so."""
    status = command_line.main(["doctor", "--json", "--data", str(tmp_path), "--port", "0"])
    answer = json.loads(capsys.readouterr().out)
    failed_checks = {finding["check"] for finding in answer["findings"] if not finding["right"]}
    assert (status, answer["right"]) == (1, False)
    assert "backup" in failed_checks
    assert failed_checks <= {
        "backup",
        "free space",
        "open files",
        "file system",
    }  # the last three are the machine's own


def test_the_command_names_a_file_that_others_can_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "noughts.db-wal"
    file.touch()
    file.chmod(0o644)
    assert command_line.main(["doctor", "--data", str(tmp_path), "--port", "0"]) == 1
    assert f"{file.name}: run chmod 600" in capsys.readouterr().out
    assert os.stat(file).st_mode & 0o777 == 0o644
