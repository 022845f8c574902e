"""One room on this node: one command at a time, from the step to the commit to every screen.

    submit -> step -> repository.commit -> (the store) -> commit_answered -> publisher.publish -> reply

A command runs where it arrives, up to the commit, without a task switch. While a commit is under way further commands wait
in the inbox. A failed commit means *unknown*: the room is read again before the next step.
"""

from __future__ import annotations

import asyncio
from collections import deque
from enum import Enum, auto
from typing import Final, NamedTuple, Protocol

import structlog

from noughts.app.delivery.channel import Channel
from noughts.app.delivery.connection import Connection
from noughts.app.players.recent_names import RecentNames
from noughts.app.rooms.circumstances import Circumstances
from noughts.app.rooms.crowd import crowd_message
from noughts.app.rooms.publisher import Publisher
from noughts.app.rooms.repository import CommandKey, LoadedRoom, RoomRepository, UnreadableRoomError, change_of
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection
from noughts.room.commands import AnyCommand, Request, RoomCommand, Wake
from noughts.room.presence import Presence
from noughts.room.room import Room, players_of
from noughts.room.seat import Person
from noughts.room.step import step
from noughts.room.timers import advance_at_ms
from noughts.room.transition import Moment, Transition
from noughts.store.contract import (
    Change,
    CommitAnswer,
    Conflict,
    Known,
    Stored,
    StoredRoom,
    StoreUnavailableError,
    Unavailable,
)
from noughts.store.presence import PresenceLeases

CROWD_INTERVAL_MS: Final = 1_000
"""The shortest time between two crowd messages to one client."""
RETRY_MS: Final = 1_000
MAX_CONFLICTS: Final = 5
"""Conflicts after which a command is rejected as unavailable."""

log = structlog.get_logger()


class Reply(Protocol):
    """Where the answer to a command goes, once."""

    def accepted(self, version: int) -> None: ...
    def rejected(self, rejection: Rejection) -> None: ...


class State(Enum):
    """What an actor is doing."""

    READY = auto()
    COMMITTING = auto()
    STALE = auto()
    """The stored room is not known: it must be read before the next step."""
    LOADING = auto()
    CLOSED = auto()


class Submission(NamedTuple):
    """A command that waits for its turn. ``key`` is the player and the command's id, None for the application's own."""

    command: AnyCommand
    key: CommandKey | None
    reply: Reply
    conflicts: int = 0


class _Commit(NamedTuple):
    """A commit that is under way."""

    submission: Submission
    before: Room
    done: Transition
    at: Moment


class Search:
    """A search of the engine for this room: what it is about, and its task."""

    __slots__ = ("draw_offered", "game", "moves", "task")

    def __init__(self, game: int, moves: tuple[int, ...], draw_offered: bool) -> None:
        self.game = game
        self.moves = moves
        self.draw_offered = draw_offered
        self.task: asyncio.Task[None] | None = None

    def cancel(self) -> None:
        """Call the search off."""
        if self.task is not None:
            self.task.cancel()


