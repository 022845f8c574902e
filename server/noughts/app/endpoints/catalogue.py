"""The catalogue: all variants of this server and its features, for the HTTP API and for the HTML of pages."""

from __future__ import annotations

from collections.abc import Mapping

from noughts.app.endpoints.requests import public_base
from noughts.app.runtime.config import Config
from noughts.engine.solvable import start_value
from noughts.protocol.bodies import Features, VariantsAnswer
from noughts.protocol.messages import VerdictView
from noughts.protocol.views import variant_view
from noughts.rules.variant import VARIANTS


def catalogue(config: Config, levels: Mapping[str, tuple[str, ...]]) -> VariantsAnswer:
    """Return all variants with the levels of the engine that this server offers, and what it offers besides games."""
    features = Features(config.lobby, config.free_names, public_base(config))
    variants = [variant_view(each, VerdictView(*start_value(each)), levels[each.key]) for each in VARIANTS.values()]
    return VariantsAnswer(tuple(variants), features)
