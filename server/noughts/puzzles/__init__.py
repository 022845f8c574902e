"""Puzzles: positions in which exactly one move keeps the value, proved at each step of their lines."""
