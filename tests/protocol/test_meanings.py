"""Every field on the wire has a meaning, and every meaning has a field."""

from __future__ import annotations

from noughts.protocol import asyncapi, openapi
from noughts.protocol.meanings import ANYWHERE, IN_TYPE, meaning

SCHEMAS = asyncapi.described(8_192)["components"]["schemas"] | openapi.described()["components"]["schemas"]
FIELDS = {(kind, field) for kind, schema in SCHEMAS.items() for field in schema.get("properties", {})} - {
    (kind, "type") for kind in SCHEMAS
}


def test_every_field_has_a_meaning() -> None:
    without = sorted(f"{kind}.{field}" for kind, field in FIELDS if not meaning(kind, field))
    assert without == [], "give these fields a meaning in server/noughts/protocol/meanings.py"
    kind, field = sorted(FIELDS)[0]
    assert SCHEMAS[kind]["properties"][field]["description"] == meaning(kind, field)


def test_every_meaning_has_a_field() -> None:
    assert {key for key in IN_TYPE if key not in FIELDS} == set()
    assert set(ANYWHERE) - {field for kind, field in FIELDS if (kind, field) not in IN_TYPE} == set()
