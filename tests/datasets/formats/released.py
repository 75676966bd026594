"""Released examples for the tests: the real ones where they lie beside the checkout, and small ones written by hand."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest


FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "reascan"
SAMPLE = FOLDER / "official_2rel_test_sample.json"

needs_sample = pytest.mark.skipif(
    not SAMPLE.is_file(), reason="the released ReaSCAN sample does not lie beside the checkout"
)

NAMES = ("circle", "cylinder", "square", "box"), ("red", "blue", "green", "yellow")


def thing(text: str) -> dict[str, Any]:
    """An object as the files write it, from e.g. `red circle 2 at 0 5`."""
    color, shape, size, _, row, column = text.split()
    bits = ["0"] * 12
    for place in (int(size) - 1, 4 + NAMES[0].index(shape), 8 + NAMES[1].index(color)):
        bits[place] = "1"
    position = {"row": row, "column": column}
    return {"vector": "".join(bits), "position": position, "object": {"shape": shape, "color": color, "size": size}}


def situation(*things: str, agent: tuple[int, int] = (0, 0), distance: int = 0, direction: str = "") -> dict[str, Any]:
    """A world as the files write it; the first object is the target."""
    return {
        "grid_size": 6,
        "agent_position": {"row": str(agent[0]), "column": str(agent[1])},
        "agent_direction": 0,
        "target_object": thing(things[0]),
        "distance_to_target": str(distance),
        "direction_to_target": direction,
        "placed_objects": {str(k): thing(text) for k, text in enumerate(things)},
        "carrying_object": None,
    }


def metadata(objects: int, mentions: int, **changes: Any) -> dict[str, Any]:
    """The fields of an example that tell about its distractors, for one that has none but with changes."""
    fields = {
        "n_object": objects,
        "n_distractor": objects - mentions,
        "full_relation_distractor": True,
        "has_relation_distractor": False,
        "has_attribute_distractor": False,
        "has_isomorphism_distractor": False,
        "has_random_distractor": False,
        "n_random_distractor": 0,
        "relation_distractor_metadata": [],
        "attribute_distractor_metadata": [
            {"distractor_metadata": [{"modified_obj": None, "modified_attribute": None}]}
        ],
        "isomorphism_distractor_metadata": [],
        "random_distractor_metadata": [{}],
    }
    return {**fields, **changes}


def changed(mention: str, attribute: str) -> list[dict[str, Any]]:
    """The metadata of a set with one word changed."""
    return [{"distractor_metadata": [{"modified_obj": mention, "modified_attribute": attribute}]}]


SIMPLE = {
    "command": "push,the,small,red,circle,while,spinning",
    "grammer_pattern": "$OBJ_0",
    "meaning": "push,the,small,red,circle,while,spinning",
    "derivation": "$OBJ_0",
    "situation": situation(
        "red circle 1 at 1 1",
        "blue circle 2 at 2 2",
        "red circle 3 at 5 0",
        "green square 4 at 4 4",
        agent=(1, 0),
        distance=1,
        direction="e",
    ),
    "target_commands": "turn left,turn left,turn left,turn left,walk",
    "verb_in_command": "push",
    "adverb_in_command": "while spinning",
    "referred_target": "small red circle",
    "object_pattern_map": {"$OBJ_0": "$SIZE $COLOR $SHAPE"},
    "relation_map": [],
    "object_expression": {"$OBJ_0": "small red circle"},
    **metadata(
        4,
        1,
        has_attribute_distractor=True,
        has_random_distractor=True,
        n_random_distractor=1,
        attribute_distractor_metadata=changed("$OBJ_0", "$COLOR"),
        random_distractor_metadata=[{"$OBJ_3": " green square"}],
    ),
}

ONE_CLAUSE = {
    "command": "walk,to,the,object,that,is,inside,of,the,big,box",
    "grammer_pattern": "$OBJ_0 ^ $OBJ_1",
    "meaning": "walk,to,the,object,that,is,inside,of,the,big,box",
    "derivation": "$OBJ_0 ^ $OBJ_1",
    "situation": situation(
        "red circle 1 at 1 1",
        "blue box 3 at 0 0",
        "green square 1 at 5 5",
        "red square 3 at 4 4",
        agent=(3, 1),
        distance=2,
        direction="n",
    ),
    "target_commands": "turn left,walk,walk",
    "verb_in_command": "walk",
    "adverb_in_command": "",
    "referred_target": "object",
    "object_pattern_map": {"$OBJ_0": "$ABS_SHAPE", "$OBJ_1": "$SIZE $SHAPE"},
    "relation_map": [[["$OBJ_0", "$OBJ_1"], "$IS_INSIDE"]],
    "object_expression": {"$OBJ_0": "object", "$OBJ_1": "big box"},
    **metadata(
        4,
        2,
        has_relation_distractor=True,
        has_random_distractor=True,
        n_random_distractor=1,
        relation_distractor_metadata=[
            {"distractor_metadata": {"edge": "null", "relation_old_type": "null", "full_set": True}}
        ],
        attribute_distractor_metadata=[],
        random_distractor_metadata=[{"$OBJ_3": "big red square"}],
    ),
}

RANDOM_ONLY = {
    **deepcopy(ONE_CLAUSE),
    **metadata(
        4,
        2,
        has_random_distractor=True,
        n_random_distractor=2,
        relation_distractor_metadata=[{"distractor_metadata": {}}],
        isomorphism_distractor_metadata=[{"distractor_metadata": {}}],
        random_distractor_metadata=[{"$OBJ_2": " green square", "$OBJ_3": " red square"}],
    ),
}

CHAIN_TEXT = (
    "pull,the,red,circle,that,is,in,the,same,row,as,a,blue,square,that,is,in,the,same,column,as,a,green,cylinder"
)
CHAIN = {
    "command": CHAIN_TEXT,
    "grammer_pattern": "$OBJ_0 ^ $OBJ_1 ^ $OBJ_2",
    "meaning": CHAIN_TEXT,
    "derivation": "$OBJ_0 ^ $OBJ_1 ^ $OBJ_2",
    "situation": situation(
        "red circle 1 at 1 1",
        "blue square 2 at 1 0",
        "green cylinder 2 at 4 0",
        "red circle 2 at 2 5",
        "blue square 1 at 2 4",
        "red circle 4 at 5 5",
        "blue square 4 at 5 1",
        "blue cylinder 4 at 0 1",
        "red circle 3 at 3 3",
        "green square 3 at 3 0",
        agent=(1, 4),
        distance=3,
        direction="w",
    ),
    "target_commands": "turn left,turn left,walk,walk,walk,pull,pull,pull,pull",
    "verb_in_command": "pull",
    "adverb_in_command": "",
    "referred_target": "red circle",
    "object_pattern_map": {"$OBJ_0": "$COLOR $SHAPE", "$OBJ_1": "$COLOR $SHAPE", "$OBJ_2": "$COLOR $SHAPE"},
    "relation_map": [[["$OBJ_0", "$OBJ_1"], "$SAME_ROW"], [["$OBJ_1", "$OBJ_2"], "$SAME_COLUMN"]],
    "object_expression": {"$OBJ_0": "red circle", "$OBJ_1": "blue square", "$OBJ_2": "green cylinder"},
    **metadata(
        10,
        3,
        has_relation_distractor=True,
        has_attribute_distractor=True,
        relation_distractor_metadata=[
            {
                "distractor_metadata": {
                    "edge": ["$OBJ_0", "$OBJ_1"],
                    "relation_old_type": "$SAME_ROW",
                    "full_set": True,
                }
            }
        ],
        attribute_distractor_metadata=changed("$OBJ_2", "$COLOR"),
        isomorphism_distractor_metadata=[
            {
                "distractor_metadata": [
                    {
                        "swapped_pair": ["$OBJ_1", "$OBJ_2"],
                        "before_pair_obj_str": ["blue square", "green cylinder"],
                        "after_pair_obj_str": ["green square", "blue cylinder"],
                        "size_shuffled": False,
                        "color_shuffled": True,
                        "shape_shuffled": False,
                    }
                ]
            }
        ],
    ),
}

HAND_WRITTEN = {"simple": SIMPLE, "one clause": ONE_CLAUSE, "random only": RANDOM_ONLY, "chain": CHAIN}

GSCAN = {
    "command": "walk,to,a,red,small,circle,while spinning",
    "meaning": "walk,to,a,red,small,circle,while spinning",
    "derivation": "NP -> NN,NP -> JJ NP,DP -> 'a' NP,VP -> VV_intrans 'to' DP,ROOT -> VP RB",
    "situation": {
        "grid_size": 6,
        "agent_position": {"row": "3", "column": "0"},
        "agent_direction": 0,
        "target_object": {
            "vector": "01001001000",
            "position": {"row": "3", "column": "1"},
            "object": {"shape": "circle", "color": "red", "size": "2"},
        },
        "distance_to_target": "1",
        "direction_to_target": "e",
        "placed_objects": {
            "0": {
                "vector": "00011001000",
                "position": {"row": "0", "column": "0"},
                "object": {"shape": "circle", "color": "red", "size": "4"},
            },
            "1": {
                "vector": "01001001000",
                "position": {"row": "3", "column": "1"},
                "object": {"shape": "circle", "color": "red", "size": "2"},
            },
        },
        "carrying_object": None,
    },
    "target_commands": "turn left,turn left,turn left,turn left,walk",
    "verb_in_command": "walk",
    "manner": "while spinning",
    "referred_target": " small red circle",
}


def write_file(path: Path, *examples: dict[str, Any], split: str = "test", **header: Any) -> Path:
    """A dataset file with some examples."""
    fields = {"grid_size": 6, "type_grammar": "ReaSCAN-Grammer", **header}
    path.write_text(json.dumps({**fields, "examples": {split: list(examples)}, "nouns": ["circle"]}), encoding="utf-8")
    return path
