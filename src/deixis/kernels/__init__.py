"""Compiled loops over arrays; each has a plain twin that says what it means.

They import nothing else of this package.
"""
