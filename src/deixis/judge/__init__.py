"""How answers are judged: what is asked of a world, metrics of captions, and how sure they are."""
