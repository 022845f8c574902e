"""One room on this node: it takes one command at a time through step, commit and publication.

    submit -> step -> repository.commit -> (the store) -> commit_answered -> publisher.publish -> reply

A command runs in the turn of the event loop in which it arrives, up to the commit. While a commit is under way, further
commands wait in the inbox. A failed commit means *unknown*: the room is read again before the next step.
"""

from __future__ import annotations

from collections import deque
from typing import Final, Literal, TypeAlias

import structlog
from msgspec.structs import replace

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.room_connections import RoomConnections
from noughts.app.node.node_state import NodeState
from noughts.app.players.recent_names import RecentNames
from noughts.app.rooms.news import news_from
from noughts.app.rooms.publisher import Publisher
from noughts.app.rooms.replies import RETRY_MS, UNANSWERED, AwaitedReply, Reply, not_stored, too_busy, unknown_room
from noughts.app.rooms.repository import LoadedRoom, RoomRepository, change_of
from noughts.app.rooms.room_search import RoomSearch
from noughts.app.rooms.submission import PendingCommit, Submission
from noughts.app.rooms.unreadable_rooms import UnreadableRoomError
from noughts.app.rooms.visitors import RoomVisitors
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection, fault
from noughts.room.commands import AnyCommand, Request, RoomCommand, Wake
from noughts.room.events import Event
from noughts.room.idempotency import CommandKey, command_key
from noughts.room.presence import Presence
from noughts.room.room import Room, closed_room
from noughts.room.seat import Person
from noughts.room.step import step
from noughts.room.timers import advance_at_ms
from noughts.room.transition import Moment, Transition
from noughts.room.turn_start import begun_when_sent, held_or_stored
from noughts.store.contract import Change, CommitAnswer, Conflict, Failed, Known, Line, Stored, StoredRoom, Unavailable
from noughts.store.presence import PresenceMirror

MAX_CONFLICTS: Final = 5
"""A command is rejected as unavailable after this many conflicts."""
ActorState: TypeAlias = Literal["ready", "committing", "stale", "loading", "closed"]
"""If it is stale, the stored room may differ from the one held here, so it must be read before the next step."""

log = structlog.get_logger()


