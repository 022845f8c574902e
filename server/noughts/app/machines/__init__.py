"""What keeps, steps, publishes and wakes any frozen value with a version."""
