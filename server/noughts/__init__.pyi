from noughts.engine.verdict import Verdict as Verdict
from noughts.errors import Rejection as Rejection
from noughts.library import AnalysedPly as AnalysedPly
from noughts.library import analyse as analyse
from noughts.library import choose as choose
from noughts.library import levels as levels
from noughts.library import variants as variants
from noughts.library import verdict as verdict
from noughts.rules.game import Game as Game
from noughts.rules.outcome import Outcome as Outcome
from noughts.rules.variant import Variant as Variant

__version__: str
__all__: list[str]
