"""Questions for language models, their answers and how they are scored; no library of anybody's models is needed."""
