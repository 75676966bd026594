"""Rooms of 3D Shapes: captions, pictures and pairs."""
