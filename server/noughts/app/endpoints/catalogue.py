"""The catalogue: all variants of this server and its features, for the HTTP API and for the HTML of pages."""

from __future__ import annotations

from noughts.app.endpoints.requests import public_base
from noughts.app.runtime.config import Config
from noughts.engine.engine import levels, start_value
from noughts.protocol.bodies import Features, VariantsAnswer, VariantView
from noughts.protocol.messages import VerdictView
from noughts.rules.variant import VARIANTS, Variant


def catalogue(config: Config) -> VariantsAnswer:
    """Return all variants, and what this server offers besides games."""
    features = Features(config.lobby, config.free_names, public_base(config))
    return VariantsAnswer(tuple(map(_view, VARIANTS.values())), features)


def _view(variant: Variant) -> VariantView:
    return VariantView(
        key=variant.key,
        name=variant.name,
        rules=variant.rules,
        shape=variant.shape,
        line=variant.line,
        gravity=variant.gravity,
        misere=variant.misere,
        marks_kept=variant.marks_kept,
        nested=variant.nested,
        value=VerdictView(*start_value(variant)),
        levels=levels(variant),
    )
