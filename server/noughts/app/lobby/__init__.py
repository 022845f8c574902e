"""The public list of rooms, and quick play."""
