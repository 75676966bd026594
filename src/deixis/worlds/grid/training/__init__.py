"""Training of models that carry out instructions."""
