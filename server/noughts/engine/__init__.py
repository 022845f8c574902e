"""The computer opponent: pure search, solved tables, levels and verdicts."""
