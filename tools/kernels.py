"""Build the compiled searches: ``make kernels``.

Each C source in ``server/noughts/engine/compiled`` becomes a WebAssembly file beside it. ``SHA256SUMS`` there has the hashes
of the sources and of the programs. The engine runs no program with another hash, and a test compares the hashes of the
sources, so that neither file changes without the other.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from noughts.engine.compiled.program import FOLDER, SUMS

FLAGS: Final = (
    "--target=wasm32",
    "-std=c11",
    "-O3",
    "-Wall",
    "-Werror",
    "-Wno-unused-function",
    "-ffreestanding",
    "-nostdlib",
    "-mbulk-memory",
    "-msign-ext",
    "-fno-vectorize",
    "-Wl,--no-entry",
    "-Wl,--strip-all",
)
SUFFIXES: Final = (".c", ".h", ".wasm")


def build(source: Path) -> None:
    """Compile a source to the WebAssembly file beside it."""
    program = source.with_suffix(".wasm")
    subprocess.run(["clang", *FLAGS, "-o", str(program), str(source)], check=True)
    program.chmod(0o644)


def main() -> None:
    """Build every program, and write the list of hashes."""
    for tool in ("clang", "wasm-ld"):
        if shutil.which(tool) is None:
            sys.exit(
                f"The compiled searches are built by clang and lld; {tool} is missing (Debian: sudo apt install clang lld)."
            )
    sources = sorted(FOLDER.glob("*.c"))
    lines = []
    for source in sources:
        build(source)
    for file in sorted(path for path in FOLDER.iterdir() if path.suffix in SUFFIXES):
        data = file.read_bytes()
        lines.append(f"{hashlib.sha256(data).hexdigest()}  {file.name}\n")
        sys.stdout.write(f"{file.name}: {len(data)} bytes\n")
    (FOLDER / SUMS).write_text("".join(lines), encoding="ascii")


if __name__ == "__main__":
    main()
