"""The grid: an agent among solids and boxes, told where to go and what to do there."""
