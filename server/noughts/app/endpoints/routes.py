"""The router: every endpoint of the contract's table, with the handler of its name."""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web

from noughts.app.endpoints.health import HealthEndpoints
from noughts.app.endpoints.middleware import Handler
from noughts.app.endpoints.pages import PageEndpoints
from noughts.app.endpoints.players import PlayerEndpoints
from noughts.app.endpoints.push import PushEndpoints
from noughts.app.endpoints.puzzles import PuzzleEndpoints
from noughts.app.endpoints.reference import ReferenceEndpoints
from noughts.app.endpoints.requests import ADDRESS
from noughts.app.endpoints.rooms import RoomEndpoints
from noughts.app.endpoints.tournaments import TournamentEndpoints
from noughts.app.endpoints.websocket import WebSocketEndpoint
from noughts.protocol.endpoints import ENDPOINTS


def handlers(
    players: PlayerEndpoints,
    push: PushEndpoints,
    rooms: RoomEndpoints,
    reference: ReferenceEndpoints,
    puzzles: PuzzleEndpoints,
    tournaments: TournamentEndpoints,
    health: HealthEndpoints,
    pages: PageEndpoints,
    websocket: WebSocketEndpoint,
) -> Mapping[str, Handler]:
    """Return the handler of each endpoint by its name in the table."""

    async def connect(request: web.Request) -> web.StreamResponse:
        return await websocket.serve(request, request[ADDRESS])

    return {
        "newPlayer": players.create,
        "me": players.me,
        "rename": players.rename,
        "forgetMe": players.delete,
        "myRooms": rooms.mine,
        "pushKey": push.key,
        "subscribe": push.subscribe,
        "unsubscribe": push.unsubscribe,
        "tokens": players.tokens,
        "deleteToken": players.delete_token,
        "newResumeCode": players.resume_code,
        "resume": players.resume,
        "variants": reference.variants,
        "newRoom": rooms.create,
        "rooms": rooms.list_public,
        "room": rooms.show,
        "game": rooms.game,
        "quickPlay": rooms.quick_play,
        "analysis": reference.analysis,
        "record": reference.record,
        "strength": reference.strength,
        "minimax": reference.minimax,
        "puzzles": puzzles.next,
        "dailyPuzzle": puzzles.daily,
        "puzzle": puzzles.show,
        "tryPuzzle": puzzles.attempt,
        "newTournament": tournaments.create,
        "tournaments": tournaments.list_public,
        "findTournament": tournaments.find,
        "joinTournament": tournaments.join,
        "tournament": tournaments.show,
        "standings": tournaments.standings,
        "matches": tournaments.matches,
        "resultsCsv": tournaments.results,
        "drawQr": reference.qr,
        "openapi": reference.openapi,
        "asyncapi": reference.asyncapi,
        "connect": connect,
        "healthz": health.healthz,
        "readyz": health.readyz,
        "metrics": health.metrics,
        "tournamentPage": pages.tournament,
        "wallPage": pages.tournament,
        "joinPage": pages.join,
        "roomPage": pages.room,
        "replayPage": pages.replay,
        "replayOfMovesPage": pages.replay_of_moves,
        "documentation": pages.document,
        "documentationPage": pages.document,
        "puzzlesPage": pages.puzzle,
        "puzzlePage": pages.puzzle,
        "learnPage": pages.learn,
        "embeddedRoomPage": pages.embedded_room,
        "embeddedReplayPage": pages.embedded_replay,
        "embeddedPuzzlePage": pages.embedded_puzzle,
        "embeddedReplayOfMovesPage": pages.embedded_replay_of_moves,
    }


def add_routes(router: web.UrlDispatcher, by_name: Mapping[str, Handler]) -> None:
    """Register every endpoint of the table. A GET also answers HEAD where the answer is the same for everybody."""
    for endpoint in ENDPOINTS:
        handler = by_name[endpoint.name]
        path = endpoint.path.replace("{page}", "{page:.+}")  # the name of a page has slashes
        if endpoint.method == "GET":
            head = endpoint.token != "needed" and endpoint.name != "connect"
            router.add_get(path, handler, allow_head=head)
        else:
            router.add_route(endpoint.method, path, handler)
