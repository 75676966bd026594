"""Encoder, speakers and listeners."""
