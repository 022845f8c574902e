"""The manifest and the service worker."""

from __future__ import annotations

import json

from noughts.app.endpoints.pages import manifest, service_worker
from noughts.app.page.files import PageFiles, page_directory
from noughts.app.page.html import Html
from noughts.protocol.bodies import SiteView

FILES = PageFiles(page_directory())
SITE = SiteView("Club", None, None, None)


def test_the_manifest_stays_below_the_base_path() -> None:
    content = json.loads(manifest("/games/static/x/", "Club"))
    assert (content["start_url"], content["scope"], content["id"], content["name"]) == ("./", "./", "./", "Club")
    assert {icon["sizes"] for icon in content["icons"]} == {"192x192", "512x512"}
    assert [icon["purpose"] for icon in content["icons"] if "purpose" in icon] == ["maskable"]


def test_the_worker_stores_what_the_first_pages_need() -> None:
    html = Html(FILES, "/games", {}, SITE)
    first, _, rest = service_worker(FILES, html, "Club").partition(b"\n")
    settings = json.loads(first.removeprefix(b"self.tree = ").removesuffix(b";"))
    assert (settings["base"], settings["static"]) == ("/games/", html.static)
    assert f"{html.static}js/main/main.js" in settings["files"]
    assert f"{html.static}js/service_worker.js" not in settings["files"]
    assert {name.removeprefix(html.static) for name in settings["files"]} <= set(FILES.files)
    assert b"addEventListener" in rest
