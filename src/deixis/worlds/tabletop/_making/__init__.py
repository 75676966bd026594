"""Making examples: recipes, expressions, what a careless reader understands, and the search for tables."""
