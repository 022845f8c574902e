"""An errand: work outside a step that a value asks for. It is done once, one at a time for each value, and retried.

    due_at_ms -> start_due -> answer -> a command to the value -> the value asks no more

Work that the value no longer wants is cancelled. If the node dies, the value still asks, and another node does the work.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import Any, Generic, TypeAlias, TypeVar

import structlog

from noughts.app.machines.actor import AnyActor
from noughts.app.machines.kind import V
from noughts.app.machines.replies import RETRY_MS
from noughts.app.runtime.node_state import NodeState
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection

log = structlog.get_logger()

A = TypeVar("A", bound=AnyActor)
T = TypeVar("T")
"""What work of one kind is about."""


class Postponed(Exception):
    """The work cannot be done now, but after this time."""

    def __init__(self, retry_ms: int) -> None:
        super().__init__()
        self.retry_ms = retry_ms


class Run(Generic[T]):
    """Work that goes on, and what it is about. It has no task once its answer is a command, which cannot be cancelled."""

    __slots__ = ("about", "task")

    def __init__(self, about: T) -> None:
        self.about = about
        self.task: asyncio.Task[None] | None = None


class Errand(ABC, Generic[A, V, T]):
    """One kind of work for the values that this node holds."""

    fault_retry_ms: int = RETRY_MS
    """When work is tried again that failed for no known reason."""

    def __init__(self, node: NodeState, tasks: Tasks) -> None:
        self.runs: dict[str, Run[T]] = {}
        """What goes on now, by the id of its value."""
        self._node = node
        self._tasks = tasks

    # --- what each kind of work says ----------------------------------------------------------------------------

    @abstractmethod
    def concerns(self, value: V) -> bool:
        """Return whether a value may ever ask for this, before its seats or its clock change."""

    @abstractmethod
    def due_at_ms(self, actor: A) -> int | None:
        """Return when a value asks for this work, a past time if it does now; None while it asks for nothing."""

    @abstractmethod
    def about(self, actor: A) -> T:
        """Return what work that begins now is about."""

    @abstractmethod
    def wanted_by(self, value: V, about: T) -> bool:
        """Return whether a value still asks for the work about this."""

    @abstractmethod
    async def answer(self, actor: A, about: T) -> object:
        """Do the work. Return the command that tells the value. Raise :class:`Postponed` or ``Rejection`` to try later."""

    def note_lost(self, error: BaseException) -> None:
        """Note work that was cancelled, rejected or failed."""

    # --- once, one at a time, with a retry ----------------------------------------------------------------------

    def next_ms(self, actor: A) -> int | None:
        """Return when to start; None while the work goes on."""
        return None if actor.id in self.runs else self.due_at_ms(actor)

    def start_due(self, actor: A) -> None:
        """Start the work if it is due."""
        at_ms = self.next_ms(actor)
        if at_ms is not None and at_ms <= self._node.clock.now_ms() and not actor.closed:
            run = self.runs[actor.id] = Run(self.about(actor))
            run.task = self._tasks.run(self._run(actor, run))

    def settle(self, actor: A, value: V) -> None:
        """Cancel the work if the value, which has just changed, no longer asks for it."""
        run = self.runs.get(actor.id)
        if run is not None and run.task is not None and not self.wanted_by(value, run.about):
            del self.runs[actor.id]
            run.task.cancel()

    async def _run(self, actor: A, run: Run[T]) -> None:
        retry_ms = 0
        try:
            command = await self.answer(actor, run.about)
            run.task = None
            await actor.tell(command)
        except asyncio.CancelledError as error:
            self.note_lost(error)
            raise
        except Postponed as error:
            retry_ms = error.retry_ms
        except Rejection as rejection:
            self.note_lost(rejection)
            retry_ms = rejection.retry_ms or RETRY_MS
        except Exception as error:
            self.note_lost(error)
            log.exception("an errand failed", errand=type(self).__name__, about=actor.id)
            retry_ms = self.fault_retry_ms
        finally:
            self._ended(actor, run, retry_ms)

    def _ended(self, actor: A, run: Run[T], retry_ms: int) -> None:
        if self.runs.get(actor.id) is not run:
            return
        if retry_ms:
            actor.schedule()  # while the work counts as going on: it waits for the retry
            actor.retry(retry_ms)
            del self.runs[actor.id]
        else:
            del self.runs[actor.id]
            actor.schedule()


AnyErrand: TypeAlias = Errand[Any, Any, Any]
"""An errand of any kind of value."""
