"""Models that say plans: one architecture per file; they see tensors only."""
