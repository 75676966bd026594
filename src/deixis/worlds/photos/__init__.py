"""Photographs with scene graphs: expressions about them, distractor images, and pictures that are imagined."""
