"""Which objects of ours refer to which at run time, and where they refer in a circle."""

from __future__ import annotations

import functools
import gc
import types
from collections import deque
from collections.abc import Iterator
from enum import Enum
from graphlib import CycleError, TopologicalSorter
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

    def cycle(self, allowed: frozenset[Reference] = frozenset()) -> list[str]:
        """Return a circle of references as names of classes, without the allowed ones. It is empty if there is none."""
        edges = {
            source: [each for each in targets if Reference(self._name(source), self._name(each)) not in allowed]
            for source, targets in self.references.items()
        }
        try:
            TopologicalSorter(edges).prepare()
        except CycleError as error:
            return [self._name(each) for each in reversed(error.args[1])]
        return []

    def _name(self, object_id: int) -> str:
        return name_of(self.objects[object_id])


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
