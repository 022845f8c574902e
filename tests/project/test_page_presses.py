"""Check that a button or a form knows when its work is done: what it runs returns the promise."""

from __future__ import annotations

import re

from noughts.app.page.files import page_directory

_MAKER = re.compile(r"(?<![\w.])(?:\w*[bB]utton|create\w*Form|inputForm|oneAtATime)\(")
_DROPS = re.compile(r"=>\s*void\s")
_TYPED_ON = "() => void submit(), // another line may be sent while this one is under way"


def arguments(text: str, begin: int) -> str:
    """Return what stands in the parentheses that open before a place."""
    depth, end = 1, begin
    while depth:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return text[begin : end - 1]


def test_no_press_is_forgotten_before_it_is_done() -> None:
    """``() => void work()`` would let a second press start the work again."""
    found = []
    for path in sorted(page_directory().rglob("*.js")):
        text = re.sub(r"/\*\*.*?\*/", "", path.read_text().replace(_TYPED_ON, ""), flags=re.S)
        makers = [maker for maker in _MAKER.finditer(text) if _DROPS.search(arguments(text, maker.end()))]
        found += [f"{path.name}: {maker[0]}{arguments(text, maker.end())[:60]}" for maker in makers]
    assert found == []
