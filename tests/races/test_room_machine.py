"""A running server beside a model of a room: Hypothesis sends commands of four people, and both must agree on each."""

from __future__ import annotations

import itertools
import json
from contextlib import ExitStack
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from websockets.sync.client import ClientConnection, connect

from tests.conftest import StartServer
from tests.races.room_model import CELLS, Fields, RoomModel, seen_in
from tests.support.player import WAIT_S
from tests.support.rooms_over_http import post
from tests.support.server import RunningServer

PEOPLE: Final = ("ann", "ben", "cat", None)
"""Ann owns the room. Ben has the invite, and so has Cat. The nameless one only watches."""
RESTARTS: Final = 1

people = st.sampled_from(PEOPLE)
players = st.sampled_from(("ann", "ben", "ann", "ben", "cat"))
marks = st.sampled_from(("X", "O"))
games = st.sampled_from((None, None, 0, 1))
"""None, or how many games before the current one a command is about."""
offers = st.sampled_from(("draw", "takeback", "rematch"))


class Client:
    """One person's connection. ``view`` is the newest view."""

    def __init__(self, server: RunningServer, hello: Fields) -> None:
        self._stack = ExitStack()
        self._connection: ClientConnection = self._stack.enter_context(
            connect(server.ws_url, compression=None, proxy=None, close_timeout=1)
        )
        self.view: Fields = {}
        self.lines: list[tuple[str, str]] = []
        self._connection.send(json.dumps({"type": "hello", "protocol": 1, **hello}))
        while not self.view:
            self._receive()

    def _receive(self) -> Fields:
        message: Fields = json.loads(self._connection.recv(WAIT_S))
        if message["type"] == "room":
            self.view = message["room"]
        elif message["type"] == "chat":
            self.lines += [(line["from"]["player"], line["text"]) for line in message["lines"]]
        return message

    def ask(self, kind: str, command_id: str, fields: Fields) -> Fields:
        """Send a command and return its answer."""
        self._connection.send(json.dumps({"type": kind, "id": command_id, **fields}))
        while True:
            message = self._receive()
            if message["type"] in ("ok", "rejected") and message["id"] == command_id:
                return message

    def until(self, version: int) -> Fields:
        """Return the view of a version or a later one."""
        while self.view["version"] < version:
            self._receive()
        return self.view

    def close(self) -> None:
        self._stack.close()


