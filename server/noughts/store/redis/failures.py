"""What errors of Redis mean: a sentence for the operator, and whether the connection must be given up."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from socket import gaierror
from ssl import SSLError
from typing import Final

from redis.exceptions import RedisError

_SENTENCES: Final = {
    "OOM": "Redis has no memory left: raise maxmemory, or delete data",
    "MISCONF": "Redis cannot write to its disk and refuses changes: free space there, and see Redis's log",
    "READONLY": "this Redis is a replica now: another one became the primary",
    "MASTERDOWN": "this Redis is a replica that has lost its primary",
    "LOADING": "Redis is still reading its data",
    "NOREPLICAS": "Redis has too few replicas (min-replicas-to-write)",
    "BUSY": "Redis is busy with another client's script",
    "NOAUTH": "Redis asks for a password: see --store-password-file",
    "WRONGPASS": "Redis rejects the user or the password: see --store-password-file",
    "SCHEMA": "the data in this Redis have another schema now",
    "GIVENUP": "this node sent no beat for too long: it takes part again with its next beat",
}
_ELSEWHERE: Final = frozenset({"READONLY", "MASTERDOWN", "NOAUTH", "NOPERM", "LOADING", "SCHEMA"})
"""Codes after which the node connects again: it finds the primary, and checks the rights of its user."""


_IN_SCRIPT: Final = re.compile(r"(?:ERR )?Error running script .*: -([A-Z]+) ")
"""How Redis before 7.0 passes on the error of a command in a script."""
_NO_RIGHT_IN_SCRIPT: Final = ("The user executing the script ", "ACL failure in script")
"""How Redis from 7.0 on says that a command of a script is denied. It does not always name the command."""
_DENIED: Final = re.compile(r"has no permissions to run the '([^']+)' command")
_QUOTED_WORDS: Final = ", with args beginning with:"
"""What Redis puts before the words of a command that it does not know. Those of HELLO have the password."""
_INCAPABLE: Final = frozenset({"OOM", "MISCONF", "LOADING", "BUSY"})
"""Codes of a Redis that can be reached and serves no node now."""


ANSWER_S: Final = 1.0
"""Seconds for a connection, and after which a command without an answer is unknown."""


class LostError(Exception):
    """The connection was lost or is not there. It is not known whether the command took effect."""


def error_code(error: Exception) -> str:
    """Return the first word of Redis's answer, such as ``OOM``; empty for other errors."""
    status = getattr(error, "status_code", None)  # redis-py takes the codes that it knows out of the text
    if isinstance(status, str) and status != "ERR":
        return status
    if str(error).removeprefix("ERR ").startswith(_NO_RIGHT_IN_SCRIPT):
        return "NOPERM"
    in_script = _IN_SCRIPT.match(str(error))
    if in_script is not None:
        return in_script[1]
    first = str(error).partition(" ")[0]
    return first if first.isupper() else ""


def lacking(commands: Iterable[str]) -> str:
    """Return a sentence about the commands that Redis's user may not run."""
    return f"Redis's user may not run these commands: {', '.join(commands)}. Add them to its ACL"


def is_elsewhere(error: Exception) -> bool:
    """Return whether commands must go to another server from now on."""
    return error_code(error) in _ELSEWHERE


def is_incapable(error: Exception) -> bool:
    """Return whether Redis says that it serves no node now. Its other errors may concern this node alone."""
    return error_code(error) in _INCAPABLE


def reason_of(error: Exception) -> str:
    """Return why a command failed, in one sentence without its arguments or any password."""
    if isinstance(error, LostError):
        return str(error)
    if isinstance(error, TimeoutError):
        return f"no answer within {ANSWER_S:g} s"
    if isinstance(error, RedisError) and isinstance(error.__context__, OSError):
        return reason_of(error.__context__)  # redis-py puts the address around it, which the caller names too
    code = error_code(error)
    if code == "NOPERM":
        denied = _DENIED.search(str(error))
        return lacking((denied[1],)) if denied else "Redis's user may not do this: see the ACL in the documentation"
    sentence = _SENTENCES.get(code)
    if sentence is not None:
        return sentence
    if "max number of clients" in str(error):
        return "Redis has too many clients: raise maxclients"
    if isinstance(error, OSError) and error.errno is not None and not isinstance(error, SSLError):
        # asyncio puts the address around it too.
        return str(error.strerror) if isinstance(error, gaierror) else os.strerror(error.errno)
    if isinstance(error, RedisError | OSError):
        return f"Redis: {str(error).removeprefix('ERR ').partition(_QUOTED_WORDS)[0]}"
    return str(error)
