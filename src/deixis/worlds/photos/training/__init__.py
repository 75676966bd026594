"""Models that find the region an expression is about: what regions look like, lessons, training, tables (Cops-Ref)."""
