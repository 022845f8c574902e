"""Write the pages of ``docs/reference/`` that come from the code: ``make docs``.

    python -m tools.reference            write every page
    python -m tools.reference --check    only say which pages differ

``protocol.md`` explains the same things in prose, and is written by hand.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args
from unittest import mock

import noughts
import noughts.client
from noughts.app.runtime.config import markdown
from noughts.app.runtime.metrics import Metrics
from noughts.command_line import COMMANDS as PROGRAM_COMMANDS
from noughts.errors import CODES
from noughts.protocol.asyncapi import COMMANDS, MESSAGES
from noughts.protocol.close_codes import CLOSE_CODES
from noughts.protocol.endpoint import Answer, Endpoint
from noughts.protocol.endpoints import ENDPOINTS, IN_PATH
from noughts.protocol.messages import Hello
from noughts.protocol.schemas import prose, ref, schemas
from noughts.room.events import ViewEvent

FOLDER: Final = Path(__file__).parents[1] / "docs" / "reference"
NOTE: Final = "This page is generated from the code by `make docs`."
TOKENS: Final = {"needed": "It needs a token.", "welcome": "A token is optional.", "unused": ""}
TAGS: Final = {
    kind.__name__: str(kind.__struct_config__.tag) for kind in (Hello, *COMMANDS, *MESSAGES, *get_args(ViewEvent))
}
"""The headings of the messages and events, by the names of their types."""
CLIENT_EXAMPLE: Final = """import asyncio
from noughts.client import connect


async def main():
    async with connect("http://127.0.0.1:8000", name="Ann") as me:
        async with await me.create("classic", opponent="engine", level="novice") as room:
            async for view in room:
                if "move" in room.you.can:
                    await room.move(view.game.legal[0])
                if view.phase == "finished":
                    print(view.game.outcome.reason, view.game.moves)
                    break


