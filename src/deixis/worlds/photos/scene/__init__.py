"""Scene graphs, and whole corpora of them as arrays."""
