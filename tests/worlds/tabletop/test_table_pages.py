"""Tables in the studio and in prompts: solids to click, pictures that tell nothing, and no game without target."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from deixis._studio.server import make_app
from deixis.scene.scene import Where
from deixis.worlds.tabletop._examples import EXAMPLES
from deixis.worlds.tabletop._pages import PAGES
from deixis.worlds.tabletop._pictures import PICTURES
from deixis.worlds.tabletop._questions import QUESTIONS


if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def client(tables: Path) -> TestClient:
    """A studio over the small dataset."""
    return TestClient(make_app([tables]), base_url="http://127.0.0.1")


def test_an_example_is_a_picture_with_a_shape_for_each_solid(client: TestClient, tables: Path) -> None:
    """The page holds the picture, and elements that steps and misreadings light up; the target is marked."""
    data = EXAMPLES.open(tables)
    number = data.numbers_with_target()[0]
    page = client.get(f"/d/data/{number}").text
    drawn = page[page.index('<svg class="objects-drawn"') :]
    drawn = drawn[: drawn.index("</svg>")]
    context = data[number].context
    assert "data:image/png;base64," in drawn
    assert len(re.findall(r'<g data-object="\d+" class="on-picture', drawn)) == len(context.scenes[0])
    assert f'data-object="{context.target.object}" class="on-picture is-meant"' in drawn


def test_what_fits_nothing_is_shown_and_asked_but_not_played(client: TestClient, tables: Path) -> None:
    """An expression that fits nothing has a page and is in prompts, but in no game."""
    data = EXAMPLES.open(tables)
    absent = next(number for number in data.numbers() if data[number].target is None)
    assert client.get(f"/d/data/{absent}").status_code == 200
    assert absent not in PAGES.numbers_to_play(data, None)
    assert len(PAGES.numbers_to_play(data, None)) > 20
    asked = [example for split in data.splits for example in QUESTIONS.draw_examples(data, split, 1_000, seed=0)]
    assert {example.id for example in asked} == {data[n].id for n in data.numbers()}


def test_the_game_shows_the_picture_without_the_target(client: TestClient, tables: Path) -> None:
    """Before the answer no solid is marked."""
    data = EXAMPLES.open(tables)
    context = data[data.numbers_with_target()[0]].context
    asked = PICTURES.objects(context, {})
    assert "is-meant" not in asked
    assert PICTURES.objects(context, {Where(0, 1): "yours"}).count("is-yours") == 1


def test_solids_of_several_tables_are_named_with_their_table(tables: Path) -> None:
    """The second table's solids begin with 1."""
    data = EXAMPLES.open(tables)
    scenes = [data[number].scenes[0] for number in data.numbers_with_target()[:2]]
    drawn = PICTURES.objects(SimpleNamespace(scenes=scenes), {})  # type: ignore[arg-type]
    assert 'data-object="0.0"' in drawn
    assert 'data-object="1.0"' in drawn
    assert drawn.count("<svg") == 2
