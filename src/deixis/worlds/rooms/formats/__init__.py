"""Released files of A3DS and 3D Shapes."""
