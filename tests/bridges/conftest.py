"""What several tests of the bridges need: small datasets, made once, and no network."""

from __future__ import annotations

import pytest

from tests.prompts.made import grid_data, photograph_data, room_data


__all__ = ["grid_data", "offline", "photograph_data", "room_data"]


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that Hugging Face would fetch is refused."""
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.setenv(name, "1")
