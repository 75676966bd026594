"""ReaSCAN's published tables and figures, beside ours."""
