"""``GET /api/openapi.json``: the OpenAPI document, made of the table of calls and of the types."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from noughts import __version__
from noughts.protocol.call_table import CALLS, IN_PATH, JSON, REFUSALS, Answer, Call, Parameter
from noughts.protocol.calls import ErrorAnswer
from noughts.protocol.codec import encode
from noughts.protocol.schemas import Schema, ref, schemas


@cache
def document() -> msgspec.Raw:
    """The OpenAPI document as JSON."""
    return msgspec.Raw(encode(described()))


def described() -> dict[str, Any]:
    """The OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    kinds: dict[type, None] = {ErrorAnswer: None}
    for call in CALLS:
        for body in (call.body, *(answer.body for answer in call.answers)):
            for kind in body if isinstance(body, tuple) else (body,):
                if isinstance(kind, type):
                    kinds[kind] = None
        paths.setdefault(call.path, {})[call.method.lower()] = _operation(call)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Noughts",
            "version": __version__,
            "description": "The HTTP calls of a tic-tac-toe server. Games are played over the WebSocket at `/ws`.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas(kinds),
            "responses": {f"Refused{status}": _refusal(status) for status in REFUSALS},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "A player's token, from `newPlayer`."}
            },
        },
    }


def _operation(call: Call) -> dict[str, Any]:
    security: list[dict[str, list[str]]] = [{"token": []}] if call.token != "unused" else []
    if call.token == "welcome":
        security.insert(0, {})
    operation: dict[str, Any] = {"operationId": call.name, "summary": call.does, "security": security}
    in_path = [IN_PATH[part[1:-1]] for part in call.path.split("/") if part.startswith("{")]
    parameters = [_parameter("path", each) for each in in_path] + [_parameter("query", each) for each in call.query]
    if parameters:
        operation["parameters"] = parameters
    if call.body is not None:
        needed = any(field.required for field in msgspec.structs.fields(call.body))
        operation["requestBody"] = {"required": needed, "content": {JSON: {"schema": ref(call.body)}}}
    responses = {answer.status: _answer(answer) for answer in call.answers}
    for status in call.refusals:
        responses[status] = {"$ref": f"#/components/responses/Refused{status}"}
    operation["responses"] = {str(status): responses[status] for status in sorted(responses)}
    return operation


def _parameter(place: str, parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": place,
        "description": parameter.meaning,
        "required": parameter.required,
        "schema": parameter.schema,
    }


def _answer(answer: Answer) -> dict[str, Any]:
    if answer.body is None:
        return {"description": answer.meaning}
    schema: Schema
    if isinstance(answer.body, tuple):
        schema = {"anyOf": [ref(kind) for kind in answer.body]}
    else:
        schema = ref(answer.body) if isinstance(answer.body, type) else answer.body
    return {"description": answer.meaning, "content": {answer.media: {"schema": schema}}}


def _refusal(status: int) -> dict[str, Any]:
    meaning, codes = REFUSALS[status]
    code = {"properties": {"error": {"properties": {"code": {"enum": list(codes)}}}}}
    refusal: dict[str, Any] = {
        "description": meaning,
        "content": {JSON: {"schema": {"allOf": [ref(ErrorAnswer), code]}}},
    }
    if status in (429, 503):
        refusal["headers"] = {
            "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
        }
    if status == 401:
        refusal["headers"] = {"WWW-Authenticate": {"description": "Bearer.", "schema": {"type": "string"}}}
    return refusal
