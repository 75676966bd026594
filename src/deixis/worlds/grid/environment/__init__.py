"""Part `environment` of the grid: instructions as environments for Gymnasium."""

from __future__ import annotations


__all__ = ["NAVIGATE", "register"]

NAVIGATE = "deixis/Navigate-v1"


def register() -> None:
    """Register the environment with Gymnasium.

    Raises:
        DeixisError: when Gymnasium is not installed.
    """
    from deixis.environments._options import demand_package

    demand_package("gymnasium", "environments")
    from gymnasium.envs import registration

    if NAVIGATE not in registration.registry:
        registration.register(
            id=NAVIGATE,
            entry_point=f"{__name__}.navigate:NavigateEnv",
            vector_entry_point=f"{__name__}.vector:NavigateVectorEnv",
        )
