"""The wire: JSON text to typed messages and back, and what each audience may see of a room."""
