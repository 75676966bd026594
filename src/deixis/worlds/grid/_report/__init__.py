"""The report of a grid dataset: one HTML page."""
