"""What a client in a tournament talks to."""

from __future__ import annotations

from msgspec.structs import replace

from noughts.app.delivery.connection import Connection
from noughts.app.machines.replies import Reply
from noughts.app.machines.wing import Door, nameless
from noughts.app.players.identity import clean_name
from noughts.app.runtime.tasks import Tasks
from noughts.app.tournaments.on_node import TournamentOnNode, TournamentRegistry
from noughts.app.tournaments.records import MatchRecords
from noughts.errors import Rejection, fault
from noughts.protocol.codec import decode_tournament_command
from noughts.room.idempotency import command_key
from noughts.room.seat import Person
from noughts.store.contract import StoreUnavailableError
from noughts.tournament.commands import Annul, RenameEntrant, Request, TournamentCommand, Watch
from noughts.tournament.entry import MAX_NAME


class TournamentDoor(Door):
    """Takes the commands of one client for its tournament. ``free_names`` says whether hosts choose names."""

    __slots__ = ("_actor", "_connection", "_free_names", "_records", "_registry", "_tasks")

    def __init__(
        self,
        registry: TournamentRegistry,
        actor: TournamentOnNode,
        connection: Connection,
        records: MatchRecords,
        tasks: Tasks,
        *,
        free_names: bool,
    ) -> None:
        self._registry = registry
        self._actor = actor
        self._connection = connection
        self._records = records
        self._tasks = tasks
        self._free_names = free_names

    decode = staticmethod(decode_tournament_command)

    def submit(self, person: Person | None, command: TournamentCommand | Watch, reply: Reply) -> None:
        """Carry out a command. Raise ``bad_message`` or ``forbidden`` for a name that is not allowed.

        Anybody may watch the leaders' boards. Nothing of that is stored.
        """
        if isinstance(command, Watch):
            self._actor.watch(self._connection, command.boards)
            reply(self._actor.value.version)
            return
        if person is None:
            raise nameless()
        if isinstance(command, RenameEntrant):
            if not self._free_names:
                raise Rejection("forbidden", "This server chooses the names.")
            command = replace(command, name=clean_name(command.name, MAX_NAME))
        if isinstance(command, Annul):
            self._tasks.run(self._annul(person, command, reply))
        else:
            self._actor.submit(Request(person, command), command_key(person.player, command.id), reply)

    async def _annul(self, person: Person, command: Annul, reply: Reply) -> None:
        """Submit the command with the finished match that it names."""
        try:
            record = await self._records.match(self._actor.id, command.match)
        except StoreUnavailableError:
            reply(Rejection("unavailable", "The server cannot read this match now: try again.", retry_ms=1_000))
        except Exception:
            reply(fault())
            raise
        else:
            self._actor.submit(Request(person, command, record), command_key(person.player, command.id), reply)

    def leave(self) -> None:
        self._registry.leave(self._actor, self._connection)
