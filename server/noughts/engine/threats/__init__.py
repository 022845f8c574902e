"""Boards that are too large to solve and are won by making threats: gomoku and Qubic."""
