"""What people sent to a room and were sent by it, and the checks that every such history must pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from noughts.errors import Rejection
from noughts.rules.game import replay_names
from noughts.rules.variant import VARIANTS

View: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[str, str]
"""A player and the id of one of the player's commands."""

VERSIONLESS: Final = frozenset(("chat", "react"))
"""Commands that do not raise the version of the room."""


class Answer(NamedTuple):
    """An answer to a command. ``version`` is None for a rejection."""

    key: Key
    version: int | None
    code: str
    at_s: float


class Sight(NamedTuple):
    """A view that a connection was sent."""

    connection: int
    version: int
    view: View
    at_s: float


@dataclass
class History:
    """All that happened, in the order of one clock."""

    commands: dict[Key, View] = field(default_factory=dict)
    sent_s: dict[Key, float] = field(default_factory=dict)
    """When each command was first sent."""
    answers: list[Answer] = field(default_factory=list)
    sights: list[Sight] = field(default_factory=list)

    def accepted(self) -> dict[Key, Answer]:
        """Return the first ok of each command."""
        first: dict[Key, Answer] = {}
        for answer in self.answers:
            if answer.version is not None:
                first.setdefault(answer.key, answer)
        return first


class HistoryError(AssertionError):
    """A history that the contract forbids."""


def check(history: History, stored: View) -> None:
    """Raise :class:`HistoryError` unless the history is one that the contract allows and ends at the stored view."""
    for rule in (views_agree, answers_agree, order_is_real, games_are_legal, moves_are_there):
        for fault in rule(history, stored):
            raise HistoryError(f"{rule.__name__}: {fault}")


def views_agree(history: History, stored: View) -> Iterator[str]:
    """Yield versions with two views, and connections that were sent an older version after a newer one."""
    views: dict[int, View] = {stored["version"]: stored}
    last: dict[int, int] = {}
    for sight in history.sights:
        if sight.version != sight.view["version"]:
            yield f"a message says {sight.version}, its view {sight.view['version']}"
        other = views.setdefault(sight.version, sight.view)
        if other != sight.view:
            yield f"version {sight.version} is both {other} and {sight.view}"
        if sight.version < last.get(sight.connection, 0):
            yield f"connection {sight.connection} went back from {last[sight.connection]} to {sight.version}"
        last[sight.connection] = sight.version
    if max(views) > stored["version"]:
        yield f"version {max(views)} was shown, but {stored['version']} is stored"


def answers_agree(history: History, stored: View) -> Iterator[str]:
    """Yield commands with two versions, and versions with two commands."""
    versions: dict[Key, int] = {}
    owners: dict[int, Key] = {}
    for answer in history.answers:
        if answer.version is None:
            if answer.key in versions and answer.code != "unavailable":
                yield f"{answer.key} was accepted at {versions[answer.key]} and then rejected: {answer.code}"
            continue
        if versions.setdefault(answer.key, answer.version) != answer.version:
            yield f"{answer.key} is at {versions[answer.key]} and at {answer.version}"
        if history.commands[answer.key]["type"] not in VERSIONLESS:
            owner = owners.setdefault(answer.version, answer.key)
            if owner != answer.key:
                yield f"version {answer.version} is of {owner} and of {answer.key}"
        if answer.version > stored["version"]:
            yield f"{answer.key} was accepted at {answer.version}, but {stored['version']} is stored"


def order_is_real(history: History, stored: View) -> Iterator[str]:
    """Yield commands that were sent after an answer or a view of a version, and took effect at it or before it."""
    events = [
        (answer.at_s, answer.version, str(answer.key)) for answer in history.answers if answer.version is not None
    ]
    events += [(sight.at_s, sight.version, "a view") for sight in history.sights]
    events.sort()
    newest, at = (0, ""), 0
    accepted = history.accepted()
    for key in sorted(accepted, key=lambda key: history.sent_s[key]):
        while at < len(events) and events[at][0] < history.sent_s[key]:
            newest = max(newest, events[at][1:])
            at += 1
        version = accepted[key].version
        raises = history.commands[key]["type"] not in VERSIONLESS
        if version is not None and version < newest[0] + raises:
            yield f"{key} took effect at {version}, but was sent after {newest}"


def games_are_legal(history: History, stored: View) -> Iterator[str]:
    """Yield views that the rules forbid, and steps from a version to the next that no command makes."""
    views = {sight.version: sight.view for sight in history.sights}
    views[stored["version"]] = stored
    before: View | None = None
    for version in sorted(views):
        view = views[version]
        yield from _illegal(view)
        if before is not None:
            yield from _illegal_step(before, view)
        before = view


def _illegal(view: View) -> Iterator[str]:
    game = view["game"]
    if game is None:
        return
    try:
        position = replay_names(VARIANTS[view["variant"]], game["moves"])
    except Rejection as rejection:
        yield f"{rejection.message} {view}"
        return
    ended = game["outcome"] is not None
    if position.outcome is not None and not ended:
        yield f"the game of {view} has ended by the rules"
    if game["turn"] != (None if ended else position.turn):
        yield f"the turn of {view} is not {position.turn}"
    if len(game["marks"]) != len(game["moves"]):
        yield f"the marks of {view} are not its moves"
    holders = [seat.get("player") for seat in view["seats"].values() if seat is not None]
    if len(set(holders)) < len(holders):
        yield f"one player has two seats in {view}"
    if view["phase"] == "playing" and (ended or len(holders) < 2):
        yield f"nobody can play in {view}"


def _illegal_step(before: View, after: View) -> Iterator[str]:
    old, new, step = before["game"], after["game"], after["version"] - before["version"]
    if old is None or new is None:
        if old is not None:
            yield f"the game of {before} is gone in {after}"
        return
    if not 0 <= new["number"] - old["number"] <= step:
        yield f"{step} steps lead from game {old['number']} to {new['number']}"
    if new["number"] != old["number"]:
        return
    common = 0
    while common < min(len(old["moves"]), len(new["moves"])) and old["moves"][common] == new["moves"][common]:
        common += 1
    less, more = len(old["moves"]) - common, len(new["moves"]) - common
    if step == 1 and (less > 2 or more > 1 or (less and more)):
        yield f"one step leads from {old['moves']} to {new['moves']}"
    if old["outcome"] is not None and (old["moves"], old["outcome"]) != (new["moves"], new["outcome"]):
        yield f"game {old['number']} went on after its end: {old}, {new}"


def moves_are_there(history: History, stored: View) -> Iterator[str]:
    """Yield accepted moves that are not in the view of their version, and cells of one ply that two commands filled."""
    views = {sight.version: sight.view for sight in history.sights}
    filled: dict[tuple[int, int], list[int]] = defaultdict(list)
    for key, answer in history.accepted().items():
        command = history.commands[key]
        if command["type"] != "move" or answer.version is None:
            continue
        filled[command["game"], command["ply"]].append(answer.version)
        view = views.get(answer.version)
        if view is None:
            continue
        moves = view["game"]["moves"]
        if view["game"]["number"] != command["game"] or moves[command["ply"] :] != [command["cell"]]:
            yield f"{command} was accepted at {answer.version}, which has {moves}"
    for (number, ply), versions in filled.items():
        between = [view for version, view in views.items() if min(versions) <= version <= max(versions)]
        if (
            len(versions) > 1
            and not any(view["game"]["number"] == number and len(view["game"]["moves"]) <= ply for view in between)
            and len(between) == max(versions) - min(versions) + 1
        ):
            yield f"ply {ply} of game {number} was made at {versions}, and never taken back"
