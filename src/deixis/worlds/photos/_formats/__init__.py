"""Published formats of scene graphs and expressions."""
