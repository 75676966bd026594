"""Instructions as questions for language models."""
