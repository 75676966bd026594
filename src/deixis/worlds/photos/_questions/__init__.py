"""Expressions about photographs as questions for language models."""
