"""What an operator types."""
