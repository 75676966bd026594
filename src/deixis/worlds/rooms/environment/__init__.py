"""Part `environment` of rooms: the reference game for PettingZoo."""

from __future__ import annotations

from importlib.util import find_spec


__all__ = ["REFERENCE_GAME", "register"]

REFERENCE_GAME = "deixis/ReferenceGame-v1"


def register() -> None:
    """Make the game known to PettingZoo, where that is installed and has a registry, as it does since 1.27."""
    if find_spec("pettingzoo") is None:
        return
    import pettingzoo

    if hasattr(pettingzoo, "register") and REFERENCE_GAME not in pettingzoo.aec_registry:
        pettingzoo.register("aec", REFERENCE_GAME, f"{__name__}.game:env")
        pettingzoo.register("parallel", REFERENCE_GAME, f"{__name__}.game:parallel_env")
