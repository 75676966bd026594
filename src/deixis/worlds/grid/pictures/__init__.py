"""How grid scenes look: what is drawn where, and the three ways of putting it down (SVG, PNG, terminal)."""
