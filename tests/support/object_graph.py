"""Which objects of ours refer to which at run time, and where they refer in a circle."""

from __future__ import annotations

import functools
import gc
import types
from collections import deque
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import NamedTuple

import msgspec

PACKAGE = "noughts"
CONTAINERS = (dict, list, tuple, set, frozenset, deque, types.MappingProxyType)


class Reference(NamedTuple):
    """One object of ours that refers to another, by the names of their classes."""

    source: str
    target: str


class Graph:
    """The objects of ours that can be reached from one of them, and what each refers to."""

    def __init__(self, root: object) -> None:
        self.objects: dict[int, object] = {}
        self.references: dict[int, dict[int, object]] = {}
        waiting = [root]
        while waiting:
            source = waiting.pop()
            if id(source) in self.objects:
                continue
            self.objects[id(source)] = source
            targets = {id(target): target for target in _ours(source)}
            self.references[id(source)] = targets
            waiting += targets.values()

    def classes(self) -> set[str]:
        """Return the names of the classes that objects were found of."""
        return {name_of(source) for source in self.objects.values()}

    def cycles(self, allowed: frozenset[Reference] = frozenset()) -> list[list[str]]:
        """Return the shortest circle through each knot of objects, as names of classes, without the allowed references."""
        edges = {
            source: [
                target
                for target in targets
                if Reference(name_of(self.objects[source]), name_of(self.objects[target])) not in allowed
            ]
            for source, targets in self.references.items()
        }
        return [
            [name_of(self.objects[object_id]) for object_id in _circle(knot, edges)]
            for knot in _knots(edges)
            if len(knot) > 1 or knot[0] in edges[knot[0]]
        ]


def name_of(source: object) -> str:
    """Return the name of an object's class."""
    return type(source).__qualname__


def is_ours(source: object) -> bool:
    """Return whether an object is an instance of a class of the package. Members of an Enum are constants."""
    return type(source).__module__.split(".")[0] == PACKAGE and not isinstance(source, Enum | type)


def _ours(source: object) -> Iterator[object]:
    """Yield the objects of ours that one refers to: itself, in containers, by bound methods, and in closures."""
    waiting, seen = _direct(source), {id(source)}
    while waiting:
        target = waiting.pop()
        if id(target) in seen:
            continue
        seen.add(id(target))
        if is_ours(target):
            yield target
        elif isinstance(target, CONTAINERS):
            waiting += gc.get_referents(target)
        else:
            waiting += _bound(target)


def _direct(source: object) -> list[object]:
    """What an object itself refers to, its class left out. The collector does not look into structs."""
    if isinstance(source, msgspec.Struct):
        return [getattr(source, field) for field in source.__struct_fields__]
    return [target for target in gc.get_referents(source) if target is not type(source)]


def _bound(target: object) -> list[object]:
    """What something that can be called was bound to."""
    if isinstance(target, types.MethodType):
        return [target.__self__, target.__func__]
    if isinstance(target, types.FunctionType):
        variables = [value for cell in target.__closure__ or () for value in gc.get_referents(cell)]
        return [*variables, *(target.__defaults__ or ()), *(target.__kwdefaults__ or {}).values()]
    if isinstance(target, functools.partial):
        return [target.func, *target.args, *target.keywords.values()]
    return []


def _knots(edges: Mapping[int, list[int]]) -> list[list[int]]:
    """Return the strongly connected components of a graph (Tarjan's algorithm, without recursion)."""
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    knots = []
    for start in edges:
        if start in order:
            continue
        path: list[tuple[int, Iterator[int]]] = [(start, iter(edges[start]))]
        order[start] = lowest[start] = len(order)
        stack.append(start)
        on_stack.add(start)
        while path:
            source, targets = path[-1]
            for target in targets:
                if target not in order:
                    order[target] = lowest[target] = len(order)
                    stack.append(target)
                    on_stack.add(target)
                    path.append((target, iter(edges[target])))
                    break
                if target in on_stack:
                    lowest[source] = min(lowest[source], order[target])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[source])
                if lowest[source] == order[source]:
                    cut = stack.index(source)
                    knots.append(stack[cut:])
                    on_stack.difference_update(stack[cut:])
                    del stack[cut:]
    return knots


def _circle(knot: list[int], edges: Mapping[int, list[int]]) -> list[int]:
    """Return the shortest way from the first object of a knot back to it."""
    start, inside = knot[0], set(knot)
    came_from: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        source = waiting.popleft()
        for target in edges[source]:
            if target == start:
                way = [source]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return [*reversed(way), start]
            if target in inside and target not in came_from:
                came_from[target] = source
                waiting.append(target)
    return knot
