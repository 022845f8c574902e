"""Write ``client_web/js/client.d.ts``: the types of the JavaScript client, for pages of other sites.

    python -m tools.client_types

A server sends its modules without comments, and so without the types in them. TypeScript's compiler derives declarations
from the comments of ``client.js`` and of the modules that it imports. This tool joins those that a caller of ``client.js``
can use. The types of the messages are those of the page, ``net/messages.d.ts``.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
MODULES: Final = ROOT / "client_web" / "js"
FILE: Final = MODULES / "client.d.ts"
COMPILER: Final = ROOT / "node_modules" / "typescript" / "bin" / "tsc"
_OPTIONS: Final = (
    *("--allowJs", "--checkJs", "--declaration", "--emitDeclarationOnly", "--strict"),
    *("--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"),
    *("--lib", "es2023,dom,dom.iterable"),
)
_DECLARATION: Final = re.compile(
    r"(?P<comment>^/\*\*(?:(?!\*/).)*\*/\n)?^export (?:type|function|class) (?P<name>\w+)(?P<rest>.*?)"
    r"(?=^/\*\*|^export |^import |\Z)",
    re.M | re.S,
)
_IMPORTED: Final = re.compile(r' = import\("\./[\w/]+\.js"\)\.\w+;\s*')
_MESSAGES: Final = "./net/messages.js"
_HEAD: Final = """// The types of client.js, for pages of other sites: docs/how-to/use-the-javascript-client.md.
// `make message-types` writes this file from the comments of the modules. No browser loads it.

"""


def declarations(directory: Path, module: str) -> dict[str, str]:
    """Return what a module declares by name, without the types that it takes from other modules."""
    text = (directory / f"{module}.d.ts").read_text()
    return {
        match["name"]: match[0].rstrip() + "\n"
        for match in _DECLARATION.finditer(text)
        if not _IMPORTED.fullmatch(match["rest"])
    }


def text() -> str:
    """Return the whole file. Raise CalledProcessError if the modules have type errors."""
    with tempfile.TemporaryDirectory(prefix="types-") as name:
        directory = Path(name)
        command = ["node", COMPILER, *_OPTIONS, "--outDir", directory, MODULES / "client.js"]
        subprocess.run([str(word) for word in command], check=True)
        client = declarations(directory, "client")
        status = declarations(directory, "net/connection")["Status"]
        error = declarations(directory, "net/http")["HttpError"]
    declared = "".join([*client.values(), error, status])
    (imports,) = re.findall(rf'@import (.*? from "{_MESSAGES}")', (MODULES / "client.js").read_text())
    return f'{_HEAD}import type {imports};\n\nexport type * from "{_MESSAGES}";\n{declared}'


def main() -> None:
    """Write the file."""
    FILE.write_text(text())


if __name__ == "__main__":
    main()
