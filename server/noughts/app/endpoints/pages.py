"""The endpoints that answer with pages, and with what belongs to them: files, the manifest, the service worker."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from aiohttp import hdrs, web

from noughts.app.delivery.routes import Row, row
from noughts.app.endpoints.requests import base_url, client_has
from noughts.app.endpoints.responses import file_response
from noughts.app.machines.wing import Read
from noughts.app.page.files import HEADERS, SCRIPTS, STYLE_SHEET, PageFiles, page_file, policy
from noughts.app.page.html import Head, Html, PageName
from noughts.app.page.languages import wanted_language
from noughts.app.page.link_previews import (
    missing_head,
    puzzle_head,
    replay_head,
    room_head,
    site_head,
    tournament_head,
)
from noughts.app.page.replays import replay_in, replay_of
from noughts.app.players.names import NameLookup
from noughts.app.runtime.config import Config
from noughts.command_line import part
from noughts.errors import CODES, Rejection
from noughts.puzzles.collection import Puzzles
from noughts.room.room import Room
from noughts.room.seat import Names
from noughts.store.contract import StoreUnavailableError

PUZZLES: Final = "Positions in which exactly one move is right, proved at each step."
LEARN: Final = "Minimax and alpha-beta in six short chapters, each on a board that you play on."
JOIN: Final = "Type the PIN of a tournament to take part in it."
FOR_A_YEAR: Final = "public, max-age=31536000, immutable"
_FOR_ANY_PAGE: Final[Mapping[str, str]] = MappingProxyType({hdrs.ACCESS_CONTROL_ALLOW_ORIGIN: "*"})
"""Lets a page of any site import the modules. They are public, and the API asks for the page's origin."""
_REVALIDATED: Final[Mapping[str, str]] = MappingProxyType({hdrs.CACHE_CONTROL: "no-cache"})
_VARIED: Final = f"{hdrs.ACCEPT_ENCODING}, {hdrs.ACCEPT_LANGUAGE}"
_UNLISTED: Final[Mapping[str, str]] = MappingProxyType({"X-Robots-Tag": "noindex"})
"""Search engines keep no page of a room. Chat programs may read it, for its preview."""
WORKER: Final = "js/service_worker.js"
_STORED: Final = (STYLE_SHEET, "icon.svg", "js/main/main.js", "js/room/page.js", "js/texts/en.json")
"""What a browser stores before it needs it: the start page, and the room that says that it is offline."""
_GROUND: Final = "#f7f5f0"


