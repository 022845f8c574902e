"""Take pictures of all boards: every game, in each set of colours, as wide as a telephone and as a desktop.

    python -m tools.lab.board_pictures                    write build/boards/
    python -m tools.lab.board_pictures --out elsewhere    write somewhere else

The tool starts a server on a free port, and draws the example position of each game with the page's own code. Each picture
shows the games in one set of colours and one width.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from tools.chromium import chromium
from tools.record import running_server

THEMES: Final = ("light", "dark", "contrast", "contrast-dark", "forced")
WIDTHS: Final = (390, 1440)
GALLERY: Final = """
async ([theme, columns]) => {
  const root = document.documentElement;
  if (theme === "light" || theme === "dark" || theme === "contrast") root.dataset.theme = theme;
  if (theme === "contrast-dark") root.dataset.theme = "contrast";
  const script = document.querySelector("script[type=module]").src;
  const { drawBoard } = await import(script.replace("start/main.js", "board/picture.js"));
  const { examplePosition } = await import(script.replace("start/main.js", "board/variant_picker.js"));
  const { variants } = await (await fetch("/api/variants")).json();
  const gallery = document.createElement("div");
  gallery.style.cssText = "display: grid; gap: 32px; padding: 24px; align-items: center";
  gallery.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  document.body.replaceChildren(gallery);
  document.body.style.background = "var(--ground)";
  for (const variant of variants) {
    for (const slanted of variant.shape.length > 2 ? [false, true] : [false]) {
      const holder = document.createElement("div");
      gallery.append(holder);
      const position = { ...examplePosition(variant), slanted };
      delete position.layerNames;
      drawBoard(holder, position);
    }
  }
  await document.fonts.ready;
}
"""


def take(browser: Browser, url: str, theme: str, width: int, path: Path) -> None:
    """Write one picture of all games."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if theme in ("dark", "contrast-dark", "forced") else "light",
        forced_colors="active" if theme == "forced" else "none",
        reduced_motion="reduce",
        bypass_csp=True,
    )
    page = context.new_page()
    page.goto(url)
    page.evaluate(GALLERY, [theme, 1 if width < 600 else 4])
    page.screenshot(path=path, full_page=True)
    context.close()


def main() -> None:
    """Parse the command line and write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("build/boards"))
    directory: Path = parser.parse_args().out
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, running_server(Path(data)) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for theme in THEMES:
            for width in WIDTHS:
                take(browser, url, theme, width, directory / f"{theme}-{width}.png")
        browser.close()
    print(f"wrote {len(THEMES) * len(WIDTHS)} pictures to {directory}")


if __name__ == "__main__":
    main()
