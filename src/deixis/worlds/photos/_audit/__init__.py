"""Shortcuts in expressions about photographs."""
