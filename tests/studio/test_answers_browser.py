"""Answers of models in a browser: drawn where they point, in a style of their own, until they are switched off."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deixis._studio.export import export_studio
from deixis._studio.server import make_app
from deixis.judge.request import Request
from deixis.worlds.registry import find_world
from tests.beads import installed_beads
from tests.readers.samples import write_sample
from tests.studio.conftest import running, watch
from tests.studio.drawn import examples, plan_to, write_answers, write_dataset


if TYPE_CHECKING:
    from collections.abc import Iterator


pytestmark = pytest.mark.browser
FRAME = ".answer-mark[data-of-model='{}'] rect.line"
BOARD = "/d/drawn/1"  # 'walk to the red circle'; the object 0 is the target, 1 the blue circle

ENDS = """() => ["A", "B"].map((letter) => {
  const path = document.querySelector(`.answer-mark[data-of-model=${letter}] path.line`);
  return [0, path.getTotalLength()].map((at) => {
    const place = path.getPointAtLength(at).matrixTransform(path.getScreenCTM());
    const under = document.elementsFromPoint(place.x, place.y).map((one) => one.closest("[data-object],.agent"));
    return under.filter(Boolean).map((one) => one.dataset.object ?? "agent");
  });
})"""  # what lies under the two ends of each way


@pytest.fixture(scope="module")
def boards(tmp_path_factory) -> Path:
    """Drawn worlds, a model that is right, and one that ignores the colour."""
    root = tmp_path_factory.mktemp("boards")
    asked = examples()["test"]
    write_dataset(root / "drawn")
    write_answers(root / "careful", asked, [example.plan for example in asked])
    write_answers(root / "heedless", asked, [plan_to(asked[0], 1), *(example.plan for example in asked[1:])])
    return root


@contextmanager
def visited(browser, roots, address, **options) -> Iterator:
    """A page of a studio; the test fails when a script does."""
    with running(make_app(roots)) as url:
        context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=url, **options)
        context.set_default_timeout(60_000)
        page = context.new_page()
        faults = watch(page, url)
        page.goto(address)
        yield page
        context.close()
        assert faults == []


def holds(page, frame: str, thing: str) -> bool:
    """Return whether a frame goes around something, and is not much larger."""
    outer, inner = page.locator(frame).bounding_box(), page.locator(thing).first.bounding_box()
    around = outer["x"] <= inner["x"] + 1 and outer["x"] + outer["width"] >= inner["x"] + inner["width"] - 1
    above = outer["y"] <= inner["y"] + 1 and outer["y"] + outer["height"] >= inner["y"] + inner["height"] - 1
    return around and above and outer["width"] < inner["width"] + 60


def test_answers_are_drawn_around_the_objects_that_were_chosen(browser, boards, shots):
    """Each model has its own letter and its own line, and the sentence names the misreading."""
    with visited(browser, [boards], BOARD) as page:
        assert holds(page, FRAME.format("A"), '#scene g.object[data-object="0"]')
        assert holds(page, FRAME.format("B"), '#scene g.object[data-object="1"]')
        dashes = [
            page.locator(FRAME.format(letter)).evaluate("one => getComputedStyle(one).strokeDasharray")
            for letter in "AB"
        ]
        assert dashes[0] != dashes[1]
        assert "if you ignored ‘red’" in page.locator(".model", has_text="heedless").inner_text()
        page.screenshot(path=shots / "answers-board.png", full_page=True)


def test_a_way_leads_from_the_agent_to_what_the_model_made_for(browser, boards):
    """It begins in the agent's cell and ends within the object."""
    with visited(browser, [boards], BOARD) as page:
        points = page.evaluate(ENDS)
        assert all("agent" in begin for begin, _ in points)
        assert "0" in points[0][1]
        assert "1" in points[1][1]


def test_a_model_is_switched_off_by_keyboard(browser, boards):
    """Its marks go, those of the others stay, and a second press brings them back."""
    with visited(browser, [boards], BOARD) as page:
        switch = page.get_by_role("checkbox", name="Draw the answer of heedless")
        switch.focus()
        page.keyboard.press("Space")
        assert page.locator("[data-of-model=B]").count() == 0
        assert page.locator("[data-of-model=A]").count() > 0
        page.keyboard.press("Space")
        assert page.locator(FRAME.format("B")).count() == 1


