"""A3DS's published tables and figures, beside ours."""
