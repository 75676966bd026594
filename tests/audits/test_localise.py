from __future__ import annotations

import numpy as np
import pytest

from deixis.audits.localise import PROBES, find_shortcuts, shortcut_rows, solved_by, summarise_shortcuts
from tests.datasets.copsref.posed import posed


@pytest.mark.parametrize("setting", ["WithoutDist", "Cat", "Full"])
def test_the_compiled_probes_agree_with_the_plain_measures(setting):
    """For every example and every reader, the fast path says what the definition says."""
    examples, scenes = posed().there, posed().scenes

    found = find_shortcuts(examples, scenes, setting)

    plain = [[solved_by(example, scenes, setting)[probe] for probe in PROBES] for example in examples]
    assert found.tolist() == plain
    assert 0 < np.mean(found) < 1


def test_distractor_images_take_shortcuts_away():
    """Who hears less finds the target less often, and hardly ever when all distractor images are shown."""
    examples, scenes = posed().examples, posed().scenes
    full, alone = summarise_shortcuts(examples, scenes, resamples=50)

    assert (full.setting, alone.setting) == ("Full", "WithoutDist")
    assert full.shares["whole expression"].mean == alone.shares["whole expression"].mean == 1.0
    assert full.shares["noun alone"].mean == full.shares["noun and attributes"].mean == 0.0
    assert 0 < alone.shares["noun alone"].mean <= alone.shares["noun and attributes"].mean < 1
    assert full.shares["noun alone"].rows == len(posed().there)


def test_the_table_has_a_row_for_every_reader():
    """Rows are readers, columns settings, figures in percent with an interval."""
    rows = shortcut_rows(summarise_shortcuts(posed().there, posed().scenes, resamples=20))

    assert rows[0] == ("solved by", "Full (%)", "WithoutDist (%)")
    assert [row[0] for row in rows[1:]] == list(PROBES)
    assert rows[-1][1] == "100.0 [100.0, 100.0]"
