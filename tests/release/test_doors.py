"""The doors of the Makefile that are not opened by other tests, looked at without opening them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_the_studio_has_a_door_of_its_own():
    """`make studio` installs the extra and opens the studio with whatever it is given."""
    command = ["make", "--dry-run", "--always-make", "-C", str(ROOT), "studio", "ARGS=sample runs"]

    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout

    assert '--editable ".[studio]"' in said
    assert "/deixis studio sample runs" in said
