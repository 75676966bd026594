"""Models that find what an expression is about among regions of photographs (Chen et al. 2020, section 4)."""
