"""Small datasets of the three worlds to ask about, made once."""

from __future__ import annotations

from tests.prompts.made import grid_data, photograph_data, room_data


__all__ = ["grid_data", "photograph_data", "room_data"]
