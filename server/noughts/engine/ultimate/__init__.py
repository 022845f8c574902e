"""Ultimate: the kernel, its search and its tables."""
