"""A room on this node: its connections, the presence of its players, its deadlines, and what it sends."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

import structlog
from msgspec.structs import replace

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.hub import Hub
from noughts.app.machines.actor import Actor, ActorParts
from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.errand import AnyErrand
from noughts.app.machines.kind import Loaded, Step
from noughts.app.machines.on_node import Pace
from noughts.app.machines.outbox import Outbox
from noughts.app.machines.registry import Registry
from noughts.app.rooms.announcements import GameAnnouncements
from noughts.app.rooms.connections import RoomConnections
from noughts.app.rooms.crowd import crowd_message
from noughts.app.runtime.logs import shown
from noughts.app.runtime.quota import NetworkQuota
from noughts.room.clock import DaysClock
from noughts.room.commands import AnyCommand, Request, RoomCommand
from noughts.room.downtime import absence_since_ms
from noughts.room.events import Closed, Ended, Event, Reacted, Said, Sat, ViewEvent
from noughts.room.idempotency import command_key
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room, mark_of, players_of
from noughts.room.seat import SOMEONE, Names, Person, holder
from noughts.room.timers import advance_at_ms, grace_ms, time_runs
from noughts.room.transition import Moment
from noughts.room.turn_start import begun_when_sent, held_or_stored, judged_as_of
from noughts.store.machine_store import Line
from noughts.store.presence import PresenceMirror

CROWD_INTERVAL_MS: Final = 1_000
"""The shortest time between two crowd messages to one client."""
WAIT_MS: Final = 150
"""How much later than the keeper another holder handles a deadline."""
HOLDER_WAIT_MS: Final = 30_000
"""How much later than the keeper another holder does an errand. It does so at once when the keeper dies."""

log = structlog.get_logger()


class RoomSurroundings(NamedTuple):
    """What all rooms of a node share.

    ``crowds`` has when each crowd is sent, ``ends`` the rooms of matches in which a game has ended. ``quota`` forgets a
    closed room. ``errands`` are the engine's search and the notice. ``announcements`` tells the operator's webhook.
    """

    policy: Policy
    mirror: PresenceMirror
    hub: Hub
    crowds: Deadlines
    quota: NetworkQuota
    ends: Outbox
    errands: tuple[AnyErrand, ...] = ()
    announcements: GameAnnouncements | None = None


class RoomOnNode(Actor[Room, AnyCommand, Moment, Event]):
    """One room on this node."""

    __slots__ = ("_agreed", "_around", "_errands", "_mirror", "_policy", "connections", "keeps", "presence")

    connections: RoomConnections

    def __init__(
        self,
        surroundings: RoomSurroundings,
        parts: ActorParts[Room, AnyCommand, Moment, Event],
        loaded: Loaded[Room],
    ) -> None:
        room, node = loaded.value, parts.node
        self._around = surroundings
        self._policy = surroundings.policy
        self._mirror = surroundings.mirror
        self.connections = RoomConnections(surroundings.policy, loaded.lines, loaded.names)
        self._node = node
        self._errands = self._errands_of(room)
        """The kinds of work that the room may ask for while it has these seats and this clock."""
        self._mirror.hold(room.id, node.clock.now_ms(), loaded.presence)
        self.presence = self._present(room)
        self.keeps = self._is_keeper(room.id)
        """Whether this node is the room's keeper, which handles its deadlines and searches for its engine.

        Nodes may disagree for a moment, so each other holder acts too, later. Compare-and-set lets one of them win.
        """
        super().__init__(parts, loaded)

    @property
    def room(self) -> Room:
        """The room itself."""
        return self.value

    @property
    def resting(self) -> bool:
        return not len(self.connections) and not any(self.value.id in errand.runs for errand in self._errands)

    # --- words of rooms -----------------------------------------------------------------------------------------

    async def request(self, person: Person, command: RoomCommand) -> int:
        """Carry out a player's command. Return the room's version after it. Raise :class:`Rejection`."""
        self.note_request(person.player)
        return await self.tell(Request(person, command), command_key(person.player, command.id))

    def note_request(self, player: str) -> None:
        """Count an HTTP request as a sign of life, if its player has no connection."""
        if player not in self._mirror.attendance(self.value.id).players:
            self._mirror.seen(self.value.id, player, self._node.clock.now_ms())
            self._report()

    def lag_measured(self) -> None:
        """Take over a new measurement of a player's lag."""
        if self.value.clock is not None:
            self.presence = self._present(self.value)
            self.schedule()

    def visible_changed(self, connection: Connection, *, visible: bool) -> None:
        """Take over whether a player sees the page on a connection."""
        person = connection.person
        if person is None or connection.visible == visible or connection not in self.connections:
            return
        connection.visible = visible
        self._mirror.visible_changed(self.value.id, person.player, visible=visible)
        self._report_player(person.player)
        if self._renew_presence(self.value):
            self.schedule()

    def presence_changed(self) -> None:
        """Take over a report of another node, or the end of a node."""
        if self._take_presence(self.value):
            self.schedule()

    def rename(self, names: Names) -> None:
        """Change the names of players in seats, in chat lines, and among the spectators.

        The players of a match keep their names of the tournament, unless the account was deleted.
        """
        room, before = self.value, self.connections.names
        here = self._mirror.attendance(room.id).players
        for player, name in names.items():
            if room.match is not None and name != SOMEONE and mark_of(room, player) is not None:
                continue
            self.connections.rename(player, name)
            if player in here:
                self._mirror.renamed(room.id, player, name)
                self.crowd_changed()
        if self.connections.names is not before and {holder(room.seats.X), holder(room.seats.O)} & names.keys():
            self.connections.send_room(room, self.presence, None)

    def resend(self, connection: Connection) -> None:
        """Send the room to a client whose view is behind."""
        self.connections.send_room_to(connection, self.value, self.presence)

    def start_errands(self) -> None:
        """Start the work that is due."""
        for errand in self._errands:
            errand.start_due(self)

    # --- time ---------------------------------------------------------------------------------------------------

    def moment(self, now_ms: int, arrived_ms: int = 0) -> Moment:
        downtime = self._node.downtime
        if self._agreed is not downtime.agreed and self.presence.away:
            self.presence = self._present(self.value)  # absences leave the new downtime out
        at = Moment(now_ms, self._policy, self.presence, downtime.spans)
        return judged_as_of(at, self.value, arrived_ms) if arrived_ms else at

    def wake_at_ms(self) -> int | None:
        """Return when this node attends to the room. A node that is not the room's keeper waits for longer."""
        at_ms = advance_at_ms(self.value, self.presence, self._policy)
        if at_ms is not None and not self.keeps:
            at_ms += WAIT_MS
        for errand in self._errands:
            errand_at = errand.next_ms(self)
            if errand_at is not None and (at_ms is None or errand_at < at_ms):
                at_ms = errand_at
        return at_ms

    def pace(self) -> Pace:
        if not time_runs(self.value, self.presence):
            return "still"
        return "slow" if isinstance(self.value.clock, DaysClock) else "live"

    def _errands_of(self, room: Room) -> tuple[AnyErrand, ...]:
        return tuple([errand for errand in self._around.errands if errand.concerns(room)])

    # --- changes ------------------------------------------------------------------------------------------------

    def note_stored(self, step: Step[Room, Event]) -> None:
        for event in step.events:
            if type(event) is Ended:
                room, winner = shown(self.value.id), event.winner
                log.info("game ended", room=room, game=event.game, winner=winner, reason=event.reason)
            elif type(event) is Closed:
                log.info("room closed", id=shown(self.value.id))
        if step.finished is not None and self._around.announcements is not None:
            self._around.announcements.game_ended(step.value, step.finished, self.connections.names)

    def publish(self, after: Room, events: tuple[Event, ...], line: Line | None) -> Room:
        """Send a stored change. Return the room whose turn begins now that it is sent."""
        before = self.value
        view_event: ViewEvent | None = None
        if after is not before and after.clock is not None:
            after = begun_when_sent(after, self._node.clock.now_ms())
        for event in events:
            if type(event) is Said:
                self._take_name(after, event)
                if line is not None:
                    self.connections.send_line(line)
            elif type(event) is Reacted:
                self._take_name(after, event)
                self.connections.send_reaction(event)
            elif type(event) is Sat:
                self._take_name(after, event)
                view_event = self.connections.named(event)
            else:
                view_event = event
        if after is not before:
            self._send_changed(after, view_event)
        return after

    def _take_name(self, room: Room, event: Sat | Said | Reacted) -> None:
        """Take the name of a player that this node has perhaps not looked up."""
        if event.player not in self.connections.names:
            present = self._mirror.attendance(room.id).players.get(event.player, event.name)
            self.connections.take_names({event.player: present})

    def publish_loaded(self, after: Room, loaded: Loaded[Room] | None) -> Room:
        """Show a room that was read again if its version or a name is another, and the chat lines that were missed.

        A store that lost changes returns an older version. Clients take that only on a new connection.
        """
        before = self.value
        if loaded is not None:
            after = held_or_stored(before, after)  # only the held one says when its turn was sent
            if loaded.presence is not None:
                self._mirror.hold(after.id, self._node.clock.now_ms(), loaded.presence)
                self._report()
                self._take_presence(after)
        renamed = loaded is not None and self.connections.take_names(loaded.names)
        if after.version != before.version or renamed:
            self._send_changed(after, Closed() if after.closed else None)
            if after.version < before.version:
                self._around.hub.restart_room(tuple(self.connections))
        if loaded is not None:
            self.connections.send_missed_lines(loaded.lines)
        else:
            self._around.crowds.set(after.id, None)
        return after

    def _send_changed(self, after: Room, event: ViewEvent | None) -> None:
        """Send a changed room to every connection. Take over what depends on its seats, its owner and its clock."""
        before, around = self.value, self._around
        if after.clock is not before.clock:
            self.connections.set_timed(after.clock is not None)
            self._errands = self._errands_of(after)
        if after.seats is not before.seats or after.owner is not before.owner:
            self._errands = self._errands_of(after)
            self.presence = self._present(after)
            self.crowd_changed()
        self.connections.send_room(after, self.presence, event)
        if after.closed:
            around.quota.remove(after.id)
            around.hub.close_room(tuple(self.connections))
            around.crowds.set(after.id, None)
        if after.match is not None and not after.playing:
            around.ends.put(after.id)
        for errand in around.errands:
            if after.id in errand.runs:
                errand.settle(self, after)

    def released(self) -> None:
        self._mirror.release(self.value.id)
        if self._mirror.shared:
            self._around.crowds.set(self.value.id, None)

    # --- presence -----------------------------------------------------------------------------------------------

    def _is_keeper(self, id: str) -> bool:
        return min(self._mirror.holders(id)) == self._mirror.node

    def _present(self, room: Room) -> Presence:
        self._agreed = spans = self._node.downtime.agreed
        presence = self._mirror.presence(room.id, players_of(room), self._node.clock.now_ms())
        if presence.away and spans:
            # No player could come back during downtime.
            grace = grace_ms(room, self._policy)
            away = {player: absence_since_ms(spans, since_ms, grace) for player, since_ms in presence.away.items()}
            presence = replace(presence, away=away)
        return presence if room.clock is None else replace(presence, lag_ms=self.connections.lag_ms())

    def _take_presence(self, room: Room) -> bool:
        """Take over what other nodes reported. Return whether the room's deadlines may have changed."""
        kept, self.keeps = self.keeps, self._is_keeper(room.id)
        self._mirror.forget_departures(room.id, players_of(room))
        if room.closed:
            return False
        changed = self._renew_presence(room)
        self.crowd_changed()
        return changed or kept != self.keeps

    def _renew_presence(self, room: Room) -> bool:
        """Compute presence again, and send what depends on it if it changed. Return whether it did."""
        before, self.presence = self.presence, self._present(room)
        if before == self.presence:
            return False
        if before.away != self.presence.away and not room.playing and not room.closed:
            # Views with the same version, but another ``can``: the owner may free the seat of an absent player.
            self.connections.send_room(room, self.presence, None)
        return True

    # --- coming and going ---------------------------------------------------------------------------------------

    def add(self, connection: Connection) -> bool:
        """Add a connection, and send it the room, the crowd and the chat."""
        room, person, now_ms = self.value, connection.person, self._node.clock.now_ms()
        player, name = (None, "") if person is None else (person.player, person.name)
        self._mirror.arrived(room.id, player, name, now_ms)
        self._report_player(player)
        changed = self._renew_presence(room)
        self.connections.join(connection, room)
        self.connections.send_room_to(connection, room, self.presence)
        connection.crowd_sent_ms = now_ms
        connection.push(self._crowd(now_ms), "crowd")
        self.connections.send_lines_to(connection)
        self.crowd_changed()
        return changed

    def remove(self, connection: Connection) -> bool:
        room, person = self.value, connection.person
        self.connections.leave(connection)
        player = None if person is None else person.player
        if player is not None and not connection.visible:
            self._mirror.visible_changed(room.id, player, visible=True)
        self._mirror.departed(room.id, player, self._node.clock.now_ms())
        self._mirror.forget_departures(room.id, (*players_of(room), player or ""))
        self._report_player(player)
        if room.closed:
            return False
        changed = self._renew_presence(room)
        self.crowd_changed()
        return changed

    def _report_player(self, player: str | None) -> None:
        """Tell other nodes at once that a seat holder came or went. Spectators wait for the next crowd message."""
        if player is not None and self._mirror.shared and player in players_of(self.value):
            self._report()

    def _report(self) -> None:
        """Send this node's report. Wake the room if this makes another node its keeper: its deadlines change."""
        self._mirror.publish(self.value.id)
        kept, self.keeps = self.keeps, self._is_keeper(self.value.id)
        if kept != self.keeps:
            self.retry(0)

    # --- the crowd ----------------------------------------------------------------------------------------------

    def crowd_changed(self) -> None:
        """Set the deadline of the next crowd message: now, or one interval after the last."""
        crowds, id = self._around.crowds, self.value.id
        if id not in crowds.at_ms:
            crowds.set(id, max(self._node.clock.now_ms(), self.connections.crowd_sent_ms + CROWD_INTERVAL_MS))

    def send_crowd(self) -> None:
        """Send the crowd to every client that was not sent one within the last second."""
        self._report()
        self.connections.crowd_sent_ms = now_ms = self._node.clock.now_ms()
        frame, again = self._crowd(now_ms), False
        for connection in self.connections:
            if now_ms - connection.crowd_sent_ms < CROWD_INTERVAL_MS:
                again = True  # this client has just joined, and was sent the crowd then
            else:
                connection.crowd_sent_ms = now_ms
                connection.push(frame, "crowd")
        if again:
            self.crowd_changed()

    def _crowd(self, now_ms: int) -> bytes:
        room = self.value
        return crowd_message(room, self.presence, self._mirror.attendance(room.id), now_ms, self._policy)


RoomRegistry: TypeAlias = Registry[RoomOnNode, Room]
"""The rooms that this node holds."""
