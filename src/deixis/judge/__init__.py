"""Judging of answers: requests to a world, metrics of captions, and confidence intervals."""
