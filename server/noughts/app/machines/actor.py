"""One value on this node: it takes one command at a time through step, commit and publication.

    submit -> kind.step -> repository.commit -> (the store) -> commit_answered -> publish -> reply

A command runs in the turn of the event loop in which it arrives, up to the commit. While a commit is under way, further
commands wait in the inbox. A failed commit means *unknown*: the value is read again before the next step. What follows from
each input stands in the table of ``actor_states.py``; this module carries out the effects.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final, Generic, NamedTuple, TypeAlias

import structlog

from noughts.app.delivery.connection import Connection
from noughts.app.machines.actor_states import TABLE, Effect, IllegalInputError, Input, State
from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.kind import C, E, Kind, Loaded, M, Step, V
from noughts.app.machines.on_node import OnNode
from noughts.app.machines.replies import (
    RETRY_MS,
    Answered,
    PendingCommit,
    Reply,
    Submission,
    not_stored,
    reply_to,
    too_busy,
    unanswered,
)
from noughts.app.machines.repository import Repository, UnreadableError
from noughts.app.runtime.node_state import NodeState
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection, fault
from noughts.room.idempotency import IdempotencyKeys
from noughts.store.machine_store import Change, CommitAnswer, Conflict, Known, Line, Stored

log = structlog.get_logger()


class ActorParts(NamedTuple, Generic[V, C, M, E]):
    """What all actors of one kind share on this node."""

    kind: Kind[V, C, M, E]
    repository: Repository[V]
    wakes: Deadlines
    node: NodeState
    tasks: Tasks


AnyParts: TypeAlias = ActorParts[V, Any, Any, Any]
"""The parts of actors whose values alone matter."""


class Actor(OnNode[V, M, E], Generic[V, C, M, E]):
    """A value on this node, and the commands that wait for it. Each kind has a subclass of its own."""

    __slots__ = (
        "_command_ids", "_inbox", "_kind", "_node", "_pending", "_repository", "_state", "_tasks", "_wakes",
    )  # fmt: skip

    def __init__(self, parts: ActorParts[V, C, M, E], loaded: Loaded[V]) -> None:
        """A subclass makes its own parts first: the first deadline is set here."""
        self.value = loaded.value
        self._command_ids: IdempotencyKeys = loaded.command_ids
        self._kind, self._repository, self._wakes, self._node, self._tasks = parts
        self._state: State = "ready"
        self._inbox: deque[Submission] = deque()
        self._pending: PendingCommit | None = None
        self.schedule()

    @property
    def id(self) -> str:
        return self.value.id

    @property
    def closed(self) -> bool:
        """Whether the value is closed. It never opens again."""
        return self._state == "closed"

    @property
    def busy(self) -> bool:
        """Whether a command waits or is carried out."""
        return bool(self._inbox) or self._state in ("committing", "overtaken", "loading", "behind")

    @property
    def idle(self) -> bool:
        """Whether this actor can be dropped."""
        return self.closed or (self.resting and not self.busy)

    # --- commands -----------------------------------------------------------------------------------------------

    async def tell(self, command: C, key: tuple[str, str] | None = None) -> int:
        """Carry out a command, the application's own without a key. Return the version after it. Raise Rejection."""
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.submit(command, key, reply_to(future))
        return await future

    def submit(self, command: C, key: tuple[str, str] | None, reply: Reply) -> None:
        """Carry out a command now, or after the commands that wait already. The reply gets the answer exactly once."""
        if self._state == "ready" and not self._inbox:
            self._step(Submission(command, key, reply))
        else:
            self._inbox.append(Submission(command, key, reply, arrived_ms=self._node.clock.now_ms()))
            self._input("command")

    def wake(self) -> None:
        """Do what is due by now."""
        self.submit(self._kind.wake, None, unanswered)

    def _step(self, submission: Submission) -> None:
        command, key, reply = submission.command, submission.key, submission.reply
        version = None if key is None else self._command_ids.version(key)
        if version is not None:
            reply(version)
            return
        downtime, now_ms = self._node.downtime, self._node.clock.now_ms()
        if downtime.on:
            reply(not_stored())
            self.retry(RETRY_MS)
            return
        if now_ms > downtime.late_ms:
            downtime.tick(now_ms)  # the event loop stood still until now
        value, at = self.value, self.moment(now_ms, submission.arrived_ms)
        rejection = None
        try:
            step = self._kind.step(value, command, at)
            if step.value is value and key is None:
                reply(value.version)
                self.schedule()
                return
            change = self._repository.change(value, step, self._command_ids, key)
        except Rejection as error:
            if key is None or not self._repository.shared:
                reply(error)
                return
            # Other nodes may have changed the value, or answered the command before: the store says if the rejection stands.
            rejection, step = error, Step(value)
            change = self._repository.check(value, key)
        except Exception:
            log.exception("a command failed", about=value.id, command=type(command).__name__)
            reply(fault())
            return
        self._input("stepped", PendingCommit(submission, change, step, at.now_ms, rejection))

    def commit_answered(self, change: Change, answer: CommitAnswer) -> None:
        """Take the store's answer to the commit that is under way. Raise IllegalInputError if none is."""
        commit, self._pending = self._pending, None
        input = _ANSWERS.get(type(answer), "unknown")
        if input == "stored" and commit is not None and commit.step.value.closed:
            input = "ended"
        self._input(input, (commit, answer))

    def changed_elsewhere(self, change: Change) -> None:
        """Take over and show a change that another node stored, unless this node has it already."""
        version = self.value.version
        if change.expected > version:
            self._input("missed")
        else:
            self._input("removed" if change.closes and change.version > version else "changed", change)

    def read_again(self) -> None:
        """Read the value again as soon as possible, because changes of other nodes may have been missed."""
        self._input("missed")

    async def refresh(self) -> None:
        """Read the value again and wait for it. Raise ``unavailable``, or that the value is unknown if it is gone."""
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._inbox.append(Submission(self._kind.wake, None, reply_to(future)))
        self.read_again()
        await future

    # --- effects ------------------------------------------------------------------------------------------------

    def _input(self, input: Input, about: Any = None) -> None:
        """Go to the next state, and carry out the effects. ``about`` is what came with the input."""
        try:
            self._state, effects = _FOLLOWING[self._state][input]
        except KeyError:
            raise IllegalInputError(f"{input} while {self._state}") from None
        for effect in effects:
            effect(self, about)

    def _commit(self, commit: PendingCommit) -> None:
        self._pending = commit
        self._repository.store.submit(commit.change, self)

    def _run(self, about: object) -> None:
        while self._inbox and self._state == "ready":
            self._step(self._inbox.popleft())
        self._resume(about)

    def _resume(self, about: object) -> None:
        if self._inbox:
            self._input("command")

    def _take(self, answered: Answered[Stored]) -> None:
        commit, answer = answered
        if commit.rejection is None:
            step, line = commit.step, commit.change.line
            self.note_stored(step)
            self._continue_from(step.value, step.events, line and line._replace(n=answer.line))

    def _take_over(self, change: Change) -> None:
        before = self.value
        if (change.data is not None or change.closes) and change.version <= before.version:
            return
        try:
            value = self._repository.changed(before, change)
        except UnreadableError:
            return self._input("missed")
        if change.command is not None:
            self._command_ids.add(change.command, change.version)
        events = () if change.news is None else self._kind.events.decode(change.news)
        self._continue_from(value, events, change.line)

    def _continue_from(self, value: V, events: tuple[E, ...], line: Line | None) -> None:
        before = self.value
        self.value = self.publish(value, events, line)
        if value is not before:
            self.schedule()

    def _answer(self, answered: Answered[Stored | Known]) -> None:
        commit, answer = answered
        commit.submission.reply(commit.rejection or answer.version)

    def _requeue(self, answered: Answered[CommitAnswer]) -> None:
        commit = answered[0]
        if (again := commit.submission.again(commit.began_ms)) is None:
            commit.submission.reply(too_busy(self._kind.name))
        else:
            self._inbox.appendleft(again)

    def _fail(self, answered: Answered[CommitAnswer]) -> None:
        commit, answer = answered
        rejection = self._repository.rejection_of(commit.change, answer, commit.began_ms)
        self.retry(rejection.retry_ms or RETRY_MS)
        commit.submission.reply(rejection)

    def _give_up(self, rejection: Rejection) -> None:
        self.retry(rejection.retry_ms or RETRY_MS)
        self._dismiss(rejection)

    def _dismiss(self, rejection: Rejection | None) -> None:
        while self._inbox:
            self._inbox.popleft().reply(rejection or self._kind.unknown())

    def _read(self, about: object) -> None:
        self._tasks.run(self._load(self._repository.hold(self.id)))

    def _decode(self, answered: Answered[Conflict]) -> None:
        self._tasks.run(self._load(self._repository.decoded(self.id, answered[1].row)))

    async def _load(self, loading: Coroutine[object, None, Loaded[V] | None]) -> None:
        """Continue from the stored value once it is read or decoded."""
        try:
            loaded = await loading
        except Rejection as rejection:
            self._input("unread", rejection)
        except Exception:
            log.exception("reading failed", about=self.id)
            self._input("unread", fault())
        else:
            self._input("gone" if loaded is None else "loaded", loaded)

    def _show(self, loaded: Loaded[V] | None) -> None:
        before = self.value
        value = self._kind.closed(before, before.version + 1) if loaded is None else loaded.value
        if loaded is not None:
            self._command_ids = loaded.command_ids
        self.value = self.publish_loaded(value, loaded)
        self.schedule()

    def schedule(self) -> None:
        """Set the time at which this node next attends to the value."""
        id, at_ms = self.value.id, None if self._state == "closed" else self.wake_at_ms()
        if at_ms != self._wakes.at_ms.get(id):
            self._wakes.set(id, at_ms)
        if at_ms is not None and self.pace() != "still":
            self._node.running_clocks.add(id)
        else:
            self._node.running_clocks.discard(id)

    def retry(self, delay_ms: int) -> None:
        """Attend to the value after a delay, or earlier if it has an earlier deadline."""
        self._wakes.set_sooner(self.id, self._node.clock.now_ms() + delay_ms)

    def join(self, connection: Connection) -> None:
        """Add a connection, and send it the value."""
        if self.add(connection):
            self.schedule()

    def leave(self, connection: Connection) -> None:
        """Remove a connection."""
        if self.remove(connection):
            self.schedule()


AnyActor: TypeAlias = Actor[Any, Any, Any, Any]
"""An actor of any kind."""

_EFFECTS: Final[Mapping[Effect, Callable[[AnyActor, Any], None]]] = {
    "commit": Actor._commit,
    "run": Actor._run,
    "resume": Actor._resume,
    "read": Actor._read,
    "decode": Actor._decode,
    "take": Actor._take,
    "take_over": Actor._take_over,
    "show": Actor._show,
    "answer": Actor._answer,
    "requeue": Actor._requeue,
    "fail": Actor._fail,
    "give_up": Actor._give_up,
    "dismiss": Actor._dismiss,
}
"""What carries out each effect of the table. The input of an effect says what it is given."""
_FOLLOWING: Final = {
    state: {input: (next, tuple([_EFFECTS[effect] for effect in effects])) for input, (next, effects) in row.items()}
    for state, row in TABLE.items()
}
"""The table with the methods that carry out its effects."""
_ANSWERS: Final[Mapping[type, Input]] = {Stored: "stored", Known: "known", Conflict: "conflict"}
"""What an answer of the store is for an actor. Any other answer means that the outcome is unknown."""
