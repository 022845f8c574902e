"""A room: two seats, spectators, a series of games, as one frozen value and one pure function, ``step``."""
