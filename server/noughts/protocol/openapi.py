"""``GET /api/openapi.json``: the OpenAPI document, made from the table of endpoints and the types."""

from __future__ import annotations

from functools import cache

import msgspec

from noughts import __version__
from noughts.protocol.bodies import ErrorAnswer
from noughts.protocol.codec import encode
from noughts.protocol.endpoint import JSON, REJECTIONS, Answer, Endpoint, Parameter
from noughts.protocol.endpoints import ENDPOINTS, IN_PATH
from noughts.protocol.schemas import Schema, ref, schemas


@cache
def document() -> msgspec.Raw:
    """Return the OpenAPI document as JSON."""
    return msgspec.Raw(encode(described()))


def described() -> Schema:
    """Return the OpenAPI document."""
    paths: dict[str, Schema] = {}
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


def _operation(endpoint: Endpoint) -> Schema:
    security: list[dict[str, list[str]]] = [{"token": []}] if endpoint.token != "unused" else []
    if endpoint.token == "welcome":
        security.insert(0, {})
    operation: Schema = {"operationId": endpoint.name, "summary": endpoint.summary, "security": security}
    in_path = [IN_PATH[part[1:-1]] for part in endpoint.path.split("/") if part.startswith("{")]
    parameters = [_parameter("path", each) for each in in_path] + [_parameter("query", each) for each in endpoint.query]
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body is not None:
        needed = any(field.required for field in msgspec.structs.fields(endpoint.body))
        operation["requestBody"] = {"required": needed, "content": {JSON: {"schema": ref(endpoint.body)}}}
    responses = {answer.status: _answer(answer) for answer in endpoint.answers}
    for status in endpoint.rejections:
        responses[status] = {"$ref": f"#/components/responses/Rejected{status}"}
    operation["responses"] = {str(status): responses[status] for status in sorted(responses)}
    return operation


def _parameter(location: str, parameter: Parameter) -> Schema:
    return {
        "name": parameter.name,
        "in": location,
        "description": parameter.meaning,
        "required": parameter.required,
        "schema": parameter.schema,
    }


def _answer(answer: Answer) -> Schema:
    if answer.body is None:
        return {"description": answer.description}
    content: Schema
    if isinstance(answer.body, tuple):
        content = {"anyOf": [ref(kind) for kind in answer.body]}
    else:
        content = ref(answer.body) if isinstance(answer.body, type) else answer.body
    return {"description": answer.description, "content": {answer.media: {"schema": content}}}


def _rejection(status: int) -> Schema:
    meaning, codes = REJECTIONS[status]
    code = {"properties": {"error": {"properties": {"code": {"enum": list(codes)}}}}}
    rejection: Schema = {
        "description": meaning,
        "content": {JSON: {"schema": {"allOf": [ref(ErrorAnswer), code]}}},
    }
    if status in (429, 503):
        rejection["headers"] = {
            "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
        }
    if status == 401:
        rejection["headers"] = {"WWW-Authenticate": {"description": "Bearer.", "schema": {"type": "string"}}}
    return rejection
