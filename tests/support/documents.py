"""Reading the machine-readable documents, for their tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema_rs


def references(part: Any) -> Iterator[str]:
    """Every ``$ref`` in a document."""
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from references(each)


def dead_references(document: dict[str, Any]) -> list[str]:
    """Return every ``$ref`` of a document that leads nowhere in it."""
    dead = []
    for reference in references(document):
        target: Any = document
        for part in reference.removeprefix("#/").split("/"):
            target = target.get(part) if isinstance(target, dict) else None
        if target is None:
            dead.append(reference)
    return dead


def validator(document: dict[str, Any], *names: str) -> jsonschema_rs.Draft202012Validator:
    """Whether a value is one of these schemas of the document."""
    components = {"schemas": document["components"]["schemas"]}
    choices = [{"$ref": f"#/components/schemas/{name}"} for name in names]
    return jsonschema_rs.Draft202012Validator({"anyOf": choices, "components": components})
