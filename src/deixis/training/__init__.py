"""How models learn, how their weights are kept, and how they say plans."""
