"""The view of a variant."""

from __future__ import annotations

import json

from noughts.protocol.codec import encode
from noughts.protocol.messages import VerdictView
from noughts.protocol.views import variant_view
from noughts.rules.variant import VARIANTS


def test_a_variant_is_described_field_by_field() -> None:
    """With the value of its empty board and the engine's levels, which the rules do not know."""
    variant = VARIANTS["vanishing"]
    described = variant_view(variant, VerdictView("draw", None, "exact"), ("novice", "perfect"))
    assert json.loads(encode(described)) == {
        "key": "vanishing",
        "name": variant.name,
        "rules": variant.rules,
        "shape": [3, 3],
        "line": 3,
        "gravity": False,
        "misere": False,
        "marks_kept": 3,
        "nested": False,
        "value": {"value": "draw", "plies": None, "proof": "exact"},
        "levels": ["novice", "perfect"],
    }
