"""Searches in C, compiled to WebAssembly. They run where the extra ``noughts[fast]`` is installed."""
