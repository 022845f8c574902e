"""Noughts: the tic-tac-toe server that people host themselves."""

__version__ = "0.1.0"
