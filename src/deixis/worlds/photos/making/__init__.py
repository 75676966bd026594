"""Making Cops-Ref: expressions, distractor images, imagined scenes."""