def test_marks_follow_the_drawing_to_another_width(browser, boards):
    """On a phone the frames still go around the same objects, and nothing sticks out."""
    with visited(browser, [boards], BOARD) as page:
        page.set_viewport_size({"width": 390, "height": 800})
        page.wait_for_function(
            "() => document.querySelector('.answer-mark rect.line').getBoundingClientRect().right < 390"
        )
        assert holds(page, FRAME.format("B"), '#scene g.object[data-object="1"]')
        assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_copy_without_a_server_draws_answers_too(browser, boards, tmp_path):
    """The page of an export, opened from its file, has the same marks and switches."""
    with ThreadPoolExecutor(1) as pool:  # Playwright has an event loop in this thread
        pool.submit(export_studio, [boards], tmp_path / "pages", examples=3).result()
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto((tmp_path / "pages" / "d" / "drawn" / "1.html").as_uri())

    page.locator(FRAME.format("B")).wait_for()
    assert holds(page, FRAME.format("B"), '#scene g.object[data-object="1"]')
    page.get_by_role("checkbox", name="Draw the answer of heedless").uncheck()
    assert page.locator("[data-of-model=B]").count() == 0
    context.close()


@pytest.mark.slow
def test_a_world_of_the_toolkit_has_its_answers_drawn(browser, tmp_path, shots):
    """Random answers lie around the beads that they chose, and a click on a bead says why it is there."""
    with installed_beads():
        world = find_world("beads")
        recipes = world.part("recipes")
        recipes.make(replace(recipes.demo(), examples=60), tmp_path / "strings", workers=1)
        asked = Request(answers=(Path("random"),), data=tmp_path / "strings", out=tmp_path / "random", seed=2)
        world.part("judging").evaluate(asked)
        number = world.part("examples").open(tmp_path / "strings").numbers("test")[0]
        with visited(browser, [tmp_path], f"/d/strings/{number}") as page:
            key = page.locator(".model").get_attribute("data-lights")
            assert holds(page, FRAME.format("A"), f'#scene [data-object="{key}"]')
            page.locator('#scene [data-object="0"]').click()
            assert "(0)" in page.locator("#told").inner_text()
            page.screenshot(path=shots / "answers-beads.png", full_page=True)


def test_boxes_are_drawn_as_they_were_given(browser, tmp_path):
    """A box of 64 pixels of an image 640 wide covers a tenth of it, wherever the objects are."""
    world, (data, _) = find_world("refcoco"), write_sample("refcoco", tmp_path)
    examples = world.part("examples").open(data)
    number = examples.numbers("val")[0]
    told = {"id": examples[number].id, "box": [320, 120, 384, 240], "space": "pixels"}
    (tmp_path / "answers.jsonl").write_text(json.dumps(told) + "\n", encoding="utf-8")
    asked = Request(answers=(tmp_path / "answers.jsonl",), data=data, out=tmp_path / "boxes")
    world.part("judging").evaluate(asked)

    with visited(browser, [data, tmp_path / "boxes"], f"/d/{data.name}/{number}") as page:
        frame, image = (
            page.locator(one).bounding_box() for one in (FRAME.format("A"), "[data-image='0'] > rect >> nth=0")
        )
        middle = (frame["x"] + frame["width"] / 2 - image["x"]) / image["width"]
        assert middle == pytest.approx(352 / 640, abs=0.01)
        assert frame["width"] == pytest.approx(image["width"] / 10 + 10, abs=4)
        assert "overlap 0.00" in page.locator(".model").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_grave_where_answers_are_drawn(browser, boards, axe, scheme):
    """Names, roles and contrast of the list of answers are in order, in both themes."""
    with visited(browser, [boards], BOARD, bypass_csp=True, color_scheme=scheme) as page:
        page.locator(FRAME.format("B")).wait_for()
        page.evaluate(axe)
        found = page.evaluate("axe.run()")["violations"]
        grave = {one["id"]: one["nodes"][0]["html"][:160] for one in found if one["impact"] in ("serious", "critical")}
        assert grave == {}


def test_things_of_other_peoples_files_are_clicked_in_the_picture(browser, tmp_path, shots):
    """A click on a box chooses it, also where its name lies on it, and before the answer no box is marked as right."""
    data, _ = write_sample("refcoco", tmp_path)
    with visited(browser, [data], f"/play?data={data.name}") as page:
        page.get_by_role("button", name="Start").click()
        things = page.locator("#scene [data-object]")
        things.nth(1).wait_for()
        assert page.locator("#scene .is-meant").count() == 0
        things.nth(1).click()
        chosen = things.nth(1).get_attribute("data-object")
        assert page.locator("input[name=object]:checked").input_value() == chosen
        page.get_by_role("button", name="This one").click()
        page.locator("#scene .is-meant").wait_for()
        page.screenshot(path=shots / "play-boxes.png")
