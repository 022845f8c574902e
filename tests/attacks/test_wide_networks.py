"""One subscriber with a /56 or a /48: its addresses share what a limit allows, whatever they ask for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, NamedTuple

import pytest

from noughts.app.pictures.gallery import Gallery
from noughts.app.players.identity import new_resume_code
from noughts.app.runtime.addresses import LOOPBACK
from noughts.app.runtime.limits import PIN_TRIES, PINS, PREVIEWS, RESUME, SEARCHES, WIDER
from noughts.rules.notation import cell_names
from noughts.rules.variant import VARIANTS
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api

CELLS: Final = cell_names(VARIANTS["classic"].shape)


class Attack(NamedTuple):
    """The n-th request, what an address may send at once, and what it may send in each second after that."""

    request: Callable[[int], tuple[str, str, object]]
    at_once: float
    per_s: float


def moves(n: int) -> str:
    """Return the moves of a position that no other n has."""
    first, rest = CELLS[n % 9], [cell for cell in CELLS if cell != CELLS[n % 9]]
    return f"{first},{rest[n // 9 % 8]},{rest[(n // 9 + 1 + n // 72) % 8]}"


ATTACKS: Final = {
    "wrong PINs": Attack(
        lambda n: ("POST", "/api/tournaments/find", {"pin": f"{n:06}"}), PIN_TRIES, PIN_TRIES * PINS.rate.per_s
    ),
    "resume codes": Attack(
        lambda n: ("POST", "/api/players/resume", {"code": new_resume_code()}), RESUME.rate.burst, RESUME.rate.per_s
    ),
    "analyses": Attack(
        lambda n: ("GET", f"/api/analysis?variant=classic&moves={moves(n)}", None),
        SEARCHES.rate.burst,
        SEARCHES.rate.per_s,
    ),
    "previews": Attack(
        lambda n: ("GET", f"/preview.png?classic={moves(n)}", None), PREVIEWS.rate.burst, PREVIEWS.rate.per_s
    ),
}


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    async def picture(gallery: Gallery, scene: object) -> bytes:
        return b""

    monkeypatch.setattr(Gallery, "picture", picture)


async def accepted(server: LocalServer, attack: Attack, count: int) -> tuple[int, float]:
    """Send each request from a /64 of its own. Return how many were accepted, and the seconds that all took."""
    began_s, number = time.monotonic(), 0
    for n in range(count):
        method, path, body = attack.request(n)
        headers = {"X-Forwarded-For": f"2001:db8:0:{n:x}::1"}
        status, _ = await Api(server.url).call(method, path, body, headers)
        number += status != 429
    return number, time.monotonic() - began_s


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize("name", ATTACKS)
async def test_a_wide_network_shares_what_it_may_do(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each /64 of a /56 has its own share, and together they have four times that of one."""
    attack = ATTACKS[name]
    async with local_server(tmp_path_factory.mktemp("data"), limits=True, trusted=LOOPBACK) as server:
        most = int(WIDER[1] * attack.at_once)
        number, seconds = await accepted(server, attack, most + 20)
    print(f"{name}: {number} of {most + 20} from a /56 accepted in {seconds:.1f} s")
    assert most <= number <= most + WIDER[1] * attack.per_s * seconds + 1
