"""Pages of examples have the same sections in the same order in every world, and show the answers of models."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from deixis.judge.request import Request
from deixis.worlds.registry import find_world


pytest.importorskip("starlette", reason="needs deixis[studio]")

from starlette.testclient import TestClient

from deixis._studio.server import make_app


pytestmark = pytest.mark.slow

SECTIONS = ("models", "choices", "trace", "tree", "words", "misreadings", "objects", "facts", "checks")
FACTS = (
    *("Dataset", "File", "Split", "Number", "Id", "Made by", "Mode", "Seed", "Recipe digest", "Content digest"),
    *("Licence", "In the terminal"),
)
BASELINES = ("oracle", "random")


@pytest.fixture(scope="module")
def shown(made):
    """A studio over a world, and the pages of a few examples that two baselines answered, by address."""
    judging = find_world(made.world).part("judging")
    for name in BASELINES:
        judging.evaluate(Request(answers=(Path(name),), data=made.path, out=made.path.parent / name, seed=1))
    roots = [made.path, *(made.path.parent / name for name in BASELINES)]
    client = TestClient(make_app(roots), base_url="http://127.0.0.1")
    listed = client.get("/results/examples?run=random&show=all").text
    links = dict.fromkeys(unescape(link) for link in re.findall(r'<a[^>]* href="(/d/data/[^"#]+)"', listed))
    assert links
    return {link: client.get(link).text for link in list(links)[:6]}


def sections_in(page: str) -> list[str]:
    """The sections of the skeleton that a page has, in their order."""
    return [name for name in re.findall(r'<h2 id="h-(\w+)"', page) if name in SECTIONS]


def answers_in(page: str) -> dict[str, dict]:
    """What the script draws of every model's answer, by the letter of the model."""
    rows = re.findall(r"data-model='([^']*)' data-letter=\"(\w+)\"", page)
    return {letter: json.loads(unescape(drawn)) for drawn, letter in rows}


def test_sections_stand_in_one_order(shown):
    """Whatever a world has to tell of an example stands where all worlds have it, and the origin is always told."""
    for address, page in shown.items():
        found = sections_in(page)
        assert found == [name for name in SECTIONS if name in found], address
        assert {"models", "facts"} <= set(found), address
        assert page.count("<h1") == 1
        assert page.index('class="crumbs"') < page.index("<h1") < page.index('id="h-models"') < page.index('"stage"')


def test_every_world_tells_which_words_are_needed(shown):
    """On some page at least the words of the expression are marked as needed or not, and the section has its place."""
    told = [page for page in shown.values() if "words" in sections_in(page)]

    assert told
    assert any(re.search(r'class="mark (needed|spare)">(not )?needed<', page) for page in told)


def test_the_origin_is_told_in_the_same_words(shown):
    """Facts that all worlds have stand in one order, the digest of the content and the licence among them."""
    for address, page in shown.items():
        facts = page[page.index('id="h-facts"') :]
        found = [name for name in re.findall("<dt>([^<]*)</dt>", facts) if name in FACTS]
        assert found == [name for name in FACTS if name in found], address
        assert {"Dataset", "Made by", "Content digest", "Licence", "In the terminal"} <= set(found), address


def test_every_model_that_answered_is_shown_with_right_or_wrong(shown):
    """Each has a sign that is said in words too, a sentence, and a letter of its own."""
    for address, page in shown.items():
        shown_models = page[page.index('id="h-models"') : page.index('"stage"')]
        assert set(re.findall(r'href="/results\?run=(\w+)"', shown_models)) == set(BASELINES), address
        assert len(answers_in(page)) == len(BASELINES)
        assert re.search('role="img" aria-label="(right|partly right|wrong)"', shown_models)
        assert all(
            said.strip() for said in re.findall(r"</span> (?:<span[^>]*>[^<]*</span> )?([^<]*)</p>", shown_models)
        )


def test_what_is_drawn_is_in_the_page(shown):
    """Every object that a model pointed at is an element of the drawing that it is drawn in."""
    count = 0
    for address, page in shown.items():
        for drawn in answers_in(page).values():
            for spot in drawn["spots"]:
                start = page.index(f'id="{spot["in"]}"') if spot["in"] else page.index("data-marks")
                assert f'data-object="{spot["object"]}"' in page[start:], address
                count += 1
    captions = all('class="quote"' in page for page in shown.values())
    assert count or captions
