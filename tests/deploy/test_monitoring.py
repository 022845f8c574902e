"""The alerts and the dashboard: valid, tested, and about metrics that a running server has."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml  # type: ignore[import-untyped]

from tests.project.reading import ROOT
from tests.support.player import Api, guest
from tests.support.programs import output_of, program
from tests.support.server import RunningServer

DEPLOY = ROOT / "deploy"
ALERTS = DEPLOY / "prometheus" / "alerts.yaml"
DASHBOARD = json.loads((DEPLOY / "grafana" / "dashboard.json").read_text())
EXPRESSIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


def promtool(*arguments: object, cwd: Path | None = None) -> str:
    return output_of(program("promtool", "prometheus"), *arguments, cwd=cwd)


def names(text: str) -> set[str]:
    return set(re.findall(r"\bnoughts_[a-z_]+", text))


def test_alerts_are_valid_and_fire_when_they_must() -> None:
    promtool("check", "rules", ALERTS)
    promtool("test", "rules", "alerts_test.yaml", cwd=ALERTS.parent)


def test_every_alert_has_a_test() -> None:
    alerts = re.findall(r"- alert: (\w+)", ALERTS.read_text())
    tested = ALERTS.with_name("alerts_test.yaml").read_text()
    for alert in alerts:
        assert re.search(rf"alertname: {alert}\n\s+exp_alerts:\n", tested), alert


def test_the_scrape_configuration_is_valid() -> None:
    promtool("check", "config", "--syntax-only", ALERTS.with_name("scrape.yaml"))


def test_expressions_of_the_dashboard_are_valid(tmp_path: Path) -> None:
    rules = [{"record": f"panel:{number}", "expr": text} for number, text in enumerate(EXPRESSIONS)]
    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    promtool("check", "rules", path)


async def test_a_running_server_has_every_metric(server: RunningServer) -> None:
    """The dashboard and the alerts use all of them, and no others."""
    await guest(server.url)
    text = await Api(server.url).get("/metrics")
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)", text, re.M))
    samples = {f"{name}_bucket" if kind == "histogram" else name for name, kind in kinds.items()}
    used = names(" ".join(EXPRESSIONS)) | names(re.sub(r"summary: .*", "", ALERTS.read_text()))
    assert used == samples, used ^ samples
