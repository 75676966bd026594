"""The record of a run: the names in it, and those of earlier versions."""

from __future__ import annotations

import json

from deixis.learn.run import RunFolder, rename_facts


NOW = {
    "steps": 4,
    "steps_wanted": 8,
    "batch_size": 2,
    "dev": {"look": 0.5},
    "settings": {"batch": 3},
    "selection": {"evaluations": 2, "best_step": 4, "on": "dev"},
    "best": {"merit": 0.5, "step": 4},
    "legs": [{"steps": 8, "until": 4}],
}
BEFORE = {
    "updates": 4,
    "updates_wanted": 8,
    "batch": 2,
    "look": {"look": 0.5},
    "settings": {"batch": 3},
    "selection": {"looks": 2, "best_update": 4, "on": "dev"},
    "best": {"merit": 0.5, "update": 4},
    "legs": [{"updates": 8, "until": 4}],
}


def test_records_of_earlier_versions_are_read():
    """Their names become those of today; settings and measured values inside keep theirs."""
    assert rename_facts(BEFORE) == NOW
    assert rename_facts(NOW) == NOW


def test_records_that_no_version_wrote_are_left_as_they_are():
    """Values of another kind do not break the reader."""
    strange = {"selection": 3, "best": None, "legs": [1, "x"], "seed": []}

    assert rename_facts(strange) == strange


def test_a_log_is_cut_at_a_step_whichever_version_wrote_it(tmp_path):
    """Lines of later steps go, and so does what is no line of a log."""
    kept = [{"update": 1, "loss": 2.0}, {"step": 2, "loss": 1.0}]
    cut = [{"step": 3, "loss": 0.5}, {"update": 4, "loss": 0.4}, [5], {"loss": 1.0}]
    (tmp_path / "log.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in [*kept, *cut]), encoding="utf-8")

    with RunFolder(tmp_path) as folder:
        folder.go_on_from(2)

    assert [json.loads(line) for line in (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()] == kept
