"""Searches for the engine's moves, verdicts and analyses, in worker processes."""
