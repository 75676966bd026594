"""Speakers and listeners that learn: captions of rooms, and the reference game (Tsvilodub and Franke 2023)."""
