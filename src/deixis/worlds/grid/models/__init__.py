"""Models that carry out instructions."""
