"""What is special about tournaments: their views, the rooms of their matches, PINs and limits."""
