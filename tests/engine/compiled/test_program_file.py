"""The files of the compiled programs are the ones that were built from the sources beside them."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from noughts.engine.compiled.program_file import FOLDER, SUMS, read_code, sums

NAMES = sorted(path.stem for path in FOLDER.glob("*.wasm"))


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    """Return a folder with copies of all files."""
    for path in (*FOLDER.glob("*.wasm"), FOLDER / SUMS):
        shutil.copy(path, tmp_path)
    return tmp_path


def test_no_source_and_no_program_changed_alone() -> None:
    """Red? Run ``make kernels``, and commit the source, the program and the hashes together."""
    files = [file for file in FOLDER.iterdir() if file.suffix in (".c", ".h", ".wasm")]
    assert sums() == {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    assert sorted(file.stem for file in files if file.suffix == ".c") == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_program_is_some_kilobytes_of_webassembly(name: str) -> None:
    code = read_code(name)
    assert code[:4] == b"\0asm"
    assert len(code) < 40_000


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_program_is_not_read(name: str, copies: Path) -> None:
    file = copies / f"{name}.wasm"
    code = file.read_bytes()
    assert read_code(name, copies) == code
    for damaged in (code[:-1], code[: len(code) // 2], b"", code[:99] + bytes([code[99] ^ 1]) + code[100:]):
        file.write_bytes(damaged)
        with pytest.raises(
            ValueError, match=r"damaged file: install Noughts again, or build it again with `make kernels`"
        ):
            read_code(name, copies)
    file.unlink()
    with pytest.raises(ValueError, match=r"No such file.*make kernels"):
        read_code(name, copies)


@pytest.mark.parametrize("text", ["", "no hash\n", "0000  another.wasm\n", "x  y  z\n", "\u00ff\u00fe"])
def test_without_its_hash_no_program_is_read(text: str, copies: Path) -> None:
    (copies / SUMS).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="a damaged file"):
        read_code(NAMES[0], copies)
