"""Scripted browsers take part in a whole study, served and as a static page, at a desk and on a phone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from deixis._study.analysis import analyse
from deixis._study.bundle import write_bundle
from deixis._study.items import FURTHER
from deixis._study.order import order_for
from deixis._study.simulation import SimulatedParticipant
from tests.studio.conftest import axe, browser, running, shots, watch


if TYPE_CHECKING:
    from collections.abc import Iterator


pytestmark = pytest.mark.browser
__all__ = ["axe", "browser", "shots"]
WIDTHS = {"desk": (1280, 900), "phone": (390, 800)}
GRAVE = ("serious", "critical")


@pytest.fixture
def served(study) -> Iterator[str]:
    """The address at which a study is served."""
    from deixis._studio.study import make_study_app

    with running(make_study_app(study)) as address:
        yield f"{address}/"


def take_part(page, study, one, *, at_item=lambda _page, _item: None) -> list[str]:
    """Go through the whole study as a simulated participant; return the items in their order."""
    golds, items, seen = study.golds(), {item.id: item for item in study.items}, []
    while True:
        page.wait_for_selector("#onwards, body[data-ready], body[data-over]")
        if page.locator("body[data-over]").count():
            return seen
        if not page.locator("body[data-ready]").count():
            button = page.query_selector("#onwards")
            button.click()
            page.wait_for_function("button => !button.isConnected", arg=button)
            continue
        item = items[page.locator("body").get_attribute("data-ready")]
        seen.append(item.id)
        at_item(page, item)
        answer = one.answer(item, golds[item.id])
        button = page.locator(f'[data-answer="{answer}"]').last
        if answer in FURTHER:
            button.click()
        else:  # a box may lie below what is in it: a person clicks an empty part of it
            button.focus()
            page.keyboard.press("Enter")
        page.click("#answer")
        page.wait_for_function("id => document.body.dataset.ready !== id", arg=item.id)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_served_study_from_consent_to_code(browser, served, study, shots, width):
    """A few people answer by their links; the analysis finds what each did, and the phone shows all of it."""
    tokens = sorted(study.tokens())[:2]
    people = [SimulatedParticipant(seed=0), SimulatedParticipant(seed=1, error={"": 1.0})]
    wide, high = WIDTHS[width]
    for token, one in zip(tokens, people, strict=True):
        context = browser.new_context(viewport={"width": wide, "height": high}, has_touch=width == "phone")
        page = context.new_page()
        faults = watch(page, served)

        def fits(page, item):
            assert page.evaluate("document.documentElement.scrollWidth") <= wide
            told = "Practice" in page.inner_text("#far")
            assert told == (item.kind == "practice")

        page.goto(f"{served}?token={token}")
        assert "Before you begin" in page.inner_text("#content")
        page.screenshot(path=shots / f"study-{width}-consent.png")
        take_part(page, study, one, at_item=fits)
        page.screenshot(path=shots / f"study-{width}-end.png")

        assert page.inner_text("#code") == "C0DE"
        assert faults == []
        context.close()

    found = analyse(study)
    assert (found.entered, found.complete, dict(found.excluded)) == (2, 2, {})
    assert found.overall.accuracy.mean == 0.5
    rows = [one.given.row for one in found.judged]
    assert all(row["window"] == [wide, high] and row["rt"] > 0 and row["first"] is not None for row in rows)
    assert all(row["choices"] for row in rows)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_static_page_from_consent_to_file(browser, study, tmp_path, shots, width):
    """Opened from a disk, without any server, it leaves a file of rows that the analysis reads."""
    write_bundle(study, tmp_path / "web")
    wide, high = WIDTHS[width]
    context = browser.new_context(viewport={"width": wide, "height": high}, accept_downloads=True)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "request",
        lambda asked: faults.append(asked.url) if not asked.url.startswith(("file:", "blob:", "data:")) else None,
    )
    page.goto(f"{(tmp_path / 'web' / 'index.html').as_uri()}?PROLIFIC_PID=5f0c0ffee")
    with page.expect_download() as coming:
        seen = take_part(page, study, SimulatedParticipant(seed=3))
    page.screenshot(path=shots / f"study-{width}-static-end.png")
    coming.value.save_as(tmp_path / "rows.json")
    context.close()

    rows = json.loads((tmp_path / "rows.json").read_text())
    found = analyse(study, [tmp_path / "rows.json"])
    others = [item.id for item in study.of_kind("main", "attention")]
    assert faults == []
    assert (found.overall.accuracy.mean, dict(found.excluded)) == (1.0, {})
    assert seen[1:] == order_for(others, seed=study.order_seed, participant=rows[0]["participant"])
    assert {"rt", "response", "stimulus", "trial_type", "trial_index", "time_elapsed"} <= rows[0].keys()
    assert "5f0c0ffee" not in json.dumps(rows)


def test_results_of_the_static_page_are_sent_where_it_is_told(browser, study, tmp_path):
    """With an address, all rows go there at once, and nothing is left to save."""
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    came = []

    async def take(request):
        came.append(await request.json())
        return PlainTextResponse("thanks")

    web = tmp_path / "web"
    web.mkdir()
    app = Starlette(
        routes=[Route("/results", take, methods=["POST"]), Mount("/", StaticFiles(directory=web, html=True))]
    )
    with running(app) as address:
        web.rmdir()
        write_bundle(study, web, post=f"{address}/results")
        page = browser.new_page()
        page.goto(f"{address}/index.html")
        take_part(page, study, SimulatedParticipant(seed=3))
        assert page.locator("#file").count() == 0
        page.close()

    assert [len(rows) for rows in came] == [len(study.items)]


@pytest.mark.parametrize("form", ["served", "static"])
def test_a_reload_goes_on_with_the_next_question(browser, served, study, tmp_path, form):
    """What was answered stays answered, in both forms, and is not asked again."""
    address = f"{served}?token={min(study.tokens())}"
    if form == "static":
        write_bundle(study, tmp_path / "web")
        address = (tmp_path / "web" / "index.html").as_uri()
    page = browser.new_page()
    page.goto(address)
    done: list[str] = []

    class Reloaded(Exception):
        pass

    def stop(page, item):
        done.append(item.id)
        if len(done) == 4:
            raise Reloaded

    with pytest.raises(Reloaded):
        take_part(page, study, SimulatedParticipant(seed=0), at_item=stop)
    page.reload()
    seen = take_part(page, study, SimulatedParticipant(seed=0))
    page.close()

    assert seen == [done[3], *seen[1:]]
    assert not set(done[:3]) & set(seen)
    assert len(seen) == len(study.items) - 3


def test_a_server_that_is_away_for_a_moment_loses_nothing(browser, served, study):
    """The page says so, keeps the answer, and sends it again."""
    page = browser.new_page()
    page.goto(f"{served}?token={min(study.tokens())}")
    times = []

    def away(route):
        times.append(1)
        if len(times) < 3:
            route.abort()
        else:
            route.continue_()

    page.route("**/answer", away)
    take_part(page, study, SimulatedParticipant(seed=0))
    page.close()

    assert len(times) == len(study.items) + 2
    assert analyse(study).complete == 1


def test_only_practice_is_followed_by_the_right_answer(browser, served, study, shots):
    """After a wrong answer in practice the right one is named; after others nothing is."""
    told: list[str] = []
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{served}?token={min(study.tokens())}")
    page.expose_function("tell", lambda text: told.append(text))  # noqa: PLW0108 (it must be a plain function)
    page.evaluate(
        "new MutationObserver(() => document.querySelectorAll('.said').forEach((one) => window.tell(one.textContent)))"
        ".observe(document.getElementById('foot'), {childList: true})"
    )
    take_part(page, study, SimulatedParticipant(seed=0, error={"": 1.0}))
    page.close()

    (practice,) = study.of_kind("practice")
    assert told == [f"That is not right. It is: {study.golds()[practice.id].right}"]


def test_an_unknown_link_is_told_plainly(browser, served):
    """One sentence, and nothing to press."""
    page = browser.new_page()
    page.goto(f"{served}?token=not-of-this-study")
    page.click("#onwards")
    page.get_by_text("This link is not one of this study").wait_for()

    assert page.locator("button:visible").count() == 0
    page.close()


def test_the_order_of_the_page_is_that_of_the_analysis(browser, study, tmp_path):
    """Python and JavaScript shuffle alike."""
    write_bundle(study, tmp_path / "web")
    page = browser.new_page()
    page.goto((tmp_path / "web" / "index.html").as_uri())
    page.wait_for_selector("#onwards")
    names = [f"i{number:03}" for number in range(50)]
    for seed, participant in (("", ""), ("0f", "ab" * 16), ("ffffffffffffffff", "Zoë, 世界")):
        theirs = page.evaluate(
            "([names, seed, one]) => window.deixisOrder(names, seed, one)", [names, seed, participant]
        )

        assert theirs == order_for(names, seed=seed, participant=participant)
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_grave(browser, served, study, axe, width):
    """Every screen of a study has names, roles and contrast in order."""
    wide, high = WIDTHS[width]
    context = browser.new_context(viewport={"width": wide, "height": high}, bypass_csp=True)
    page = context.new_page()
    page.goto(f"{served}?token={min(study.tokens())}")
    grave: dict[str, list[str]] = {}

    def look(page, item):
        page.evaluate(axe)
        for one in page.evaluate("axe.run()")["violations"]:
            if one["impact"] in GRAVE:
                grave.setdefault(one["id"], []).append(f"{item}: {one['nodes'][0]['html'][:200]}")

    page.wait_for_selector("#onwards")
    look(page, "consent")
    take_part(page, study, SimulatedParticipant(seed=0), at_item=lambda page, item: look(page, item.kind))
    look(page, "end")
    context.close()

    assert grave == {}
