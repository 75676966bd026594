"""Cops-Ref datasets: kept, exported, described, and answers to them read."""
