"""``GET /api/openapi.json``: the OpenAPI document, made from the table of endpoints and the types."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from noughts import __version__
from noughts.errors import CODES, Code
from noughts.protocol.bodies import ErrorAnswer, ErrorView
from noughts.protocol.codec import encode
from noughts.protocol.endpoint import JSON, REJECTIONS, Answer, Endpoint, Parameter
from noughts.protocol.endpoints import ENDPOINTS, IN_PATH
from noughts.protocol.examples import json_examples
from noughts.protocol.schemas import Schema, ref, schemas


@cache
def document() -> msgspec.Raw:
    """Return the OpenAPI document as JSON."""
    return msgspec.Raw(encode(described()))


def described() -> dict[str, Any]:
    """Return the OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    kinds: dict[type, None] = {ErrorAnswer: None}
    for endpoint in ENDPOINTS:
        for body in (endpoint.body, *(answer.body for answer in endpoint.answers)):
            for kind in body if isinstance(body, tuple) else (body,):
                if isinstance(kind, type):
                    kinds[kind] = None
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Noughts",
            "version": __version__,
            "description": "The HTTP endpoints of a tic-tac-toe server. Games are played over the WebSocket at `/ws`.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas(kinds),
            "responses": {f"Rejected{status}": _rejection(status) for status in REJECTIONS},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "A player's token, from `newPlayer`."}
            },
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    security: list[dict[str, list[str]]] = [{"token": []}] if endpoint.token != "unused" else []
    if endpoint.token == "welcome":
        security.insert(0, {})
    operation: dict[str, Any] = {"operationId": endpoint.name, "summary": endpoint.summary, "security": security}
    in_path = [IN_PATH[part[1:-1]] for part in endpoint.path.split("/") if part.startswith("{")]
    parameters = [_parameter("path", each) for each in in_path] + [_parameter("query", each) for each in endpoint.query]
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body is not None:
        needed = any(field.required for field in msgspec.structs.fields(endpoint.body))
        operation["requestBody"] = {"required": needed, "content": {JSON: _content(endpoint.body)}}
    responses = {answer.status: _answer(answer) for answer in endpoint.answers}
    for status in endpoint.rejections:
        responses[status] = {"$ref": f"#/components/responses/Rejected{status}"}
    operation["responses"] = {str(status): responses[status] for status in sorted(responses)}
    return operation


def _parameter(location: str, parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": location,
        "description": parameter.meaning,
        "required": parameter.required,
        "schema": parameter.schema,
    }


def _answer(answer: Answer) -> dict[str, Any]:
    if answer.body is None:
        return {"description": answer.meaning}
    content: Schema
    if isinstance(answer.body, tuple):
        content = _content(*answer.body)
    else:
        content = _content(answer.body) if isinstance(answer.body, type) else {"schema": answer.body}
    return {"description": answer.meaning, "content": {answer.media: content}}


def _content(*kinds: type) -> Schema:
    """Return the schema of one or several types, and examples of each."""
    schema = ref(kinds[0]) if len(kinds) == 1 else {"anyOf": [ref(kind) for kind in kinds]}
    examples = {
        f"{kind.__name__}{number}": {"value": example}
        for kind in kinds
        for number, example in enumerate(json_examples(kind), 1)
    }
    return {"schema": schema, "examples": examples}


def _rejected(code: Code) -> Any:
    return msgspec.json.decode(encode(ErrorAnswer(ErrorView(code, CODES[code].meaning))))


def _rejection(status: int) -> dict[str, Any]:
    meaning, codes = REJECTIONS[status]
    code = {"properties": {"error": {"properties": {"code": {"enum": list(codes)}}}}}
    rejection: dict[str, Any] = {
        "description": meaning,
        "content": {
            JSON: {
                "schema": {"allOf": [ref(ErrorAnswer), code]},
                "examples": {codes[0]: {"value": _rejected(codes[0])}},
            }
        },
    }
    if status in (429, 503):
        rejection["headers"] = {
            "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
        }
    if status == 401:
        rejection["headers"] = {"WWW-Authenticate": {"description": "Bearer.", "schema": {"type": "string"}}}
    return rejection
