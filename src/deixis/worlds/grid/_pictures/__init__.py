"""Pictures of grid scenes: their composition, and three outputs (SVG, PNG, terminal)."""
