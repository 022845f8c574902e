"""What makes the page an app that a browser can install: its manifest and its service worker."""

from __future__ import annotations

import json
from typing import Any, Final

from noughts.app.page.files import STYLE_SHEET, PageFiles
from noughts.app.page.html import Html

WORKER: Final = "js/service_worker.js"
_STORED: Final = (STYLE_SHEET, "icon.svg", "js/start/main.js", "js/room/page.js", "js/texts/en.json")
"""What a browser stores before it needs it: the start page, and the room that says that it is offline."""
_GROUND: Final = "#f7f5f0"


def manifest(static: str) -> bytes:
    """Return the manifest. Its other addresses are relative to its own, so they stay below the base path."""
    icons: list[dict[str, Any]] = [
        {"src": f"{static}icons/{size}.png", "sizes": f"{size}x{size}", "type": "image/png"} for size in (192, 512)
    ]
    icons.append({"src": f"{static}icons/maskable.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable"})
    content = {
        "id": "./",
        "name": "Noughts",
        "short_name": "Noughts",
        "description": "Tic-tac-toe and its variants, with friends or against the engine.",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": _GROUND,
        "theme_color": _GROUND,
        "categories": ["games"],
        "icons": icons,
    }
    return json.dumps(content).encode()


def service_worker(files: PageFiles, html: Html) -> bytes:
    """Return the service worker, after a line with the base path and the files to store.

    The line changes with the tree, so a browser installs the worker of each new version.
    """
    settings = {"base": html.base, "static": html.static, "files": [f"{html.static}{name}" for name in _STORED]}
    return f"self.tree = {json.dumps(settings)};\n".encode() + files.files[WORKER].body