class RoomActor:
    """A room, its connections on this node, and the commands that wait for it."""

    __slots__ = (
        "_answered",
        "_at_rest",
        "_circumstances",
        "_commit",
        "_inbox",
        "_leases",
        "_names",
        "_publisher",
        "_repository",
        "_state",
        "_tasks",
        "channel",
        "presence",
        "room",
        "search",
    )

    def __init__(
        self,
        loaded: LoadedRoom,
        repository: RoomRepository,
        publisher: Publisher,
        circumstances: Circumstances,
        leases: PresenceLeases,
        names: RecentNames,
        tasks: Tasks,
    ) -> None:
        self.room = loaded.room
        self.channel = Channel(circumstances.policy, loaded.lines, loaded.names)
        self.search: Search | None = None
        self._answered = loaded.answered
        self._repository = repository
        self._publisher = publisher
        self._circumstances = circumstances
        self._leases = leases
        self._names = names
        self._tasks = tasks
        self._state = State.READY
        self._at_rest = False
        self._inbox: deque[Submission] = deque()
        self._commit: _Commit | None = None
        leases.hold(self.room.id, circumstances.clock.now_ms())
        self.presence = self._present()
        self._schedule()

    # --- what it is ---------------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        return self.room.id

    @property
    def closed(self) -> bool:
        """Whether the room is gone for good."""
        return self._state is State.CLOSED

    @property
    def idle(self) -> bool:
        """Whether nothing is lost by letting go of this actor."""
        quiet = not len(self.channel) and not self._inbox and self.search is None
        return self.closed or (quiet and self._state in (State.READY, State.STALE))

    # --- commands -----------------------------------------------------------------------------------------------

    async def request(self, person: Person, command: RoomCommand) -> int:
        """Carry out a player's command. Return the room's version after it. Raise :class:`Rejection`."""
        now_ms = self._circumstances.clock.now_ms()
        if self._leases.attendance(self.id).players.get(person.player) is None:
            self._leases.seen(self.id, person.player, now_ms)
        reply = AwaitedReply()
        self.submit(Request(person, command), (person.player, command.id), reply)
        return await reply.future

    async def tell(self, command: AnyCommand) -> int:
        """Carry out the application's own command. Return the room's version after it. Raise :class:`Rejection`."""
        reply = AwaitedReply()
        self.submit(command, None, reply)
        return await reply.future

    def submit(self, command: AnyCommand, key: CommandKey | None, reply: Reply) -> None:
        """Carry out a command now, or after those that came first. The reply is given the answer exactly once."""
        if self._state is State.READY and not self._inbox:
            self._run(Submission(command, key, reply))
        else:
            self._inbox.append(Submission(command, key, reply))
            self._go_on()

    def wake(self) -> None:
        """Do what is due by now."""
        at_ms = advance_at_ms(self.room, self.presence, self._circumstances.policy)
        if self._state is State.STALE or (at_ms is not None and at_ms <= self._circumstances.clock.now_ms()):
            self.submit(Wake(), None, _UNANSWERED)
        else:
            self._schedule()

    def _run(self, submission: Submission) -> None:
        command, key, reply, _ = submission
        if key is not None:
            version = self._answered.version(*key)
            if version is not None:
                reply.accepted(version)
                return
        if self._circumstances.downtime.on:
            self._reject_unavailable(reply)
            return
        room = self.room
        at = self._circumstances.moment(self.presence)
        try:
            if type(command) is Request:
                command = self._names.in_request(command)
            done = step(room, command, at)
            if done.room is room and key is None:
                reply.accepted(room.version)
                return
            change = change_of(room, done, at, self._answered, key)
        except Rejection as rejection:
            reply.rejected(rejection)
            return
        except Exception:
            log.exception("a command failed", room=room.id, command=type(command).__name__)
            reply.rejected(Rejection("internal", "Something went wrong on the server: try again."))
            return
        self._state = State.COMMITTING
        self._commit = _Commit(submission, room, done, at)
        self._repository.commit(change, self)

    def commit_answered(self, change: Change, answer: CommitAnswer) -> None:
        """Take the store's answer to the commit that is under way."""
        commit, self._commit = self._commit, None
        if commit is None:
            raise RuntimeError("an answer without a commit")
        reply = commit.submission.reply
        if type(answer) is Stored:
            self._stored(commit, change, answer.line)
            reply.accepted(answer.version)
        elif type(answer) is Known:
            self._state = State.STALE
            reply.accepted(answer.version)
        elif type(answer) is Conflict:
            self._conflict(commit, answer.room)
        elif type(answer) is Unavailable:
            self._state = State.STALE
            if self._circumstances.downtime.begin(commit.at.now_ms):
                log.error("the store cannot be reached", room=self.id, reason=answer.reason)
            self._reject_unavailable(reply)
        if self._inbox:
            self._go_on()

    def _stored(self, commit: _Commit, change: Change, line: int) -> None:
        before, done = commit.before, commit.done
        self.room = after = done.room
        self._state = State.CLOSED if after.closed else State.READY
        if after.seats is not before.seats or after.owner is not before.owner:
            self.presence = self._present()
            self._crowd_changed()
        self._publisher.publish(before, change, done, line, self.channel, self.presence)
        if after is not before:
            self._settle_search()
            resting = self._at_rest and after.seats is before.seats and after.clock is None
            if not resting or after.claimable or after.closed:
                self._schedule()

    def _go_on(self) -> None:
        """Carry out what waits, as far as the state allows."""
        while self._inbox and self._state is State.READY:
            self._run(self._inbox.popleft())
        if not self._inbox:
            return
        if self._state is State.STALE:
            self._state = State.LOADING
            self._tasks.run(self._reload())
        elif self._state is State.CLOSED:
            while self._inbox:
                self._inbox.popleft().reply.rejected(unknown_room())

    # --- when the stored room is not the one held ----------------------------------------------------------------

    def _conflict(self, commit: _Commit, stored: StoredRoom | None) -> None:
        """Another change came first: take it over and try again."""
        submission = commit.submission
        if submission.conflicts + 1 < MAX_CONFLICTS:
            self._inbox.appendleft(submission._replace(conflicts=submission.conflicts + 1))
        else:
            message = "The room is too busy: send the same command again."
            submission.reply.rejected(Rejection("unavailable", message, retry_ms=500))
        self._state = State.LOADING
        self._tasks.run(self._take_over(stored))

    async def _take_over(self, stored: StoredRoom | None) -> None:
        try:
            loaded = None if stored is None else await self._repository.decoded(stored)
        except (StoreUnavailableError, UnreadableRoomError):
            self._load_failed()
            return
        self._loaded(loaded)

    async def _reload(self) -> None:
        began_ms = self._circumstances.clock.now_ms()
        try:
            loaded = await self._repository.load(self.id)
        except StoreUnavailableError:
            self._circumstances.downtime.begin(began_ms)
            self._load_failed()
            return
        except UnreadableRoomError:
            log.exception("a stored room cannot be read", room=self.id)
            self._load_failed()
            return
        self._loaded(loaded)

    def _load_failed(self) -> None:
        self._state = State.STALE
        inbox, self._inbox = self._inbox, deque()
        for submission in inbox:
            self._reject_unavailable(submission.reply)

    def _loaded(self, loaded: LoadedRoom | None) -> None:
        """Go on from the stored room. It may hold a change that nobody here was shown."""
        if loaded is None:
            self._state = State.CLOSED
        else:
            self._state = State.READY
            self._answered = loaded.answered
            self.room = loaded.room
            self.presence = self._present()
            self.channel.send_room(self.room, self.presence, None)
            self._settle_search()
            self._schedule()
        self._go_on()

    def changed_elsewhere(self, change: Change) -> None:
        """Another node stored a change of this room: show it, unless this node is ahead of it."""
        if self._state is State.READY and change.version >= self.room.version:
            self._state = State.LOADING
            self._tasks.run(self._reload())

    def recovered(self) -> None:
        """The store answers again: read what was left unknown, and do what is due by a clock that stood still."""
        self.submit(Wake(), None, _UNANSWERED)
        self._schedule()

    def _reject_unavailable(self, reply: Reply) -> None:
        reply.rejected(
            Rejection(
                "unavailable", "The server cannot store this now: send the same command again.", retry_ms=RETRY_MS
            )
        )
        self._publisher.schedule_retry(self.id, RETRY_MS)

    # --- deadlines and the engine --------------------------------------------------------------------------------

    def _schedule(self) -> None:
        if self._state is State.CLOSED:
            self._publisher.forget(self.id)
            return
        at_ms = self._publisher.schedule(self.room, self.presence, searching=self.search is not None)
        # Two players who are both here, without a clock: their moves make nothing due.
        self._at_rest = at_ms is None and self.room.clock is None and not self.room.has_engine

    def search_ended(self, search: Search, *, retry: bool) -> None:
        """A search is over, and its answer is in the room or worthless."""
        if self.search is search:
            self.search = None
            if retry and self._state is not State.CLOSED:
                self._publisher.schedule_retry(self.id, RETRY_MS)
            else:
                self._schedule()

    def _settle_search(self) -> None:
        """Call off a search whose game has moved on."""
        search, game = self.search, self.room.game
        if search is None:
            return
        if game is None or game.turn is None or (game.number, game.history.moves) != (search.game, search.moves):
            self.search = None
            search.cancel()

    # --- connections ---------------------------------------------------------------------------------------------

    def join(self, connection: Connection) -> None:
        """Take in a connection. It is sent the room, the crowd and the chat."""
        person, now_ms = connection.person, self._circumstances.clock.now_ms()
        player, name = (None, "") if person is None else (person.player, person.name)
        self._leases.arrived(self.id, player, name, now_ms)
        self._presence_changed()
        self.channel.join(connection, self.room)
        self.channel.send_room_to(connection, self.room, self.presence)
        connection.crowd_sent_ms = now_ms
        connection.push(self._crowd(now_ms), "crowd")
        self.channel.send_lines_to(connection)
        self._crowd_changed()

    def leave(self, connection: Connection) -> None:
        """Let a connection go."""
        person = connection.person
        self.channel.leave(connection)
        self._leases.departed(self.id, None if person is None else person.player, self._circumstances.clock.now_ms())
        if self._state is not State.CLOSED:
            self._presence_changed()
            self._crowd_changed()

    def resend(self, connection: Connection) -> None:
        """Send the room to a client whose view is behind."""
        self.channel.send_room_to(connection, self.room, self.presence)

    def lag_measured(self) -> None:
        """A player's network was measured."""
        if self.room.clock is not None:
            self.presence = self._present()
            self._schedule()

    def _present(self) -> Presence:
        room = self.room
        presence = self._leases.presence(room.id, players_of(room), self._circumstances.clock.now_ms())
        if room.clock is not None:
            lags = self.channel.lag_ms()
            presence = Presence(presence.away, lags, presence.connections, presence.last_left_ms)
        return presence

    def _presence_changed(self) -> None:
        before, room = self.presence, self.room
        self.presence = self._present()
        if before == self.presence:
            return
        if before.away != self.presence.away and not room.playing and not room.closed:
            # Under its old version once more: the owner may free the seat of a player who is away.
            self.channel.send_room(room, self.presence, None)
        if room.visibility == "public":
            self._publisher.lobby_changed()
        self._schedule()

    # --- the crowd -----------------------------------------------------------------------------------------------

    def _crowd_changed(self) -> None:
        self._publisher.crowd_changed(self.id, self.channel.crowd_sent_ms + CROWD_INTERVAL_MS)

    def send_crowd(self) -> None:
        """Send the crowd to every client that was not sent one within the last second."""
        now_ms = self._circumstances.clock.now_ms()
        self.channel.crowd_sent_ms = now_ms
        frame, again = self._crowd(now_ms), False
        for connection in self.channel:
            if now_ms - connection.crowd_sent_ms < CROWD_INTERVAL_MS:
                again = True  # it has just arrived, and was sent a crowd then
            else:
                connection.crowd_sent_ms = now_ms
                connection.push(frame, "crowd")
        if again:
            self._crowd_changed()

    def _crowd(self, now_ms: int) -> bytes:
        attendance = self._leases.attendance(self.id)
        return crowd_message(self.room, self.presence, attendance, now_ms, self._circumstances.policy)

    def rename(self, person: Person) -> None:
        """Show a player's chat lines under another name."""
        self.channel.rename(person.player, person.name)


class AwaitedReply:
    """A reply that a coroutine awaits."""

    __slots__ = ("future",)

    def __init__(self) -> None:
        self.future: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def accepted(self, version: int) -> None:
        if not self.future.done():
            self.future.set_result(version)

    def rejected(self, rejection: Rejection) -> None:
        if not self.future.done():
            self.future.set_exception(rejection)


class _Unanswered:
    """The reply to a wake-up: nobody waits for it."""

    def accepted(self, version: int) -> None:
        pass

    def rejected(self, rejection: Rejection) -> None:
        pass


_UNANSWERED: Final = _Unanswered()


def unknown_room() -> Rejection:
    """Return the rejection for a room that does not exist."""
    return Rejection("unknown_room", "This room does not exist or has expired: make a new one.")
