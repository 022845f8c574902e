"""Searches in C, compiled to WebAssembly."""
