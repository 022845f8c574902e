"""The files of the compiled programs: one C source and one WebAssembly file each, and the hashes of both.

``make kernels`` builds the programs and writes ``SHA256SUMS``, in the format of ``sha256sum``.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
SUMS: Final = "SHA256SUMS"
_REMEDY: Final = "install Noughts again, or build it again with `make kernels`"


def read_code(name: str, folder: Path = FOLDER) -> bytes:
    """Return the WebAssembly code of a program. Raise ValueError if the file is missing or is not the one that was built."""
    file = f"{name}.wasm"
    try:
        code = (folder / file).read_bytes()
        digest = sums(folder).get(file)
    except OSError as error:
        raise ValueError(f"{error.strerror}: {_REMEDY}") from error
    if hashlib.sha256(code).hexdigest() != digest:
        raise ValueError(f"a damaged file: {_REMEDY}")
    return code


def sums(folder: Path = FOLDER) -> dict[str, str]:
    """Return the SHA-256 of each file, in hexadecimal. A damaged list lacks some of them. Raise OSError."""
    lines = (folder / SUMS).read_text(encoding="ascii", errors="replace").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
