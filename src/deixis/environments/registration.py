"""The names under which Gymnasium finds the environments."""

from __future__ import annotations

from deixis.environments.packages import demand


__all__ = ["NAVIGATE", "register_environments"]

NAVIGATE = "deixis/Navigate-v1"


def register_environments() -> None:
    """Make the environments known to Gymnasium; once is enough, more often does no harm.

    Raises:
        DeixisError: when Gymnasium is not installed.
    """
    demand("gymnasium", "environments")
    from gymnasium.envs.registration import register, registry

    if NAVIGATE not in registry:
        register(
            id=NAVIGATE,
            entry_point="deixis.environments.navigate:NavigateEnv",
            vector_entry_point="deixis.environments.vector:NavigateVectorEnv",
        )
