"""The page's types of messages are those of the server."""

from __future__ import annotations

import re
from typing import get_args

from noughts.protocol.asyncapi import COMMANDS, MESSAGES
from noughts.room.events import ViewEvent
from tools.message_types import FILE, page_name, text


def test_the_file_is_the_generated_one() -> None:
    """`make message-types` writes it again."""
    assert FILE.read_text() == text()


def test_every_message_has_a_type() -> None:
    """No two types have one name."""
    defined = re.findall(r"^export type (\w+) =", text(), re.M)
    names = {page_name(kind.__name__) for kind in (*COMMANDS, *MESSAGES, *get_args(ViewEvent))}
    assert len(defined) == len(set(defined))
    assert names <= set(defined)
