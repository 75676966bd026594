"""Questions for language models, their answers and the scores, without any library of models."""
