"""The making of Cops-Ref: expressions, distractor images, imagined scenes."""