class RoomActor:
    """A room, its connections on this node, and the commands that wait for it."""

    __slots__ = (
        "_answered",
        "_at_rest",
        "_behind",
        "_commit",
        "_inbox",
        "_names",
        "_node",
        "_publisher",
        "_repository",
        "_state",
        "_tasks",
        "room",
        "search",
        "visitors",
    )

    def __init__(
        self,
        loaded: LoadedRoom,
        repository: RoomRepository,
        publisher: Publisher,
        node: NodeState,
        mirror: PresenceMirror,
        names: RecentNames,
        tasks: Tasks,
    ) -> None:
        self.room = loaded.room
        self.search: RoomSearch | None = None
        self._answered = loaded.answered
        self._repository = repository
        self._publisher = publisher
        self._node = node
        self._names = names
        self._tasks = tasks
        self._state: ActorState = "ready"
        self._at_rest = False
        self._behind = False
        self._inbox: deque[Submission] = deque()
        self._commit: PendingCommit | None = None
        connections = RoomConnections(node.policy, loaded.lines, loaded.names)
        self.visitors = RoomVisitors(self.room, connections, mirror, node, publisher, loaded.presence)
        self._schedule()

    # --- state --------------------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        return self.room.id

    @property
    def connections(self) -> RoomConnections:
        return self.visitors.connections

    @property
    def presence(self) -> Presence:
        return self.visitors.presence

    @property
    def closed(self) -> bool:
        """Whether the room is closed. It never opens again."""
        return self._state == "closed"

    @property
    def idle(self) -> bool:
        """Whether this actor can be dropped."""
        return self.closed or not (len(self.connections) or self.busy or self.search is not None)

    @property
    def busy(self) -> bool:
        """Whether a command waits or is carried out."""
        return bool(self._inbox) or self._state in ("committing", "loading")

    # --- commands -----------------------------------------------------------------------------------------------

    async def request(self, person: Person, command: RoomCommand) -> int:
        """Carry out a player's command. Return the room's version after it. Raise :class:`Rejection`."""
        self.visitors.note_request(person.player)
        reply = AwaitedReply()
        self.submit(Request(person, command), command_key(person.player, command.id), reply)
        return await reply.future

    async def tell(self, command: AnyCommand) -> int:
        """Carry out the application's own command. Return the room's version after it. Raise :class:`Rejection`."""
        reply = AwaitedReply()
        self.submit(command, None, reply)
        return await reply.future

    def submit(self, command: AnyCommand, key: CommandKey | None, reply: Reply) -> None:
        """Carry out a command now, or after the commands that wait already. The reply gets the answer exactly once."""
        if self._state == "ready" and not self._inbox:
            self._run(Submission(command, key, reply))
        else:
            self._inbox.append(Submission(command, key, reply, arrived_ms=self._node.clock.now_ms()))
            self._go_on()

    def wake(self) -> None:
        """Do what is due by now."""
        at = self.visitors.moment(self.room)
        at_ms = advance_at_ms(self.room, at.presence, at.policy)
        if self._state == "stale" or (at_ms is not None and at_ms <= at.now_ms):
            self.submit(Wake(), None, UNANSWERED)
        else:
            self._schedule()

    def _run(self, submission: Submission) -> None:
        command, key, reply = submission.command, submission.key, submission.reply
        if key is not None:
            version = self._answered.version(key)
            if version is not None:
                reply.accepted(version)
                return
        if self._node.downtime.on:
            reply.rejected(not_stored())
            self._publisher.schedule_retry(self.id, RETRY_MS)
            return
        room, at = self.room, self.visitors.moment(self.room, submission.arrived_ms)
        try:
            if type(command) is Request:
                command = self._names.in_request(command)
            transition = step(room, command, at)
            if transition.room is room and key is None:
                reply.accepted(room.version)
                return
            change = change_of(room, transition, at, self._answered, key, shared=self._repository.shared)
        except Rejection as rejection:
            if key is None or not self._repository.shared:
                reply.rejected(rejection)
            else:
                self._confirm(submission, key, rejection, at)
            return
        except Exception:
            log.exception("a command failed", room=room.id, command=type(command).__name__)
            reply.rejected(fault())
            return
        self._state = "committing"
        self._commit = PendingCommit(submission, transition, at.now_ms)
        self._repository.commit(change, self)

    def _confirm(self, submission: Submission, key: CommandKey, rejection: Rejection, at: Moment) -> None:
        """Ask the store if a rejection stands: other nodes may have changed the room, or answered the command before."""
        room, self._state = self.room, "committing"
        self._commit = PendingCommit(submission, Transition(room), at.now_ms, rejection)
        self._repository.commit(Change(room.id, room.version, room.version, command=key, checks=True), self)

    def commit_answered(self, change: Change, answer: CommitAnswer) -> None:
        """Take the store's answer to the commit that is under way."""
        commit, self._commit = self._commit, None
        if commit is None:
            raise RuntimeError("the store answered, but no commit is under way")
        reply = commit.submission.reply
        if type(answer) is Stored:
            after, line = commit.transition.room, change.line
            self._state = "closed" if after.closed else "ready"
            if commit.rejection is None:
                self._take(after, commit.transition.events, None if line is None else line._replace(n=answer.line))
                reply.accepted(answer.version)
            else:
                reply.rejected(commit.rejection)
        elif type(answer) is Known:
            reply.accepted(answer.version)
            self._state, self._behind = "stale", True
        elif type(answer) is Conflict:
            self._conflict(commit, answer.room)
        elif isinstance(answer, Unavailable | Failed):
            self._state = "stale"  # the ids held here may have one that is not stored
            rejection = self._repository.rejection_of(change, answer, commit.began_ms)
            self._publisher.schedule_retry(self.id, rejection.retry_ms or RETRY_MS)
            reply.rejected(rejection)
        if self._behind:
            self._read_changes()
        if self._inbox:
            self._go_on()

    def _take(self, after: Room, events: tuple[Event, ...], line: Line | None) -> None:
        """Continue from a stored room, and publish the events that led to it."""
        before, self.room, visitors = self.room, after, self.visitors
        if after is not before and after.clock is not None:
            self.room = after = begun_when_sent(after, self._node.clock.now_ms())
        if after.seats is not before.seats or after.owner is not before.owner:
            visitors.note_seats(after)
        self._publisher.publish(before, after, events, line, visitors.connections, visitors.presence)
        if after is not before:
            if self.search is not None:
                self._settle_search()
            at_rest = self._at_rest and after.seats is before.seats and after.clock is None
            if not at_rest or after.claimable or after.closed:
                self._schedule()

    def _go_on(self) -> None:
        """Carry out the commands that wait, as far as the state allows."""
        while self._inbox and self._state == "ready":
            self._run(self._inbox.popleft())
        if not self._inbox:
            return
        if self._state == "stale":
            self._state = "loading"
            self._tasks.run(self._load(None, read=True))
        elif self._state == "closed":
            while self._inbox:
                self._inbox.popleft().reply.rejected(unknown_room())

    # --- when the stored room is not the one held ----------------------------------------------------------------

    def _conflict(self, commit: PendingCommit, stored: StoredRoom | None) -> None:
        """Continue from the stored room, which another node changed first, and run the command again."""
        submission = commit.submission
        if submission.conflicts + 1 < MAX_CONFLICTS:
            self._inbox.appendleft(submission.after_conflict(commit.began_ms))
        else:
            submission.reply.rejected(too_busy())
        self._state = "loading"
        self._tasks.run(self._load(stored, read=False))

    async def _load(self, stored: StoredRoom | None, *, read: bool) -> None:
        """Continue from a stored room: the one in the answer to a commit, or, with ``read``, the one in the store now."""
        try:
            loaded = await (self._repository.hold(self.id) if read else self._repository.decoded(self.id, stored))
        except Rejection as rejection:
            self._state = "stale"
            self._publisher.schedule_retry(self.id, rejection.retry_ms or RETRY_MS)
            while self._inbox:
                self._inbox.popleft().reply.rejected(rejection)
        else:
            self._loaded(loaded)

    def _loaded(self, loaded: LoadedRoom | None) -> None:
        """Continue from the stored room, None if it is gone, and show it if its version is another."""
        before = self.room
        if loaded is None:
            self._state = "closed"
            if not before.closed:
                self.room = replace(closed_room(before), version=before.version + 1)
        else:
            self._state = "ready"
            self._answered, self.room = loaded.answered, held_or_stored(before, loaded.room)
            if loaded.presence is not None:
                self.visitors.hold_again(self.room, loaded.presence)
        if self.room.version != before.version:
            self.visitors.note_seats(self.room)
            self._publisher.publish_loaded(before, self.room, self.connections, self.presence)
        if loaded is not None:
            self.connections.send_missed_lines(loaded.lines, loaded.names)
        self._settle_search()
        self._schedule()
        self._read_changes()
        self._go_on()

    def changed_elsewhere(self, change: Change) -> None:
        """Take over and show a change that another node stored, unless this node has it already."""
        before = self.room
        if self._state in ("loading", "stale") or change.expected > before.version:
            self.read_again()  # what is being read may be older than the change, or changes before it were missed
            return
        if self._state == "closed":
            return
        if change.data is None and not change.closes:
            if change.line is not None and self.connections.has_line(change.line.n):
                return
        elif change.version <= before.version:
            return
        try:
            after = self._repository.changed(before, change)
        except UnreadableRoomError:
            self.read_again()
            return
        if change.command is not None:
            self._answered.add(change.command, change.version)
        self._state = "closed" if after.closed else self._state
        self._take(after, news_from(change.news), change.line)

    def read_again(self) -> None:
        """Read the room again as soon as possible, because changes of other nodes may have been missed."""
        self._behind = True
        self._read_changes()

    async def refresh(self) -> None:
        """Read the room again and wait for it. Raise ``unavailable``, or ``unknown_room`` if the room is gone."""
        reply = AwaitedReply()
        self._inbox.append(Submission(Wake(), None, reply))
        self.read_again()
        await reply.future

    def _read_changes(self) -> None:
        """Read the changes of other nodes, but not during a commit or a read, whose answer may be older than they."""
        if self._behind and self._state in ("ready", "stale"):
            self._behind = False
            self._state = "stale"
            self.wake()

    def recovered(self) -> None:
        """Continue after an outage of the store."""
        self.submit(Wake(), None, UNANSWERED)
        self._schedule()

    # --- deadlines and the engine --------------------------------------------------------------------------------

    def _schedule(self) -> None:
        if self._state == "closed":
            self._publisher.forget(self.id)
            return
        visitors, searching = self.visitors, self.search is not None
        at_ms = self._publisher.schedule(self.room, visitors.presence, searching=searching, keeps=visitors.keeps)
        # Two players who are both connected, without a clock: no move of theirs makes anything due.
        self._at_rest = at_ms is None and self.room.clock is None and not self.room.has_engine

    def search_ended(self, search: RoomSearch, *, retry: bool) -> None:
        """Note that a search has ended. With ``retry``, the engine tries again after a delay."""
        if self.search is not search:
            return
        if retry:
            self._schedule()  # while the search is still set: the flag falls in time, and the engine waits for the retry
            self._publisher.schedule_retry(self.id, RETRY_MS)
        self.search = None
        if not retry:
            self._schedule()

    def _settle_search(self) -> None:
        """Cancel the search if the room no longer needs it."""
        search = self.search
        if search is not None and not search.is_wanted_by(self.room):
            self.search = None
            search.cancel()

    # --- visitors ------------------------------------------------------------------------------------------------

    def join(self, connection: Connection) -> None:
        """Add a connection, and send it the room, the crowd and the chat."""
        if self.visitors.join(connection, self.room):
            self._schedule()

    def leave(self, connection: Connection) -> None:
        """Remove a connection."""
        if self.visitors.leave(connection, self.room):
            self._schedule()

    def lag_measured(self) -> None:
        """Take over a new measurement of a player's lag."""
        if self.room.clock is not None:
            self.visitors.note_lag(self.room)
            self._schedule()

    def presence_changed(self) -> None:
        """Take over a report of another node, or the end of a node."""
        if self.visitors.presence_changed(self.room):
            self._schedule()
