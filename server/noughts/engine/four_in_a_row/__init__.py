"""Four in a row: seven columns, six rows, gravity. The kernel, its two searches and its book."""
