"""What `deixis check` asks of a gSCAN file."""

from __future__ import annotations

import json

from deixis._cli import main


def gscan_file(path, determiner):
    """A file with one example in the layout of gSCAN."""
    objects = {
        str(k): {
            "vector": "0" * 11,
            "position": {"row": str(row), "column": "1"},
            "object": {"shape": "circle", "color": color, "size": "2"},
        }
        for k, (color, row) in enumerate([("red", 3), ("blue", 0)])
    }
    situation = {
        "grid_size": 6,
        "agent_position": {"row": "3", "column": "0"},
        "agent_direction": 0,
        "target_object": objects["0"],
        "placed_objects": objects,
        "carrying_object": None,
    }
    example = {
        "command": f"walk,to,{determiner},red,circle",
        "situation": situation,
        "target_commands": "walk",
        "verb_in_command": "walk",
        "manner": "",
        "referred_target": " red circle",
    }
    path.write_text(json.dumps({"grid_size": 6, "examples": {"train": [example]}}), encoding="utf-8")
    return path


def test_gscan_need_not_ground_its_determiners(tmp_path, capsys):
    """gSCAN says 'a' whatever the world holds, so that is no finding unless it is asked for."""
    path = gscan_file(tmp_path / "dataset.txt", "a")

    assert main(["check", str(path)]) == 0
    assert main(["check", str(path), "--select", "E601"]) == 1
    assert "E601" in capsys.readouterr().out
