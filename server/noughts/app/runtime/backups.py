"""Backups that happen by themselves: a child process makes each one, so that no move waits for it.

The child runs ``noughts backup DIRECTORY --keep N``. Over a shared store one node of all makes the backup.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

import structlog

from noughts.app.runtime.clock import ServerClock
from noughts.app.runtime.config import Config
from noughts.store.address import address_text
from noughts.store.contract import StoreUnavailableError
from noughts.store.coordination import Coordination, Rate

BACKUP_FILE: Final = "backup.json"
"""When the newest backup was made from a data directory."""
DIRECTORY: Final = "backups"
LOOK_S: Final = 30.0
"""Seconds between two looks whether a backup is due."""
TRY_S: Final = 3_600
"""The most seconds that a backup may take, and the least between two tries of all nodes."""
NICENESS: Final = 15
HOUR_MS: Final = 3_600_000
_PACKAGES: Final = Path(__file__).parents[3]
"""The child runs here, so that it takes the package of this process and none of the working directory."""
NAME: Final = "backup"

log = structlog.get_logger()


def note_backup(data: Path, at_ms: int) -> None:
    """Note in a data directory that a backup was made. Raise ``OSError``."""
    file = data / BACKUP_FILE
    partial = file.with_name(f"{file.name}.partial")
    partial.write_text(json.dumps({"at_ms": at_ms}))
    os.replace(partial, file)  # also a file of another account, such as root's


def noted_backup(data: Path) -> int:
    """Return when the newest backup was made from a data directory, 0 if that is not known."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return int(json.loads((data / BACKUP_FILE).read_text())["at_ms"])
    return 0


class Backups:
    """The backups of one node's store, and how old the newest good one is."""

    def __init__(self, config: Config, coordination: Coordination, clock: ServerClock) -> None:
        self._config = config
        self._coordination = coordination
        self._clock = clock
        self._of_others_ms = 0
        self.fault = ""
        """Why the last backup of this node failed; empty if it did not."""

    @property
    def hours(self) -> int:
        """Hours between two backups, 0 if the server makes none by itself."""
        return self._config.backup_hours

    @property
    def newest_ms(self) -> int:
        """When the newest good backup was made, by any node or by the command line here; 0 if none is known."""
        return max(noted_backup(self._config.data), self._of_others_ms)

    @property
    def age_s(self) -> float:
        """The age of the newest good backup, infinite if none is known. NaN where no backups are made by themselves."""
        if not self.hours:
            return float("nan")
        newest_ms = self.newest_ms
        return max(0, self._clock.now_ms() - newest_ms) / 1000 if newest_ms else float("inf")

    def report(self) -> dict[str, dict[str, object]]:
        """Return what the operator should know; nothing where no backups are made by themselves."""
        if not self.hours:
            return {}
        age_s = round(self.age_s) if self.newest_ms else None
        return {"backup": {"age_s": age_s} | ({"fault": self.fault} if self.fault else {})}

    async def keep_making(self) -> None:
        """Make a backup whenever one is due, until cancelled."""
        while self.hours:
            with suppress(StoreUnavailableError):
                await self.make_if_due()
            await asyncio.sleep(LOOK_S)

    async def make_if_due(self) -> None:
        """Make a backup if the newest one is old, unless a node tries that or has tried within the hour."""
        self._of_others_ms = await self._coordination.noted(NAME)
        if self._clock.now_ms() - self.newest_ms < self.hours * HOUR_MS:
            return
        if await self._coordination.take_credit(NAME, "all", Rate(1, 1 / TRY_S)):
            return
        began_ms = self._clock.now_ms()
        self.fault = await self._run()
        if self.fault:
            log.error("the backup failed: it is tried again in an hour", reason=self.fault)
            return
        log.info("backup made", seconds=(self._clock.now_ms() - began_ms) / 1000)
        await self._coordination.note(NAME, began_ms)

    async def _run(self) -> str:
        """Let a child make a backup. Return why it failed, or an empty text."""
        config = self._config
        directory = config.backup_directory or config.data / DIRECTORY
        words = ("backup", str(directory.absolute()), "--keep", str(config.backup_keep))
        passwords = config.store_password_file
        environment = {
            **os.environ,
            "NOUGHTS_DATA": str(config.data.absolute()),
            "NOUGHTS_STORE": "" if config.store is None else address_text(config.store),
            "NOUGHTS_STORE_PREFIX": config.store_prefix,
            "NOUGHTS_STORE_PASSWORD_FILE": "" if passwords is None else str(passwords.absolute()),
        }
        try:
            child = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "noughts", *words,
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
                env=environment, cwd=_PACKAGES,
            )  # fmt: skip
        except OSError as error:
            return f"no process for it can be started: {error.strerror}"
        try:
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, child.pid, NICENESS)
            async with asyncio.timeout(TRY_S):
                _, errors = await child.communicate()
        except TimeoutError:
            return "it took longer than an hour"
        finally:
            if child.returncode is None:
                child.kill()
        if child.returncode == 0:
            return ""
        lines = errors.decode(errors="replace").strip().splitlines() or [f"exit status {child.returncode}"]
        return lines[-1].removeprefix("noughts: ")
