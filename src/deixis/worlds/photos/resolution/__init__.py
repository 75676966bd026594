"""Resolution over corpora of scene graphs."""
