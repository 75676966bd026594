"""What is asked: examples and their answers."""