asyncio.run(main())
"""
"""A whole game with the Python client, in twelve lines of code, laid out as ruff formats it."""
HELP_COLUMNS: Final = 100

Schema = Mapping[str, Any]


def http() -> str:
    """Return the page of the HTTP endpoints."""
    kinds: dict[type, None] = {}
    sections = []
    for endpoint in ENDPOINTS:
        sections.append(_endpoint(endpoint))
        for answer in (endpoint.body, *(each.body for each in endpoint.answers)):
            kinds.update(
                {kind: None for kind in (answer if isinstance(answer, tuple) else (answer,)) if isinstance(kind, type)}
            )
    introduction = (
        "Requests and answers are JSON. A token goes into the header `Authorization: Bearer TOKEN`. A rejection is"
        ' `{"error": {"code", "message"}}`, with a code of [this list](websocket.md#codes-of-rejections). The page'
        " [The protocol](protocol.md) explains all this, and `/api/openapi.json` serves it in machine-readable form."
    )
    return _page("HTTP", introduction, "## Endpoints", *sections, "## Types", *_types(kinds))


def websocket() -> str:
    """Return the page of the messages on the WebSocket, of the codes of rejections, and of the close codes."""
    events = get_args(ViewEvent)
    kinds = (Hello, *COMMANDS, *MESSAGES)
    definitions = schemas(kinds)
    skipped = {kind.__name__ for kind in (*kinds, *events)}
    codes = _table(
        ("code", "scope", "meaning"), [(f"`{code}`", info.over, info.meaning) for code, info in CODES.items()]
    )
    closes = _table(("code", "meaning"), [(str(code), meaning) for code, meaning in sorted(CLOSE_CODES.items())])
    introduction = (
        "Connect to `/ws`. Each text frame is one JSON object with a `type`. The page [The protocol](protocol.md)"
        " explains the order of messages, and `/api/asyncapi.json` serves this page in machine-readable form."
    )
    return _page(
        "WebSocket",
        introduction,
        "## Commands",
        *(_message(kind, definitions) for kind in (Hello, *COMMANDS)),
        "## Messages from the server",
        *(_message(kind, definitions) for kind in MESSAGES),
        "## Events of a room",
        *(_message(kind, definitions) for kind in events),
        "## Types",
        *(_type(name, schema) for name, schema in sorted(definitions.items()) if name not in skipped),
        "## Codes of rejections",
        codes,
        "## Close codes",
        closes,
    )


def python() -> str:
    """Return the page of the public names of the package."""
    introduction = (
        "`noughts` plays and analyses games without a server. `noughts.client` plays on a server. The names on this page"
        " are public, and so are the modules of `noughts.rules` and `noughts.engine`. All else may change in any version."
    )
    parts = [_name(name, getattr(noughts, name)) for name in noughts.__all__ if name != "__version__"]
    client_parts = [_name(name, getattr(noughts.client, name)) for name in noughts.client.__all__]
    return _page(
        "Python",
        introduction,
        "## noughts",
        *parts,
        "## noughts.client",
        "`connect` makes a player, the player makes and joins rooms, and a room hands out whole views. This program plays"
        " a whole game. [The tutorial](../tutorial/python-client.md) explains it.",
        f"```python\n{CLIENT_EXAMPLE}```",
        *client_parts,
    )


def metrics() -> str:
    """Return the page of the metrics."""
    families = [
        (f"`{family.name}{'_total' if family.type == 'counter' else ''}`", family.type, family.documentation)
        for family in Metrics().collect()
    ]
    introduction = (
        "`/metrics` serves these metrics for Prometheus."
        " [How to host a server](../how-to/host.md#monitoring) says what to watch."
    )
    return _page("Metrics", introduction, _table(("name", "kind", "meaning"), families))


def command_line() -> str:
    """Return the page of the commands of ``noughts``."""
    parts = [f"## noughts {name}\n\n```text\n{_help(name)}\n```" for name in PROGRAM_COMMANDS]
    return _page("Command line", "`noughts COMMAND --help` prints the same.", *parts)


PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "http.md": http,
    "websocket.md": websocket,
    "python.md": python,
    "settings.md": markdown,
    "metrics.md": metrics,
    "command-line.md": command_line,
}
"""Each generated page, by the name of its file."""


def _page(title: str, introduction: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", introduction, NOTE, *filter(None, parts)]) + "\n"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("|" + "|".join(f" {cell} " if cell != "---" else cell for cell in line) + "|" for line in lines)


def _endpoint(endpoint: Endpoint) -> str:
    parts = [
        f"### `{endpoint.method} {endpoint.path}`",
        " ".join(filter(None, [endpoint.summary, TOKENS[endpoint.token]])),
    ]
    in_path = [IN_PATH[part[1:-1]] for part in endpoint.path.split("/") if part.startswith("{")]
    parameters = [("path", each) for each in in_path] + [("query", each) for each in endpoint.query]
    if parameters:
        rows = [
            (
                f"`{each.name}`",
                where,
                _schema_text(each.schema),
                "yes" if each.required or where == "path" else "no",
                each.meaning,
            )
            for where, each in parameters
        ]
        parts.append(_table(("parameter", "in", "type", "needed", "meaning"), rows))
    if endpoint.body is not None:
        parts.append(f"The body is {_schema_text(ref(endpoint.body))}.")
    rows_of_answers = [(str(answer.status), _body(answer), answer.description) for answer in endpoint.answers]
    parts.append(_table(("status", "body", "meaning"), rows_of_answers))
    return "\n\n".join(parts)


def _body(answer: Answer) -> str:
    if answer.body is None:
        return ""
    if isinstance(answer.body, tuple):
        return " or ".join(_schema_text(ref(kind)) for kind in answer.body)
    return _schema_text(ref(answer.body)) if isinstance(answer.body, type) else f"`{answer.media}`"


def _message(kind: type, definitions: Mapping[str, Schema]) -> str:
    tag = str(kind.__struct_config__.tag)  # type: ignore[attr-defined]
    return "\n\n".join(
        filter(None, [f"### `{tag}`", _markdown(prose(kind.__doc__)), _fields(definitions[kind.__name__])])
    )


def _types(kinds: Iterable[type]) -> list[str]:
    return [_type(name, schema) for name, schema in sorted(schemas(tuple(kinds)).items())]


def _type(name: str, schema: Schema) -> str:
    fields = _fields(schema) if "properties" in schema else f"{_schema_text(schema)}."
    return "\n\n".join(filter(None, [f"### {name}", _markdown(schema.get("description", "")), fields]))


def _fields(schema: Schema) -> str:
    """Return the table of an object's fields, without the ``type`` that names it."""
    required = schema.get("required", ())
    rows = [
        (f"`{name}`", _schema_text(field), f"{field['description']}{'' if name in required else ' (optional)'}")
        for name, field in schema.get("properties", {}).items()
        if not (name == "type" and "const" in field)
    ]
    return _table(("field", "type", "meaning"), rows) if rows else ""


