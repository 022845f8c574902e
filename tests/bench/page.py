"""The page's weight over the wire."""

from __future__ import annotations

from noughts.app.endpoints.pages import Pages, page_directory
from tests.bench.measure import report


def main() -> None:
    files = Pages(page_directory()).files
    report(
        f"the page, {len(files)} files, compressed",
        f"{sum(len(f.packed) for f in files.values()) / 1000:.1f} kB",
        "60 kB",
    )


if __name__ == "__main__":
    main()
