"""Cops-Ref datasets on disk, and answers to them."""
