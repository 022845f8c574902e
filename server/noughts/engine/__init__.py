"""The engine: searches, solved tables, levels and verdicts. It is pure: time and randomness are arguments."""
