"""Compiled loops over arrays. They import nothing else of this package, and each has a plain twin that says what it means."""
