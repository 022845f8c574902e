"""Changes, rooms and presence as the words of scripts, and as the messages between nodes."""

from __future__ import annotations

import json
from collections.abc import Sequence

from noughts.room.idempotency import IdempotencyKeys
from noughts.store.kinds import ROOM
from noughts.store.machine_store import Change, IndexEntry, Line, StoredRow, WholeRow
from noughts.store.presence import Attendance, PresenceReport, RoomPresence
from noughts.store.redis.client import Answer
from noughts.store.redis.scripts import Word


def commit_words(node: str, change: Change) -> list[Word]:
    """Return the words of the script ``commit``. Raise ValueError for a change that cannot be stored."""
    data, index, command, closes = change.data, change.index_entry, change.command, change.closes
    flags = ""
    words: list[Word] = []
    if data is not None and not closes:
        flags += "d"
        words.append(data)
    if index is not None and not closes:
        flags += "i"
        words += index_words(index)
    if change.expected == 0:
        if data is None or index is None:
            raise ValueError("a new value needs its data and its index entry")
        if change.command_ids and command is None:
            flags += "a"
            words.append(change.command_ids)
    if command is not None:
        flags += "c"
        words += command
    if change.records and not closes:
        flags += "r"
        words.append(len(change.records))
        words += [word for record in change.records for word in record]
    if change.line is not None:
        if change.line_number:
            flags += "o"
            words.append(change.line_number - 1)
        flags += "l"
        words.append(line_bytes(change.line))
    if change.news is not None:
        flags += "n"
        words.append(change.news)
    if closes:
        flags += "x"
    if change.checks:
        flags += "k"
    return [node, change.id, change.expected, change.version, flags, *words]


def index_words(index: IndexEntry) -> tuple[Word, ...]:
    """Return the words of an index entry."""
    players = " ".join(sorted(set(index.players)))
    return index.wake_at_ms, index.listing or "", index.variant, players, int(index.time_runs)


def line_bytes(line: Line) -> bytes:
    """Return a chat line without its number. Raise ``UnicodeEncodeError`` for text without a UTF-8 form."""
    return json.dumps(line[1:], ensure_ascii=False, separators=(",", ":")).encode()


def line_from(data: bytes, number: int) -> Line:
    return Line(number, *json.loads(data))


def row_from_answer(answer: Sequence[Answer]) -> StoredRow:
    """Return the value that the function ``read_row`` of the scripts returned."""
    version, data, count, ids, lines = answer
    versions: dict[str, dict[str, int]] = {}
    for key, number in zip(ids[::2], ids[1::2], strict=True):
        player, _, command = key.decode().partition("\0")
        versions.setdefault(player, {})[command] = int(number)
    first = int(count) - len(lines) + 1
    stored_lines = tuple(line_from(line, first + offset) for offset, line in enumerate(lines))
    return StoredRow(int(version), data, IdempotencyKeys(versions).encoded() if ids else b"", stored_lines)


def whole_from_answer(id: str, answer: Sequence[Answer]) -> WholeRow:
    """Return everything of a value from the answer of the script ``whole``."""
    stored, listing, variant, players, runs, wake, records = answer
    owners = tuple(players.decode().split())
    entry = IndexEntry(int(float(wake)), listing.decode() or None, variant.decode(), owners, runs == b"1")
    numbered = sorted((int(number), data) for number, data in zip(records[::2], records[1::2], strict=True))
    return WholeRow(id, row_from_answer(stored), entry, tuple(numbered))


def change_from_message(payload: bytes) -> Change:
    """Return the change in a message of the script ``commit``: numbers, a newline, then texts without separators.

    The message of another kind than a room begins with the kind.
    """
    kind = ROOM
    if payload[:1] == b"k":
        word, _, payload = payload.partition(b" ")
        kind, payload = word[1:].decode(), b"c" + payload
    head, _, body = payload[1:].partition(b"\n")
    expected, version, closes, number, *sizes = map(int, head.split())
    parts: list[bytes | None] = []
    end = 0
    for size in sizes:
        if size < 0:
            parts.append(None)
        else:
            start, end = end, end + size
            parts.append(body[start:end])
    id, data, player, command, line, news = parts
    if id is None:
        raise ValueError("a change names no value")
    key = None if player is None or command is None else (player.decode(), command.decode())
    numbered = None if line is None else line_from(line, number)
    return Change(id.decode(), expected, version, data, None, key, None, (), numbered, bool(closes), news, kind=kind)


# --- presence ---------------------------------------------------------------------------------------------------------


def report_bytes(report: Attendance) -> bytes:
    """Return the stored form of a report: no bytes without a connection."""
    return _json(report) if report.connections else b""


def presence_message(report: PresenceReport) -> bytes:
    return b"p" + _json(report)


def presence_from_message(payload: bytes) -> PresenceReport:
    room, node, report, departed_ms, last_left_ms = json.loads(payload[1:])
    return PresenceReport(room, node, _attendance(report), departed_ms, last_left_ms)


def presence_from_answer(answer: Sequence[Answer]) -> RoomPresence:
    """Return the presence that the scripts' function ``read_presence`` returned. The players of dead nodes have departed."""
    fields, dead = answer
    since_ms = last_left_ms = 0
    departed_ms: dict[str, int] = {}
    reports: dict[str, Attendance] = {}
    for name, value in zip(fields[::2], fields[1::2], strict=True):
        kind, _, subject = name.decode().partition(":")
        if kind == "s":
            since_ms = int(value)
        elif kind == "l":
            last_left_ms = int(value)
        elif kind == "d":
            departed_ms[subject] = int(value)
        elif kind == "n":
            reports[subject] = _attendance(json.loads(value))
    for node, end_ms in zip(dead[::2], map(int, dead[1::2]), strict=True):
        report = reports.pop(node.decode(), None)
        if report is not None:
            last_left_ms = max(last_left_ms, end_ms)
            for player in report.players:
                departed_ms[player] = max(departed_ms.get(player, 0), end_ms)
    return RoomPresence(since_ms, last_left_ms, departed_ms, reports)


def report_words(report: PresenceReport) -> list[Word]:
    """Return the words of the script ``report``."""
    words: list[Word] = [report.node, report.room, report_bytes(report.report), report.last_left_ms]
    return [*words, presence_message(report), *[word for pair in report.departed_ms.items() for word in pair]]


def _attendance(report: Sequence[Answer]) -> Attendance:
    """Return a stored report. Nodes of an earlier version write none of the hidden players."""
    connections, nameless, players, *hidden = report
    return Attendance(connections, nameless, players, tuple(hidden[0]) if hidden else ())


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
