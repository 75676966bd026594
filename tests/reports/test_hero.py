"""What a report of every-word data adds: an example in motion, the claim with its proof, the audit, a puzzle."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from deixis.data.store import MANIFEST, open_dataset
from deixis.worlds.grid._audit.run import audit_tables
from deixis.worlds.grid._report.comparison import Comparison
from deixis.worlds.grid._report.explain import ignored_parts
from deixis.worlds.grid._report.hero import choose_hero, choose_moving
from deixis.worlds.grid._report.page import write_report
from deixis.worlds.grid._report.proof import judge_plainly
from deixis.worlds.grid._report.sample import SampledExample
from deixis.worlds.grid.checks import check_dataset
from deixis.worlds.grid.induce import TaskRecipe, make_task
from tests.reports.conftest import write_dataset
from tests.reports.test_page import read_page


@pytest.fixture(scope="module")
def every_word(tmp_path_factory, examples):
    """A dataset that says it is of the mode every-word, only in part rightly."""
    folder = write_dataset(tmp_path_factory.mktemp("hero") / "dataset", examples)
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    manifest["recipe"]["mode"] = "every-word"
    words = {"tried": 5, "too few worlds": 1, "no world": 2}
    manifest["pools"]["p1"] |= {"by content words": {"3": words}}
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def page(every_word, tmp_path_factory):
    found = open_dataset(every_word)
    audit = audit_tables(found.tables())
    return write_report(
        every_word,
        tmp_path_factory.mktemp("page") / "report.html",
        report=check_dataset(found),
        comparison=Comparison(whole=audit, two_clauses={"every-word": audit}, simple={"gSCAN-style": audit}),
        puzzle=make_task(TaskRecipe(tasks=1), 0),
    )


def test_the_page_is_well_formed(page):
    """Pictures in motion, audits and puzzles leave every element closed, every id unique and every link inside."""
    reader = read_page(page)

    assert not reader.faults
    assert not reader.open
    assert not reader.sources
    assert len(reader.ids) == len(set(reader.ids))
    assert {link[1:] for link in reader.links} <= set(reader.ids)


def test_a_word_that_can_be_spared_is_not_hidden(page, examples):
    """The claim is made only where the check and the plain definition bear it out."""
    said = " ".join(read_page(page).words)
    counted = judge_plainly(examples)

    assert counted.examples == len(examples)
    assert 0 < counted.needed < counted.words
    assert "100 % of the content words are needed." not in said
    assert "have a word that can be spared" in said


def test_commands_without_a_world_are_told_by_length(page):
    """The table says for how many commands nothing was found, and how long they are."""
    assert "3 words: 2 of 5" in " ".join(read_page(page).words)


def test_the_audit_stands_beside_published_figures(page):
    """The section names the released test set, its size and its figures."""
    said = " ".join(read_page(page).words)

    assert "2,712" in said
    assert "27.8 %" in said
    assert "62.7" not in said  # nothing of ours to compare gSCAN's figure with


def test_the_hero_is_the_example_whose_words_matter_most(examples):
    """All else equal, more words that are needed win; what cannot be understood is passed over."""
    sampled = [SampledExample(one.split, "p", one) for one in (replace(examples[0], text="abracadabra"), *examples)]
    hero = choose_hero(sampled)

    shares = {one.text: _share_needed(one) for one in examples}
    assert hero is not None
    assert shares[hero.text] == max(shares.values())
    assert choose_hero(sampled[:1]) is None


def test_a_plan_to_watch_has_a_manner_and_something_that_moves(examples):
    """Walking and plain plans are left to the gallery, and the hero is not shown twice."""
    sampled = [SampledExample(one.split, "p", one) for one in examples]
    found = choose_moving(sampled, None)

    assert found is None or (found.manner and found.verb != "walk")
    assert choose_moving(sampled, found) != found or found is None


def _share_needed(example):
    found = [one.is_punished for one in ignored_parts(example) if not one.is_implied]
    return sum(found) / len(found)
