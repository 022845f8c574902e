"""What an actor does next: one table of its states and inputs.

The table names effects and carries out none, so a test walks all of it. No reply gets lost: each state with a command under
way has an effect for each input that ends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

State: TypeAlias = Literal["ready", "committing", "overtaken", "stale", "loading", "behind", "closed"]
"""What the actor waits for.

- ``ready``: for a command. Its value is the stored one.
- ``committing``: for the store's answer to a commit. ``overtaken``: the same, and messages of other nodes were missed.
- ``stale``: for a command, a retry or a message. The stored value may differ, so it is read before the next step.
- ``loading``: for the stored value. ``behind``: the same, and messages of other nodes were missed.
- ``closed``: for nothing. The value is gone.
"""
Input: TypeAlias = Literal[
    "command", "stepped",
    "stored", "ended", "known", "conflict", "unknown",
    "loaded", "gone", "unread",
    "changed", "removed", "missed",
]  # fmt: skip
"""What happens to an actor.

- ``command``: a command waits. ``stepped``: a step has made a change, or a rejection that the store has to confirm.
- The store's answer to the commit: ``stored``, ``ended`` (stored, and the value is closed), ``known`` (this command was
  answered before), ``conflict`` (another change came first), ``unknown`` (the outcome, or the change alone failed).
- The end of a read: ``loaded``, ``gone`` (there is no such value), ``unread``.
- Messages of other nodes: ``changed``, ``removed``, ``missed`` (some may have been lost).
"""
Effect: TypeAlias = Literal[
    "commit", "run", "resume", "read", "decode", "take", "take_over", "show",
    "answer", "requeue", "fail", "give_up", "dismiss",
]  # fmt: skip
"""What the actor then does, in this order.

- ``commit``: submit the change. ``run``: step the commands that wait. ``resume``: pass on ``command`` if any waits.
- ``read`` the stored value, or ``decode`` the one in the answer.
- ``take``: continue from the stored change and publish it. ``take_over``: the same for another node's change.
  ``show``: continue from the value that was read.
- ``answer`` the command. ``requeue``: put it first in line. ``fail``: reject it and retry later.
- ``give_up``: reject what waits, and retry later. ``dismiss``: reject what waits, because the value does not exist.
"""

TABLE: Final[Mapping[State, Mapping[Input, tuple[State, tuple[Effect, ...]]]]] = MappingProxyType(
    {
        "ready": {
            "command": ("ready", ("run",)),
            "stepped": ("committing", ("commit",)),
            "changed": ("ready", ("take_over",)),
            "removed": ("closed", ("take_over", "resume")),
            "missed": ("loading", ("read",)),
        },
        "committing": {
            "command": ("committing", ()),
            "stored": ("ready", ("take", "answer", "resume")),
            "ended": ("closed", ("take", "answer", "resume")),
            "known": ("loading", ("answer", "read")),
            "conflict": ("loading", ("requeue", "decode")),
            "unknown": ("stale", ("fail", "resume")),
            "changed": ("committing", ("take_over",)),
            "removed": ("closed", ("take_over",)),
            "missed": ("overtaken", ()),
        },
        "overtaken": {
            "command": ("overtaken", ()),
            "stored": ("loading", ("take", "answer", "read")),
            "ended": ("closed", ("take", "answer", "resume")),
            "known": ("loading", ("answer", "read")),
            "conflict": ("behind", ("requeue", "decode")),
            "unknown": ("loading", ("fail", "read")),
            "changed": ("overtaken", ("take_over",)),
            "removed": ("closed", ("take_over",)),
            "missed": ("overtaken", ()),
        },
        "stale": {
            "command": ("loading", ("read",)),
            "changed": ("loading", ("read",)),
            "removed": ("loading", ("read",)),
            "missed": ("loading", ("read",)),
        },
        "loading": {
            "command": ("loading", ()),
            "loaded": ("ready", ("show", "resume")),
            "gone": ("closed", ("show", "resume")),
            "unread": ("stale", ("give_up",)),
            "changed": ("behind", ()),
            "removed": ("behind", ()),
            "missed": ("behind", ()),
        },
        "behind": {
            "command": ("behind", ()),
            "loaded": ("loading", ("show", "read")),
            "gone": ("closed", ("show", "resume")),
            "unread": ("stale", ("give_up",)),
            "changed": ("behind", ()),
            "removed": ("behind", ()),
            "missed": ("behind", ()),
        },
        "closed": {
            "command": ("closed", ("dismiss",)),
            "stored": ("closed", ("answer", "resume")),
            "ended": ("closed", ("answer", "resume")),
            "known": ("closed", ("answer", "resume")),
            "conflict": ("closed", ("requeue", "resume")),
            "unknown": ("closed", ("fail", "resume")),
            "changed": ("closed", ()),
            "removed": ("closed", ()),
            "missed": ("closed", ("resume",)),
        },
    }
)


class IllegalInputError(Exception):
    """This input cannot happen in this state: a fault of the program. Nothing changed."""
