"""``make bench``: measure everything here and now. Absolute figures are this machine's; the ratios travel.

``make bench`` measures the parts of ``DEFAULT``, in about four minutes on an idle machine, and ``make bench ARGS="nodes"``
another part. The results stay in ``bench-results/`` as JSON. ``tools/bench_picture.py`` puts them into the documentation.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

from tests.bench.child import CORES
from tests.bench.comparison import print_comparison
from tests.bench.figures import Figure, load, print_table, summary
from tests.bench.noughts_server import TREE, Noughts
from tests.bench.side_by_side import OURS, OverRedis

DEFAULT: Final = ("side_by_side", "spectators", "connections", "rooms")
PARTS: Final = (*DEFAULT, "moves", "nodes", "guards", "searching", "client", "page")
DURABLE: Final = {OURS: Noughts.durable, f"{OURS}, Redis": OverRedis.durable}
"""What a server has stored when it acknowledges a move. The others keep games in memory only."""
RESULTS: Final = TREE / "bench-results"


def machine() -> dict[str, object]:
    """Return what the figures depend on besides the code."""
    info = Path("/proc/cpuinfo")
    models = [line for line in info.read_text().splitlines() if line.startswith("model name")] if info.exists() else []
    return {
        "cpu": models[0].partition(":")[2].strip() if models else platform.processor(),
        "cores": len(CORES),
        "load": os.getloadavg(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "aiohttp": version("aiohttp"),
        "uvloop": version("uvloop"),
    }


def commit(tree: Path) -> str:
    """Return the commit of a source tree; empty where git cannot tell."""
    command = ["git", "-C", str(tree), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def main() -> int:
    """Measure the parts, each in a process of its own, so that none measures what another left behind."""
    parser = argparse.ArgumentParser(prog="make bench", description="Measure what Noughts costs.")
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: {', '.join(DEFAULT)})"
    )
    parser.add_argument("--server", type=Path, default=TREE, metavar="PATH", help="a source tree (default: this one)")
    arguments = parser.parse_args()
    parts: list[str] = arguments.parts or list(DEFAULT)
    for part in parts:
        if part not in PARTS:
            parser.error(f"there is no part {part}: choose from {', '.join(PARTS)}")
    figures: list[Figure] = []
    failed: list[str] = []
    durations: dict[str, float] = {}
    facts = machine()
    with tempfile.TemporaryDirectory() as folder:
        for number, part in enumerate(parts):
            print(f"--- {part} ({number + 1} of {len(parts)})", flush=True)
            file = Path(folder) / f"{part}.json"
            options = ["--server", str(arguments.server), "--json", str(file)]
            command = [sys.executable, "-m", f"tests.bench.{part}", *options]
            begun = time.monotonic()
            if subprocess.run(command, cwd=TREE, check=False).returncode == 0:
                figures += load(file)
            else:
                failed.append(part)
            durations[part] = round(time.monotonic() - begun, 1)
            print(f"{sum(durations.values()):.0f} s so far", flush=True)
    now = datetime.now().astimezone()
    results = {
        "date": now.isoformat(timespec="seconds"),
        "commit": commit(arguments.server),
        "machine": facts,
        "seconds": durations,
        "failed": failed,
        "figures": [summary(figure) for figure in figures],
    }
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{now:%Y-%m-%d-%H%M%S}.json"
    file.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n")
    seconds = f"{sum(durations.values()):.0f} s"
    print(f"\n{facts['cpu']}, {facts['cores']} cores; Python {facts['python']}; {seconds}; kept in {file}\n")
    print_comparison(figures, DURABLE)
    print()
    print_table([figure for figure in figures if not figure.subject])
    if failed:
        print(f"could not be measured: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
