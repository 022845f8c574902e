"""The tournament: a pure state machine. It takes time and chance as arguments."""
