"""Expressions about solids in English, said and read."""
