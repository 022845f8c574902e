"""The store for one process: one SQLite file, written by one thread, many changes a commit."""
