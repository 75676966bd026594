"""Scenes and programs in the layout of CLEVR-Ref+, drawn at random."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    import numpy as np


VALUES = {
    "size": ["small", "large"],
    "color": ["gray", "red", "blue", "green"],
    "material": ["rubber", "metal"],
    "shape": ["cube", "sphere", "cylinder"],
}
SIDES = ["left", "right", "front", "behind"]
RANKS = ["the first one of the", "the second one of the", "the third one of the"]
ENDS = ["from left", "from right", "from front"]


def pick(rng: np.random.Generator, some: Any) -> Any:
    """One of several, all alike."""
    return some[int(rng.integers(len(some)))]


def draw_scene(rng: np.random.Generator, number: int) -> dict[str, Any]:
    """A scene of three to eight objects, with the relationships that follow from their places."""
    places = [(float(rng.uniform(0, 480)), float(rng.uniform(0, 320))) for _ in range(int(rng.integers(3, 9)))]
    things = [
        {**{name: pick(rng, values) for name, values in VALUES.items()}, "pixel_coords": [x, y, 10.0]}
        for x, y in places
    ]
    holds = {
        "left": lambda one, other: one[0] < other[0],
        "right": lambda one, other: one[0] > other[0],
        "front": lambda one, other: one[1] > other[1],
        "behind": lambda one, other: one[1] < other[1],
    }
    sides = {
        side: [[k for k, one in enumerate(places) if is_there(one, other)] for other in places]
        for side, is_there in holds.items()
    }
    name = f"CLEVR_test_{number:06}.png"
    return {"image_index": number, "image_filename": name, "objects": things, "relationships": sides}


class Writer:
    """Writes one program that can be run on a scene, step by step, with what each step gives."""

    def __init__(self, rng: np.random.Generator, scene: dict[str, Any]) -> None:
        self.rng, self.scene = rng, scene
        self.things = scene["objects"]
        self.nodes: list[dict[str, Any]] = []
        self.add("scene", [], [], range(len(self.things)))

    def add(self, name: str, values: list[str], inputs: list[int], found: Any) -> int:
        """Write a step with what it gives, and return its number."""
        step = {"type": name, "value_inputs": values, "inputs": inputs, "_output": sorted(found)}
        self.nodes.append(step)
        return len(self.nodes) - 1

    def found(self, step: int) -> list[int]:
        """The objects that a step gives."""
        return self.nodes[step]["_output"]

    def filter_some(self, step: int, often: int) -> int:
        """Words about what a step gives, and at times a rank."""
        for number in self.rng.permutation(len(VALUES))[:often].tolist():
            name = list(VALUES)[number]
            value = pick(self.rng, VALUES[name])
            step = self.add(
                f"filter_{name}", [value], [step], [k for k in self.found(step) if self.things[k][name] == value]
            )
        if self.rng.random() < 0.3:
            rank, end = int(self.rng.integers(3)), pick(self.rng, ENDS)
            axis, sign = {"from left": (0, 1), "from right": (0, -1), "from front": (1, -1)}[end]
            inwards = sorted(self.found(step), key=lambda k: sign * self.things[k]["pixel_coords"][axis])
            step = self.add("filter_ordinal", [RANKS[rank], end], [step], inwards[rank : rank + 1])
        return step

    def hop(self, step: int) -> int | None:
        """A clause about the only object of a step, or None if it has several."""
        if len(self.found(step)) != 1:
            return None
        (one,) = self.found(step)
        step = self.add("unique", [], [step], [one])
        if self.rng.random() < 0.6:
            side = pick(self.rng, SIDES)
            return self.add("relate", [side], [step], self.scene["relationships"][side][one])
        name = pick(self.rng, list(VALUES))
        same = [k for k, thing in enumerate(self.things) if k != one and thing[name] == self.things[one][name]]
        return self.add(f"same_{name}", [], [step], same)

    def chain(self) -> int:
        """A phrase with up to two clauses."""
        step = self.filter_some(0, int(self.rng.integers(4)))
        for _ in range(int(self.rng.integers(3))):
            hopped = self.hop(step)
            if hopped is None:
                break
            step = self.filter_some(hopped, int(self.rng.integers(3)))
        return step


def draw_program(rng: np.random.Generator, scene: dict[str, Any]) -> list[dict[str, Any]]:
    """A program of one chain, or of two that are joined."""
    writer = Writer(rng, scene)
    one = writer.chain()
    joined = pick(rng, ["", "union", "intersect"])
    if joined:
        other = writer.chain()
        both, either = (
            set(writer.found(one)) & set(writer.found(other)),
            set(writer.found(one)) | set(writer.found(other)),
        )
        writer.add(joined, [], [one, other], both if joined == "intersect" else either)
        writer.filter_some(len(writer.nodes) - 1, int(rng.integers(2)))
    return writer.nodes


def draw_file(rng: np.random.Generator, scenes: list[dict[str, Any]], often: int) -> dict[str, Any]:
    """A file of expressions in the layout of the release; their words are not read."""
    refexps = []
    for number in range(often):
        scene = pick(rng, scenes)
        program = draw_program(rng, scene)
        refexps.append(
            {
                "split": "val",
                "image_index": scene["image_index"],
                "image_filename": scene["image_filename"],
                "refexp": f"the objects of program {number}",
                "refexp_family_index": number % 5,
                "program": program,
            }
        )
    return {"info": {"split": "val", "version": "1.0"}, "refexps": refexps}
