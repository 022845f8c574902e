"""The forbidden characters are those that the rule of names lists, and no others."""

from __future__ import annotations

import sys
import unicodedata

from noughts.printable import FORBIDDEN, one_line, printable, printable_lines

DIRECTION = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def test_each_character_of_unicode_is_judged_by_its_category() -> None:
    for character in map(chr, range(sys.maxunicode + 1)):
        is_forbidden = unicodedata.category(character) in ("Cc", "Cs", "Co", "Zl", "Zp") or character in DIRECTION
        assert bool(FORBIDDEN.match(character)) == is_forbidden, hex(ord(character))


def test_line_breaks_become_spaces() -> None:
    assert one_line("a\nb\r\nc\u2028d\x85e") == "a b c d e"


def test_a_printable_text_has_one_line_and_no_code_of_a_terminal() -> None:
    assert printable("\x1b]0;TITLE\x07\x1b[2J\x9b5m well\nAnn: I resign\u202e") == (
        "\ufffd]0;TITLE\ufffd\ufffd[2J\ufffd5m well Ann: I resign\ufffd"
    )
    assert printable("👩\u200d💻 naïve ש") == "👩\u200d💻 naïve ש"


def test_the_lines_of_a_longer_text_stay() -> None:
    assert printable_lines("one\ntwo\x1b\r\nthree") == "one\ntwo\ufffd \nthree"
