"""The manifest and the service worker."""

from __future__ import annotations

import json

from noughts.app.endpoints.page_files import PageFiles, page_directory
from noughts.app.endpoints.page_html import Html
from noughts.app.endpoints.web_app import manifest, service_worker
from tests.support.local_server import LocalServer
from tests.support.responses import raw_response

FILES = PageFiles(page_directory())


def test_the_manifest_stays_below_the_base_path() -> None:
    content = json.loads(manifest("/games/static/x/"))
    assert (content["start_url"], content["scope"], content["id"]) == ("./", "./", "./")
    assert {icon["sizes"] for icon in content["icons"]} == {"192x192", "512x512"}
    assert [icon["purpose"] for icon in content["icons"] if "purpose" in icon] == ["maskable"]


def test_the_worker_stores_what_the_start_page_needs() -> None:
    html = Html(FILES, "/games", {})
    first, _, rest = service_worker(FILES, html).partition(b"\n")
    settings = json.loads(first.removeprefix(b"self.tree = ").removesuffix(b";"))
    assert (settings["base"], settings["static"]) == ("/games/", html.static)
    assert f"{html.static}bundles/main.js" in settings["files"]
    assert f"{html.static}js/service_worker.js" not in settings["files"]
    assert {name.removeprefix(html.static) for name in settings["files"]} <= set(FILES.files)
    assert b"addEventListener" in rest


async def test_both_are_served_at_the_base(server: LocalServer) -> None:
    """A browser must ask for the newest each time."""
    for path, kind in (
        ("/manifest.webmanifest", "application/manifest+json"),
        ("/service-worker.js", "text/javascript"),
    ):
        status, headers, _ = await raw_response(server, "GET", path)
        assert (status, headers["Content-Type"].split(";")[0]) == (200, kind)
        assert headers["Cache-Control"] == "no-cache"