class RoomMachine(RuleBasedStateMachine):
    """A room for two friends, and commands in any order."""

    def __init__(self, server: RunningServer, budget: list[int]) -> None:
        super().__init__()
        self.server = server
        self.budget = budget
        """How often the server may still be killed: a restart takes a second."""
        self.ids = itertools.count()
        self.tokens: dict[str | None, str] = {}
        self.names: dict[str | None, str | None] = {None: None}
        for name in ("ann", "ben", "cat"):
            answer = post(server, "/api/players", {"name": name})
            self.tokens[name], self.names[name] = answer["token"], answer["player"]["id"]
        body = {"variant": "classic", "opponent": "friend", "mark": "X"}
        answer = post(server, "/api/rooms", body, self.tokens["ann"])
        self.room = answer["room"]["id"]
        owner = str(self.names["ann"])
        self.model = RoomModel(owner, answer["invite"], {"X": owner, "O": None}, answer["room"]["version"])
        self.clients = {person: self._client(person) for person in PEOPLE}
        self.sent: list[tuple[str | None, str, str, Fields]] = []

    def _client(self, person: str | None) -> Client:
        token = self.tokens.get(person)
        return Client(self.server, {"room": self.room} if token is None else {"room": self.room, "token": token})

    def _send(self, person: str | None, kind: str, fields: Fields, command_id: str | None = None) -> None:
        """Send a command, and compare its answer and all views with the model."""
        model, player = self.model, self.names[person]
        if model.depends_on_time(player, kind, fields):
            return
        command_id = command_id or f"c{next(self.ids)}"
        self.sent.append((person, command_id, kind, fields))
        answer = self.clients[person].ask(kind, command_id, fields)
        if model.knows(player, command_id):
            assert answer == {"type": "ok", "id": command_id, "version": model.accepted[str(player), command_id]}
        else:
            code = model.code(player, kind, fields)
            assert answer.get("code", answer["type"]) == code, (person, kind, fields, answer, model)
            if code == "ok":
                model.apply(str(player), command_id, kind, fields)
                assert answer["version"] == model.version
        for client in self.clients.values():
            assert seen_in(client.until(model.version)) == model.seen()

    def _game(self, before: int | None) -> Fields:
        return {} if before is None else {"game": max(0, self.model.number - before)}

    # --- commands ---------------------------------------------------------------------------------------------------

    @initialize(started=st.sampled_from((True, True, True, False)))
    def begin(self, started: bool) -> None:
        """Let most evenings begin with a game. Each must show that a move needs its turn and its ply."""
        if started:
            self._send("ben", "sit", {"mark": "O", "invite": self.model.invite})
            self._send("ben", "move", {"ply": 0, "cell": "a1"})
            self._send("ann", "move", {"ply": 1, "cell": "a1"})

    def _holder(self, mark: str) -> str | None:
        return next((name for name, player in self.names.items() if player == self.model.seats[mark]), None)

    @rule(cell=st.sampled_from(CELLS), early=st.sampled_from((0, 0, 0, 0, 1)))
    def move_in_turn(self, cell: str, early: int) -> None:
        self._send(self._holder(self.model.turn), "move", {"ply": len(self.model.moves) + early, "cell": cell})

    @rule(cell=st.sampled_from(CELLS))
    def move_out_of_turn(self, cell: str) -> None:
        opponent = "O" if self.model.turn == "X" else "X"
        self._send(self._holder(opponent), "move", {"ply": len(self.model.moves), "cell": cell})

    @rule(person=people, cell=st.sampled_from((*CELLS, "d4", "a1.1")), late=st.integers(-1, 1), game=games)
    def move(self, person: str | None, cell: str, late: int, game: int | None) -> None:
        self._send(person, "move", {"ply": max(0, len(self.model.moves) - late), "cell": cell, **self._game(game)})

    @rule(person=people, mark=marks, invited=st.sampled_from((True, True, False)))
    def sit(self, person: str | None, mark: str, invited: bool) -> None:
        self._send(person, "sit", {"mark": mark, "invite": self.model.invite if invited else "wrong"})

    @rule(person=players)
    def stand(self, person: str) -> None:
        self._send(person, "stand", {})

    @rule(person=players, game=games)
    def resign(self, person: str, game: int | None) -> None:
        self._send(person, "resign", self._game(game))

    @rule(person=players, what=offers, game=games)
    def offer(self, person: str, what: str, game: int | None) -> None:
        self._send(person, "offer", {"what": what, **self._game(game)})

    @rule(person=players, what=offers, accept=st.booleans(), game=games)
    def answer(self, person: str, what: str, accept: bool, game: int | None) -> None:
        self._send(person, "answer", {"what": what, "accept": accept, **self._game(game)})

    @rule(accept=st.booleans())
    def answer_the_open_offer(self, accept: bool) -> None:
        for mark, what in list(self.model.offers.items()):
            self._send(self._holder("O" if mark == "X" else "X"), "answer", {"what": what, "accept": accept})
            return

    @rule(person=players, what=st.sampled_from(("win", "draw")))
    def claim(self, person: str, what: str) -> None:
        self._send(person, "claim", {"what": what})

    @rule(person=people, text=st.sampled_from(("hello", "<b>", "😀")))
    def chat(self, person: str | None, text: str) -> None:
        self._send(person, "chat", {"text": text})

    @rule(person=players, when=st.sampled_from(("always", "between_games", "off")))
    def set_chat(self, person: str, when: str) -> None:
        self._send(person, "set", {"spectator_chat": when})

    @rule(person=players, mark=marks)
    def free(self, person: str, mark: str) -> None:
        self._send(person, "free", {"mark": mark})

    @rule(person=players, muted=players | st.just("spectators"), on=st.booleans())
    def mute(self, person: str, muted: str, on: bool) -> None:
        self._send(person, "mute", {"player": self.names.get(muted, muted), "muted": on})

    # --- what must change nothing -----------------------------------------------------------------------------------

    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        if self.sent:
            person, command_id, kind, fields = data.draw(st.sampled_from(self.sent[-20:]))
            self._send(person, kind, fields, command_id)

    @rule(person=people)
    def reconnect(self, person: str | None) -> None:
        self._reconnect(person)

    def _reconnect(self, person: str | None) -> None:
        self.clients[person].close()
        self.clients[person] = self._client(person)
        assert seen_in(self.clients[person].view) == self.model.seen()

    @rule()
    def kill_the_server(self) -> None:
        if self.budget[0]:
            self.budget[0] -= 1
            self.server.kill()
            self.server.start()
            for person in PEOPLE:
                self._reconnect(person)

    def teardown(self) -> None:
        for client in self.clients.values():
            client.close()


def run(server: RunningServer, examples: int, steps: int, restarts: int, **options: Any) -> None:
    budget = [restarts]

    class Machine(RoomMachine):
        def __init__(self) -> None:
            super().__init__(server, budget)

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            **options,
        ),
    )
    print(f"{examples} evenings of {steps} steps, {restarts - budget[0]} kills")


def test_the_server_does_what_the_model_says(start_server: StartServer) -> None:
    server = start_server(workers=1, grace_ms=3_600_000)
    run(server, 16, 25, RESTARTS, derandomize=True, phases=[Phase.generate])
    assert "Traceback" not in server.log


@pytest.mark.long
def test_the_server_does_what_the_model_says_for_long(start_server: StartServer) -> None:
    run(start_server(workers=1, grace_ms=3_600_000), 400, 60, 20 * RESTARTS)
