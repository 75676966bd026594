"""Deixis: the toolkit for reference, language that points at things."""
