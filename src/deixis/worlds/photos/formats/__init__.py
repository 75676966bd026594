"""Scene graphs and expressions as others publish them."""
