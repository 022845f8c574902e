"""The page's weight over the wire: the document and all that it refers to, compressed."""

from __future__ import annotations

import argparse
import re
from typing import Final
from urllib.parse import urljoin

from tests.bench import command_line
from tests.bench.figures import Figure
from tests.bench.noughts_server import Noughts

_REFERENCE: Final = re.compile(
    r"""(?:\b(?:href|src)=["']|\bfrom\s*["']|\bimport\s*\(?\s*["']|\burl\(["']?)([^"'#)\s]+)""",
)
_WALKED: Final = (".html", ".js", ".css", ".webmanifest", "/")


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return the kB of the page's files."""
    server = Noughts(arguments.tree)
    sizes: dict[str, int] = {}
    waiting = ["/"]
    try:
        await server.start()
        while waiting:
            path = waiting.pop()
            if path in sizes:
                continue
            body, sizes[path] = await server.get(path)
            if path.endswith(_WALKED):
                references = _REFERENCE.findall(body.decode())
                waiting += [urljoin(path, name) for name in references if ":" not in name and not name.startswith("//")]
    finally:
        await server.stop()
    return [Figure(f"the page, {len(sizes)} files, compressed", "kB", [sum(sizes.values()) / 1000], goal=60.0)]


def main() -> None:
    command_line.run(measure, command_line.options(__doc__))


if __name__ == "__main__":
    main()
