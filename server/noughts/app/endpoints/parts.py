"""The endpoints of a node that belong to no wing, made and wired once."""

from __future__ import annotations

from collections.abc import Sequence

import structlog
from aiohttp import hdrs, web

from noughts.app.delivery.front_door import HEADERS, SERVER_NAME
from noughts.app.delivery.routes import add_rows
from noughts.app.endpoints.admin import AdminEndpoints
from noughts.app.endpoints.admin_access import AdminAccess
from noughts.app.endpoints.export import ExportEndpoint
from noughts.app.endpoints.health import HealthEndpoints
from noughts.app.endpoints.middleware import CrossOrigin, RequestTurns, middleware
from noughts.app.endpoints.pages import PageEndpoints
from noughts.app.endpoints.players import PlayerEndpoints
from noughts.app.endpoints.previews import PreviewEndpoints
from noughts.app.endpoints.push import PushEndpoints
from noughts.app.endpoints.puzzles import PuzzleEndpoints
from noughts.app.endpoints.reference import ReferenceEndpoints, catalogue
from noughts.app.endpoints.websocket import WebSocketEndpoint
from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.wing import Wing
from noughts.app.node.heartbeat import Heartbeat
from noughts.app.node.roll_call import RollCall
from noughts.app.page.files import PageFiles, page_directory
from noughts.app.page.html import Html
from noughts.app.pictures.gallery import Gallery
from noughts.app.runtime.limits import MAX_BODY
from noughts.app.search.analysis import Analyses
from noughts.app.search.pools import SearchPools
from noughts.puzzles.collection import Puzzles
from noughts.room.policy import Policy
from noughts.store.kinds import ROOM, TOURNAMENT

log = structlog.get_logger()


class Endpoints:
    """All HTTP endpoints: its own, and the rows of the wings."""

    def __init__(
        self,
        parts: NodeParts,
        wings: Sequence[Wing],
        access: AdminAccess,
        accounts: PlayerEndpoints,
        policy: Policy,
        pools: SearchPools,
        heartbeat: Heartbeat,
        roll_call: RollCall,
    ) -> None:
        config, limits, clock = parts.config, parts.limits, parts.state.clock
        wing = {wing.kind: wing for wing in wings}
        rooms, tournaments = wing[ROOM], wing[TOURNAMENT]
        puzzles = Puzzles(lambda problem: log.warning("the puzzles of a variant are off", reason=problem))
        files = PageFiles(page_directory(), config.site_name, config.accent)
        variants = catalogue(config, policy.levels)
        html = Html(files, config.base_path, variants, variants.features.site)
        pages = PageEndpoints(config, files, html, parts.names, rooms.read, tournaments.read, puzzles)
        self.health = HealthEndpoints(parts, heartbeat, pools)
        self._rows = (
            *[row for wing in wings for row in wing.rows],
            *accounts.rows(),
            *ExportEndpoint(parts, wings).rows(),
            *PushEndpoints(parts).rows(),
            *ReferenceEndpoints(parts, variants, Analyses(pools.analyses)).rows(),
            *PuzzleEndpoints(clock, puzzles).rows(),
            *WebSocketEndpoint(parts, wings, heartbeat, files.tree).rows(),
            *self.health.rows(),
            *pages.rows(),
            *PreviewEndpoints(rooms.read, puzzles, Gallery(parts.tasks), limits).rows(),
            *AdminEndpoints(parts, access, wings, heartbeat, accounts, roll_call).rows(),
            *access.rows(),
        )
        turns = RequestTurns() if config.limits else None
        self._middleware = middleware(config, limits, parts.metrics, parts.bans, pages.missing, turns)
        self._cross_origin = CrossOrigin(config.origins, config.base_path)
        self._base_path = config.base_path

    def application(self) -> web.Application:
        """Return an aiohttp application with every row."""
        middlewares = (self._middleware, self._cross_origin.middleware)
        app = web.Application(client_max_size=MAX_BODY, middlewares=middlewares)
        routes = web.Application() if self._base_path else app
        add_rows(routes.router, self._rows)
        if self._base_path:
            app.router.add_get(self._base_path, _redirect_to_base)
            app.add_subapp(self._base_path, routes)
        app.on_response_prepare.append(_add_headers)
        app.on_response_prepare.append(self._cross_origin.add_headers)
        return app


async def _redirect_to_base(request: web.Request) -> web.Response:
    raise web.HTTPPermanentRedirect(f"{request.path}/")


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers[hdrs.SERVER] = SERVER_NAME
    if hdrs.UPGRADE in request.headers:
        # aiohttp reads no further request on a connection that asked for an upgrade.
        response.headers[hdrs.CONNECTION] = "close"
        response.force_close()
