"""Measures of an audit over grid tables, compiled."""
