"""The filter of fail2ban: it finds the addresses in real lines of the log, and in no others."""

from __future__ import annotations

import configparser
import io
import re
from collections.abc import Callable, Iterator

import pytest
import structlog

from noughts.app.node import upkeep
from noughts.app.runtime.limits import Bites
from noughts.app.runtime.logs import set_up_logs
from tests.project.reading import ROOT

DEPLOY = ROOT / "deploy" / "fail2ban"
SUBNET = r"(?P<host>[0-9a-f.:]+(?:/\d+)?)"
"""What fail2ban puts in place of its tag: an address, with or without the length of a network."""
DATE = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
"""fail2ban cuts the date out of a line before it looks at the line."""
FLOOD, FEW = 1_000, 999


@pytest.fixture(autouse=True)
def _own_logs() -> Iterator[None]:
    yield
    structlog.reset_defaults()


def expressions() -> list[re.Pattern[str]]:
    parser = configparser.RawConfigParser()
    parser.read(DEPLOY / "noughts.conf")
    return [re.compile(line.replace("<SUBNET>", SUBNET)) for line in parser["Definition"]["failregex"].splitlines()]


def found(line: str) -> list[str]:
    """Return the hosts that the filter finds in a line, as fail2ban gets it from a file or from the journal."""
    lines = (DATE.sub("", line, count=1), f"host noughts[12]: {line}")
    hosts = [[match["host"] for each in expressions() if (match := each.search(text))] for text in lines]
    assert hosts[0] == hosts[1]
    return hosts[0]


@pytest.fixture
def line_about(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that returns the line which the server logs for rejections: limit, times and holder of each."""

    def line(form: str, *counts: tuple[str, int, str]) -> str:
        stream, bites = io.StringIO(), Bites()
        set_up_logs("info", form, "node", stream)
        monkeypatch.setattr(upkeep, "log", structlog.get_logger())  # the module's own keeps its first stream
        for limit, times, holder in counts:
            for _ in range(times):
                bites.note(limit, holder)
        upkeep.log_bites_of(bites)
        return stream.getvalue().strip()

    return line


@pytest.mark.parametrize("form", ["text", "json"])
def test_it_finds_who_floods(line_about: Callable[..., str], form: str) -> None:
    few, bot = ("new guests of an address", FEW, "203.0.113.9"), ("chat of a player", FLOOD, "p_Abc")
    assert found(line_about(form, ("requests of an address", FLOOD, "203.0.113.7"))) == ["203.0.113.7"]
    assert found(line_about(form, few, bot, ("bans", FLOOD, "2001:db8:1:2::/64"))) == ["2001:db8:1:2::/64"]
    assert found(line_about(form, few, bot)) == []


@pytest.mark.parametrize("form", ["text", "json"])
def test_it_finds_nothing_in_other_lines(form: str) -> None:
    """Not even if a value has the words of the line."""
    stream = io.StringIO()
    set_up_logs("info", form, "node", stream)
    log = structlog.get_logger()
    fake = '[info     ] limits were reached bans=(5000, \'203.0.113.7\') "event": "limits were reached"'
    log.info("admin command", name=fake, door="page")
    log.warning(
        "a connection is rejected", reason="too many connections of one network", network="203.0.113.7", open=12
    )
    for line in stream.getvalue().splitlines():
        assert found(line) == [], line


def test_the_jail_uses_the_filter() -> None:
    parser = configparser.RawConfigParser()
    parser.read(DEPLOY / "jail.local")
    assert f"{parser['noughts']['filter']}.conf" in {path.name for path in DEPLOY.iterdir()}
