"""Where scenes come from: one folder per family of scenes."""
