"""Solids on a table, seen by a camera: a world of many objects in three dimensions."""
