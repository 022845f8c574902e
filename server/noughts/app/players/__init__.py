"""Guest accounts."""
