"""Worlds as environments to act in, for Gymnasium and PettingZoo.

Importing this package makes the environments of all worlds known to both, e.g. `deixis/Navigate-v1` to Gymnasium.
"""

from __future__ import annotations

from deixis.worlds.registry import parts_of


__all__ = ["register_environments"]


def register_environments() -> None:
    """Let every world register its environments.

    Calling it again does no harm.

    Raises:
        DeixisError: when Gymnasium is not installed.
    """
    for _, register in parts_of("environment"):
        register()


register_environments()