class PageEndpoints:
    """Answers with pages."""

    def __init__(
        self,
        config: Config,
        files: PageFiles,
        html: Html,
        names: NameLookup,
        read_room: Read,
        read_tournament: Read,
        puzzles: Puzzles,
    ) -> None:
        self._config = config
        self._files = files
        self._html = html
        self._names = names
        self._read_room = read_room
        self._read_tournament = read_tournament
        self._puzzles = puzzles
        self._documents: Any = None
        """What draws the documentation; None until the first request for it."""
        self._document_lock = threading.Lock()
        ancestors = " ".join(config.embed_origins) or "'none'"
        self._embed_headers = {"Content-Security-Policy": policy(html.scripts, ancestors), **_UNLISTED}
        self._manifest = page_file(manifest(html.static, config.site_name), "application/manifest+json")
        self._service_worker = page_file(service_worker(files, html, config.site_name), "text/javascript")

    def rows(self) -> tuple[Row, ...]:
        """Return the rows of the pages, and of the files that belong to them."""
        return (
            row("tournamentPage", self.tournament),
            row("wallPage", self.tournament),
            row("joinPage", self.join),
            row("roomPage", self.room),
            row("documentation", self.document),
            row("documentationPage", self.document),
            row("puzzlesPage", self.puzzle),
            row("puzzlePage", self.puzzle),
            row("learnPage", self.learn),
            row("replayPage", self.replay),
            row("replayOfMovesPage", self.replay_of_moves),
            row("embeddedRoomPage", self.embedded_room),
            row("embeddedReplayPage", self.embedded_replay),
            row("embeddedPuzzlePage", self.embedded_puzzle),
            row("embeddedReplayOfMovesPage", self.embedded_replay_of_moves),
            Row("GET", "/", self._start, head=True),
            Row("GET", "/static/js/{module:.+}", self._module, head=True),
            Row("GET", "/static/{tree}/{path:.+}", self._static, head=True),
            Row("GET", "/manifest.webmanifest", self._app_manifest, head=True),
            Row("GET", "/service-worker.js", self._worker, head=True),
            Row("GET", "/favicon.ico", self._icon, head=True),
            Row("GET", "/robots.txt", self._robots, head=True),
        )

    async def room(self, request: web.Request) -> web.Response:
        return await self._room_page(request, "room", _UNLISTED)

    async def embedded_room(self, request: web.Request) -> web.Response:
        return await self._room_page(request, "embed", self._embed_headers)

    async def replay(self, request: web.Request) -> web.Response:
        return self._page(request, "replay", self._replay_head(request))

    async def embedded_replay(self, request: web.Request) -> web.Response:
        return self._page(request, "embed", self._replay_head(request), headers=self._embed_headers)

    async def replay_of_moves(self, request: web.Request) -> web.Response:
        return self._replay_page(request, "replay", {})

    async def embedded_replay_of_moves(self, request: web.Request) -> web.Response:
        return self._replay_page(request, "embed", self._embed_headers)

    def _replay_page(self, request: web.Request, name: PageName, headers: Mapping[str, str]) -> web.Response:
        """Return the page of the replay in a path, or the page for an unknown address if it is not a legal game."""
        variant, moves = request.match_info["variant"], request.match_info["moves"]
        replay = replay_of(variant, moves, request.query.get("over"))
        if replay is None:
            return self.missing(request)
        return self._page(request, name, replay_head(self._base(request), replay), headers=headers)

    async def puzzle(self, request: web.Request) -> web.Response:
        base, puzzle_id = self._base(request), request.match_info.get("id")
        if puzzle_id is None:
            head = site_head(base, "puzzle")._replace(title="Puzzles", description=PUZZLES)
            return self._page(request, "puzzle", head)
        puzzle = self._puzzles.puzzle(puzzle_id)
        return self.missing(request) if puzzle is None else self._page(request, "puzzle", puzzle_head(base, puzzle))

    async def document(self, request: web.Request) -> web.Response:
        document = await asyncio.to_thread(self._document, request.match_info.get("page", ""))
        if document is None:
            return self.missing(request)
        head = site_head(self._base(request), request.path.lstrip("/"))._replace(
            title=document.title, description="The documentation of Noughts."
        )
        parts = {"content": document.content, "navigation": document.navigation}
        return self._page(request, "document", head, parts=parts)

    def _document(self, name: str) -> Any:
        """Return a page of the documentation. The first call imports what draws it and reads all pages."""
        with self._document_lock:
            if self._documents is None:
                documents = part("documents")
                root = f"{self._config.base_path}/docs"
                self._documents = documents.Documents(documents.documents_directory(), root)
            return self._documents.page(name)

    async def embedded_puzzle(self, request: web.Request) -> web.Response:
        puzzle = self._puzzles.puzzle(request.match_info["id"])
        head = site_head(self._base(request)) if puzzle is None else puzzle_head(self._base(request), puzzle)
        return self._page(request, "embed", head, 404 if puzzle is None else 200, self._embed_headers)

    async def learn(self, request: web.Request) -> web.Response:
        head = site_head(self._base(request), "learn")._replace(title="How minimax thinks", description=LEARN)
        return self._page(request, "learn", head)

    async def tournament(self, request: web.Request) -> web.Response:
        base, tournament, status = self._base(request), None, 200
        if not self._config.tournaments:
            return self.missing(request)
        try:
            tournament = await self._read_tournament(request.match_info["id"])
        except Rejection as rejection:
            status = 404 if CODES[rejection.code].status == 404 else 200
        head = site_head(base) if tournament is None else tournament_head(base, tournament)
        return self._page(request, "tournament", head, status, _UNLISTED)

    async def join(self, request: web.Request) -> web.Response:
        if not self._config.tournaments:
            return self.missing(request)
        head = site_head(self._base(request), "join")._replace(title="Join a tournament", description=JOIN)
        return self._page(request, "join", head)

    def missing(self, request: web.Request) -> web.Response:
        """Return the page for an unknown address."""
        title = self._files.languages[self._language(request)].text("missing.title")
        return self._page(request, "missing", missing_head(self._base(request), title), 404)

    async def _room_page(self, request: web.Request, name: PageName, headers: Mapping[str, str]) -> web.Response:
        base = self._base(request)
        room: Room | None = None
        names: Names = {}
        status = 200
        try:
            room = await self._read_room(request.match_info["id"])
            names = await self._names.in_rooms([room]) if room is not None and room.visibility == "public" else {}
        except StoreUnavailableError:
            pass  # the page says so itself
        except Rejection as rejection:
            # While the store is away, the page itself says that the room cannot be read, and tries again.
            status = 404 if CODES[rejection.code].status == 404 else 200
        head = site_head(base) if room is None else room_head(base, room, names)
        return self._page(request, name, head, status, headers)

    def _replay_head(self, request: web.Request) -> Head:
        base = self._base(request)
        replay = replay_in(request.query)
        if replay is None:
            return site_head(base, "replay")._replace(title="Replay", description="Step through a game.")
        return replay_head(base, replay)

    def _language(self, request: web.Request) -> str:
        """Return the key of the visitor's language."""
        return wanted_language(request.headers.get(hdrs.ACCEPT_LANGUAGE, ""), self._files.languages)

    def _base(self, request: web.Request) -> str:
        return base_url(request, self._config)

    def _page(
        self,
        request: web.Request,
        name: PageName,
        head: Head,
        status: int = 200,
        headers: Mapping[str, str] = MappingProxyType({}),
        parts: Mapping[str, str] = MappingProxyType({}),
    ) -> web.Response:
        language = self._language(request)
        body = self._html.render(name, head, language, parts)
        tag = f'W/"{hashlib.sha256(body).hexdigest()[:20]}"'  # weak: compressed or not, it is the same page
        headers = {
            **HEADERS,
            "Content-Security-Policy": self._html.policy,
            **headers,
            **_REVALIDATED,
            hdrs.ETAG: tag,
            hdrs.VARY: _VARIED,
            "Content-Language": language,
        }
        if status == 200 and client_has(request, tag):
            return web.Response(status=304, headers=headers)
        return file_response(request, page_file(body, "text/html"), headers, status)

    async def _start(self, request: web.Request) -> web.Response:
        return self._page(request, "start", site_head(self._base(request)))

    async def _static(self, request: web.Request) -> web.Response:
        """Return a file of the tree. Raise 404, also for a file of another tree: an old page must not mix the two."""
        file = self._files.files.get(request.match_info["path"])
        if file is None or request.match_info["tree"] != self._files.tree:
            raise web.HTTPNotFound
        return file_response(request, file, {hdrs.CACHE_CONTROL: FOR_A_YEAR, **_FOR_ANY_PAGE})

    async def _module(self, request: web.Request) -> web.Response:
        """Redirect to a module of the present tree. Pages of other sites do not know the hash of the tree."""
        path = SCRIPTS + request.match_info["module"]
        if path not in self._files.files:
            raise web.HTTPNotFound
        return web.Response(
            status=302, headers={hdrs.LOCATION: self._html.static + path, **_REVALIDATED, **_FOR_ANY_PAGE}
        )

    async def _app_manifest(self, request: web.Request) -> web.Response:
        return file_response(request, self._manifest, _REVALIDATED)

    async def _worker(self, request: web.Request) -> web.Response:
        return file_response(request, self._service_worker, _REVALIDATED)

    async def _icon(self, request: web.Request) -> web.Response:
        return file_response(request, self._files.files["icon.svg"], _REVALIDATED)

    async def _robots(self, request: web.Request) -> web.Response:
        return web.Response(text=f"User-agent: *\nDisallow: {self._html.base}api/\n")


def manifest(static: str, name: str) -> bytes:
    """Return the manifest. Its other addresses are relative to its own, so they stay below the base path."""
    icons: list[dict[str, object]] = [
        {"src": f"{static}icons/{size}.png", "sizes": f"{size}x{size}", "type": "image/png"} for size in (192, 512)
    ]
    icons.append({"src": f"{static}icons/maskable.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable"})
    content = {
        "id": "./",
        "name": name,
        "short_name": name,
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


def service_worker(files: PageFiles, html: Html, name: str) -> bytes:
    """Return the service worker, after a line with the base path, the server's name and the files to store.

    The line changes with the tree, so a browser installs the worker of each new version.
    """
    stored = [f"{html.static}{path}" for path in _STORED]
    settings = {"base": html.base, "name": name, "static": html.static, "files": stored}
    return f"self.tree = {json.dumps(settings)};\n".encode() + files.files[WORKER].body
