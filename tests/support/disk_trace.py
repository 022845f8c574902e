"""What a traced server wrote and flushed, in its order, and which images of its disk a power cut could leave.

A write is on the disk once a flush of its file has ended after it. Before that, each of its sectors may be there or not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from tests.support.strace import strace

SECTOR: Final = 512
"""Bytes that a disk writes as one."""
LONGEST: Final = 65_536
"""The most bytes of one call that the trace shows."""
TRACED: Final = "pwrite64,ftruncate,fdatasync,fsync,write,writev,sendto,sendmsg"

Fate: TypeAlias = Literal["nothing", "all", "torn"]
"""What is on the disk of the writes that were not flushed."""
FATES: Final[tuple[Fate, ...]] = get_args(Fate)

_LINE: Final = re.compile(r"(\d+) +(\w+)\(\d+<((?:[^<>]|\\x3[ce])*)>(?:, )?(.*)")
_RESUMED: Final = re.compile(r"(\d+) +<\.\.\. (fdatasync|fsync) resumed>.* = 0")
_TEXT: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
_NUMBERS: Final = re.compile(r'.*"(?:\.\.\.)?, (\d+), (\d+)')


class Write(NamedTuple):
    """Bytes written to a file at an offset."""

    file: str
    offset: int
    data: bytes


class Appended(NamedTuple):
    """Bytes written to the end of a file."""

    file: str
    data: bytes


class Truncation(NamedTuple):
    """A file cut, or extended with zeros, to a size."""

    file: str
    size: int


class Flush(NamedTuple):
    """The end of a flush."""

    file: str


class Sent(NamedTuple):
    """Bytes for a client."""

    data: bytes


Event: TypeAlias = Write | Appended | Truncation | Flush | Sent


class Cut(NamedTuple):
    """The disk after a power cut, file by file, and all that clients were sent before it."""

    number: int
    """How many events came before the cut."""
    images: Mapping[str, Callable[[Fate, Random], bytes]]
    sent: bytes


def tracing(log: Path) -> tuple[str, ...]:
    """Return the command under which the calls of a server are written to a file."""
    options = ("-f", "-q", "--seccomp-bpf", "-y", "-xx", "-s", str(LONGEST), "-o", str(log))
    return (strace(), *options, "-e", f"trace={TRACED}")


def events(log: Path, files: Sequence[Path]) -> list[Event]:
    """Return what happened to some files, and what was sent to sockets, in its order. Files have their names."""
    names = {str(path): path.name for path in files}
    happened: list[Event] = []
    flushing: dict[str, str] = {}
    for line in log.read_text().rpartition("\n")[0].splitlines():  # a kill may cut the last one
        resumed = _RESUMED.match(line)
        if resumed is not None:
            if resumed[1] in flushing:
                happened.append(Flush(flushing.pop(resumed[1])))
            continue
        begun = _LINE.match(line)
        if begun is None:
            continue
        process, call, path, rest = begun.groups()
        path = bytes.fromhex(path.replace("\\x", "")).decode() if path.startswith("\\x") else path
        name = names.get(path)
        if name is None:
            if path.startswith(("socket:", "TCP:")):
                happened.append(Sent(_bytes(rest)))
        elif call == "pwrite64":
            numbers = _NUMBERS.match(rest)
            assert numbers is not None, line[:200]
            happened.append(Write(name, int(numbers[2]), _bytes(rest)))
        elif call == "write":  # a log that is only ever extended
            happened.append(Appended(name, _bytes(rest)))
        elif call == "ftruncate":
            happened.append(Truncation(name, int(re.split(r"\D", rest)[0])))
        elif call in ("fdatasync", "fsync"):
            if "unfinished" in rest:
                flushing[process] = name
            else:
                assert rest.endswith("= 0"), line
                happened.append(Flush(name))
        else:
            raise AssertionError(f"a call that the images leave out: {line[:200]}")
    return happened


def _bytes(text: str) -> bytes:
    parts = list(_TEXT.finditer(text))
    assert not [part for part in parts if part[2]], "a call was too long for the trace"
    return b"".join(bytes.fromhex(part[1].replace("\\x", "")) for part in parts)


def cuts(happened: Sequence[Event], before: Mapping[str, bytes], numbers: Sequence[int]) -> Iterator[Cut]:
    """Yield the power cut before each of some events. ``before`` are the files as they were at first."""
    flushed = {name: bytearray(content) for name, content in before.items()}
    sizes = {name: len(content) for name, content in before.items()}
    pending: dict[str, list[Write | Truncation]] = {name: [] for name in before}
    sent, wanted = bytearray(), set(numbers)
    for number, event in enumerate(happened):
        if number in wanted:
            images = {name: _image(bytes(flushed[name]), tuple(pending[name])) for name in before}
            yield Cut(number, images, bytes(sent))
        if isinstance(event, Sent):
            sent += event.data
        elif isinstance(event, Flush):
            for change in pending[event.file]:
                _apply(flushed[event.file], change)
            pending[event.file].clear()
        else:
            change = Write(event.file, sizes[event.file], event.data) if isinstance(event, Appended) else event
            pending[event.file].append(change)
            if isinstance(change, Write):
                sizes[event.file] = max(sizes[event.file], change.offset + len(change.data))
            else:
                sizes[event.file] = change.size


def _image(flushed: bytes, pending: Sequence[Write | Truncation]) -> Callable[[Fate, Random], bytes]:
    def image(fate: Fate, random: Random) -> bytes:
        content = bytearray(flushed)
        if fate != "nothing":
            for change in pending:
                for part in (change,) if fate == "all" else _some_of(change, random):
                    _apply(content, part)
        return bytes(content)

    return image


def _some_of(change: Write | Truncation, random: Random) -> Iterator[Write | Truncation]:
    """Yield each sector of a write, or leave it out."""
    if isinstance(change, Truncation):
        if random.random() < 0.5:
            yield change
        return
    begin, end = change.offset, change.offset + len(change.data)
    while begin < end:
        after = min(end, (begin // SECTOR + 1) * SECTOR)
        if random.random() < 0.5:
            yield Write(change.file, begin, change.data[begin - change.offset : after - change.offset])
        begin = after


def _apply(content: bytearray, change: Write | Truncation) -> None:
    size = change.size if isinstance(change, Truncation) else change.offset + len(change.data)
    if len(content) < size:
        content.extend(bytes(size - len(content)))
    if isinstance(change, Truncation):
        del content[change.size :]
    else:
        content[change.offset : size] = change.data
