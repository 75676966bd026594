"""Doors to the tools that people have already."""
