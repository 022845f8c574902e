"""The files of the compiled programs: one C source and one WebAssembly file each, and the hashes of both.

``make kernels`` builds the programs and writes ``SHA256SUMS``, in the format of ``sha256sum``.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
SUMS: Final = "SHA256SUMS"


def read_code(name: str, folder: Path = FOLDER) -> bytes:
    """Return the WebAssembly code of a program. Raise OSError, or ValueError if the file is not the one that was built."""
    file = f"{name}.wasm"
    code = (folder / file).read_bytes()
    if hashlib.sha256(code).hexdigest() != sums(folder).get(file):
        raise ValueError("a damaged file: install Noughts again, or build it again with `make kernels`")
    return code


def sums(folder: Path = FOLDER) -> dict[str, str]:
    """Return the SHA-256 of each file, in hexadecimal. Raise OSError, or ValueError for a list that is not ASCII."""
    lines = (folder / SUMS).read_text(encoding="ascii").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
