"""Pairs of rooms as questions for language models."""
