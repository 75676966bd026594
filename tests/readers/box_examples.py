"""A reader of invented examples with boxes, for tests: records are numbers of `EXAMPLES`."""

from __future__ import annotations

from dataclasses import replace

from deixis.expression.description import Description
from deixis.expression.steps import Is
from deixis.judge.boxes import Box
from deixis.readers._world import ReaderWorld
from deixis.readers.reader import Image, Reader, ReadExample, Region
from deixis.scene.scene import PlainScene, Where
from deixis.schema import Attribute, Schema


SCHEMA = Schema(
    name="fruit",
    attributes=(
        Attribute(name="name", values=("apple", "pear"), is_head=True),
        Attribute(name="color", values=("red", "green")),
    ),
)
APPLE, GREEN_APPLE, PEAR = Box(0, 0, 40, 40), Box(100, 0, 140, 40), Box(0, 100, 40, 140)
SCENE = PlainScene(
    schema=SCHEMA,
    objects=(
        frozenset({("name", "apple"), ("color", "red")}),
        frozenset({("name", "apple"), ("color", "green")}),
        frozenset({("name", "pear"), ("color", "red")}),
    ),
)
IMAGE, OTHER = Image("a.jpg", 200, 200), Image("b.jpg", 400, 100)
RED_APPLE = Description((Is("name", "apple"), Is("color", "red")))
EXAMPLES = (
    ReadExample(
        id=0,
        text="the red apple",
        scenes=(SCENE,),
        targets=(Where(0, 0),),
        meaning=RED_APPLE,
        images=(IMAGE,),
        boxes=(Region(0, APPLE),),
        regions=((APPLE, GREEN_APPLE, PEAR),),
        facts={"hops": 1},
    ),
    ReadExample(id=1, text="the lamp", images=(IMAGE,), boxes=(Region(0, Box(10, 10, 60, 60)),), facts={"hops": 2}),
    ReadExample(id=2, text="the blue cow", images=(IMAGE,), facts={"hops": 2}),
    ReadExample(
        id=3,
        text="both shoes",
        images=(IMAGE,),
        boxes=(Region(0, Box(0, 0, 20, 20)), Region(0, Box(50, 50, 90, 90))),
        facts={"hops": 1},
    ),
    ReadExample(id=4, text="the hat", images=(IMAGE, OTHER), boxes=(Region(1, Box(100, 0, 200, 50)),)),
    ReadExample(
        id=5, text="the tree", images=(Image("c.jpg"), OTHER), boxes=(Region(1, Box(0.25, 0, 0.5, 0.5)),), space="share"
    ),
)


def reader_of(*examples: ReadExample) -> Reader:
    """A reader whose file has these examples, whatever lies there."""
    return Reader(
        name="fruit",
        title="Fruit",
        task="localise",
        license="none",
        citation="nobody, nowhere",
        sniff=lambda path: path.name == "fruit",
        records=lambda _: iter(range(len(examples))),
        read=lambda number: [replace(examples[number])],
    )


def world_of_boxes(*examples: ReadExample) -> ReaderWorld:
    """The reader as a world."""
    return ReaderWorld.of(reader_of(*(examples or EXAMPLES)))
