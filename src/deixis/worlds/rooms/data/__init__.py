"""A3DS datasets on disk: making, checking, captions as tables."""
