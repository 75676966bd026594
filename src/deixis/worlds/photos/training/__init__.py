"""Models that find the region an expression is about: features of regions, training and evaluation (Cops-Ref)."""
