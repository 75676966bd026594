"""Grid datasets on disk: rows, sources, plans, and what is counted of them."""
