"""Cops-Ref's published tables and figures, beside ours."""