def _schema_text(schema: Schema) -> str:
    """Return a JSON schema as a few words, with links to the types of the same page."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{TAGS.get(name, name.lower())})"
    if "enum" in schema:
        return ", ".join("null" if value is None else f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    for combined in ("anyOf", "oneOf", "allOf"):
        if combined in schema:
            return " or ".join(_schema_text(part) for part in schema[combined])
    kind = schema.get("type", "any value")
    if kind == "array":
        items = schema.get("items") or schema.get("prefixItems")
        inner = _schema_text(items) if isinstance(items, Mapping) else "values"
        return f"list of {inner}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"object of {_schema_text(schema['additionalProperties'])}"
    if kind == "string" and "maxLength" in schema:
        least = f"{schema['minLength']} to " if "minLength" in schema else "up to "
        return f"string of {least}{schema['maxLength']} characters"
    limits = [f" {word} {schema[key]}" for key, word in (("minimum", "from"), ("maximum", "to")) if key in schema]
    return f"{kind}{''.join(limits)}"


def _name(name: str, value: object) -> str:
    """Return the section of a public name: its signature, its docstring, and the docstrings of its methods."""
    if inspect.isclass(value):
        parts = [f"### `{name}`", _markdown(inspect.getdoc(value) or "")]
        for member, attribute in vars(value).items():
            function = attribute.__func__ if isinstance(attribute, staticmethod) else attribute
            if inspect.isfunction(function) and not member.startswith("_"):
                word = "await " if inspect.iscoroutinefunction(function) else ""
                parts += [
                    f"#### `{word}{name}.{member}{_signature(function)}`",
                    _markdown(inspect.getdoc(function) or ""),
                ]
            elif isinstance(function, property):
                parts += [f"#### `{name}.{member}`", _markdown(inspect.getdoc(function) or "")]
        return "\n\n".join(parts)
    if inspect.isfunction(value):
        return f"### `{name}{_signature(value)}`\n\n{_markdown(inspect.getdoc(value) or '')}"
    return f"### `{name}`\n\nThe variants by their keys: {', '.join(f'`{key}`' for key in noughts.variants)}."


class _Annotation(str):
    """An annotation that a signature shows without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _signature(function: Callable[..., object]) -> str:
    """Return the parameters of a function without ``self``, and what it returns."""
    signature = inspect.signature(function)
    parameters = [
        parameter.replace(annotation=_Annotation(parameter.annotation))
        for parameter in signature.parameters.values()
        if parameter.name != "self"
    ]
    return str(signature.replace(parameters=parameters, return_annotation=_Annotation(signature.return_annotation)))


def _markdown(text: str) -> str:
    """Return a docstring as Markdown: roles and double backquotes as code, examples as blocks."""
    text = re.sub(r":\w+:`~?([^`]+)`", lambda match: f"`{match[1].rpartition('.')[2]}`", text).replace("``", "`")
    text = re.sub(r"::\n\n((?: {4}.*\n?|\n)+)", _layout, text)
    lines: list[str] = []
    in_example = False
    for line in text.splitlines():
        begins = line.startswith(">>>")
        if begins and not in_example:
            lines.append("```pycon")
            in_example = True
        if in_example and not line.strip():
            lines.append("```")
            in_example = False
        lines.append(line)
    return "\n".join([*lines, "```"] if in_example else lines).strip()


def _layout(match: re.Match[str]) -> str:
    """Return an indented block of a docstring as a fenced one."""
    return f":\n\n```text\n{inspect.cleandoc(match[1])}\n```\n\n"


def _help(command: str) -> str:
    """Return what ``noughts COMMAND --help`` prints."""
    output = io.StringIO()
    environment = mock.patch.dict(os.environ, {"COLUMNS": str(HELP_COLUMNS), "NO_COLOR": "1"})
    with environment, contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
        importlib.import_module(PROGRAM_COMMANDS[command].module).main([command, "--help"])
    return output.getvalue().strip()


def main() -> int:
    """Write or check the pages. Return the exit status."""
    parser = argparse.ArgumentParser(description="Write the generated pages of docs/reference/.")
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = [
        name for name, page in PAGES.items() if not (FOLDER / name).exists() or (FOLDER / name).read_text() != page()
    ]
    for name in stale:
        print(f"{name} differs: make docs" if check else f"wrote docs/reference/{name}")
        if not check:
            (FOLDER / name).write_text(PAGES[name]())
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
