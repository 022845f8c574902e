"""``noughts prove``: prove the value of a variant's empty board again."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence

from noughts.command_line import UsageError, command_parser
from noughts.engine.book import NotProvedError
from noughts.engine.prove import SAMPLE, progress_unit, provable, prove
from noughts.rules.variant import variant_named


def main(arguments: Sequence[str]) -> int:
    """Run the command. Return 0 if the value is proved, 1 if it is not."""
    parser = command_parser("prove")
    parser.add_argument("variant", choices=provable())
    parser.add_argument(
        "--sample",
        metavar="N",
        type=int,
        default=SAMPLE,
        help="four in a row: random positions of its table to search (%(default)s)",
    )
    parsed = parser.parse_args(arguments[1:])
    if parsed.sample < 0:
        raise UsageError(f"--sample must be 0 or more, not {parsed.sample}.")
    variant = variant_named(parsed.variant)
    unit = progress_unit(variant)
    shown_s = time.monotonic()

    def show(done: int, total: int) -> None:
        nonlocal shown_s
        if time.monotonic() - shown_s >= 1.0:
            shown_s = time.monotonic()
            print(f"  {done:,} of {total:,} {unit}", file=sys.stderr, flush=True)

    try:
        proof = prove(variant, time.monotonic, show, parsed.sample, random.Random())
    except NotProvedError as error:
        print(f"noughts: not proved: {error}", file=sys.stderr)
        return 1
    verdict = proof.verdict
    plies = f" in {verdict.plies} plies" if verdict.plies is not None else ""
    print(f"{proof.variant}: {verdict.value} for X{plies} ({verdict.proof})")
    print(proof.claim)
    print(f"{proof.positions:,} positions, {proof.seconds:.1f} s, table {proof.digest}")
    return 0
