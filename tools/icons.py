"""Draw the icons of the installed page from ``client_web/icon.svg``.

    python -m tools.icons

A browser may cut a maskable icon to a circle of 80 % of its width, so that one has square corners and smaller marks.
"""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from tools.chromium import chromium

PAGE: Final = Path(__file__).resolve().parent.parent / "client_web"
SIZES: Final = {"192": 192, "512": 512, "maskable": 512}


def maskable(svg: str) -> str:
    """Return the icon with square corners, and with its marks at three quarters of their size."""
    square = re.sub(r' rx="\d+"', "", svg)
    return square.replace("<g ", '<g transform="translate(25 25) scale(.75)" ')


def png(browser: Browser, svg: str, size: int) -> bytes:
    """Return a picture of ``size`` px in width and height, with a transparent ground."""
    page = browser.new_page(viewport={"width": size, "height": size})
    source = base64.b64encode(svg.encode()).decode()
    page.set_content(
        f'<body style="margin:0"><img src="data:image/svg+xml;base64,{source}" width="{size}" height="{size}">'
    )
    picture = page.screenshot(omit_background=True)
    page.close()
    return picture


def main() -> None:
    """Write all icons."""
    svg = (PAGE / "icon.svg").read_text()
    (PAGE / "icons").mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for name, size in SIZES.items():
            picture = png(browser, maskable(svg) if name == "maskable" else svg, size)
            (PAGE / "icons" / f"{name}.png").write_bytes(picture)
            print(f"icons/{name}.png: {len(picture)} bytes")
        browser.close()


if __name__ == "__main__":
    main()
