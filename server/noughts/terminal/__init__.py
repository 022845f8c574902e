"""Games in a terminal: against the engine or a friend in this process, or in the room of a server."""
