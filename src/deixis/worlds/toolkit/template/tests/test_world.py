"""Every part of the world works."""

from deixis.testing import check_world
from deixis_beads import WORLD


def test_every_part_of_the_world_works() -> None:
    """Deixis tries each part on a few examples."""
    check_world(WORLD)
