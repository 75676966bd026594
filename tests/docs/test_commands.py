"""The command reference and the page on citing are made from the command line and from CITATION.cff."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location

import pytest
import yaml

from deixis._cli.app import command_line
from tests.docs.pages import DOCS, ROOT


@pytest.fixture(scope="module")
def hook():
    """The hook that fills in both."""
    spec = spec_from_file_location("command_tables", DOCS / "command_tables.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page(hook):
    """The command reference as Markdown."""
    return hook.on_page_markdown((DOCS / "reference" / "commands.md").read_text(encoding="utf-8"))


def test_every_verb_has_a_section_with_all_its_options(page):
    """No verb is forgotten, and none of its options."""
    for name in command_line():
        if name.startswith("-"):
            continue
        assert f"\n## deixis {name}\n" in page
        section = page.partition(f"\n## deixis {name}\n")[2].partition("\n## ")[0]
        verb = command_line()[name]
        if not any(not one.startswith("-") for one in verb):
            for argument in verb.assemble_argument_collection():
                assert f"`{argument.names[0]}`" in section, (name, argument.names)


def test_datasets_and_models_have_sections_of_their_own(page):
    """What is made and what is trained has its own options."""
    for name in ("make", "train", "new"):
        for inner in command_line()[name]:
            assert inner.startswith("-") or f"\n### deixis {name} {inner}\n" in page


def test_no_code_is_nested(hook):
    """Options inside of code stay as they are; others become code, and signs of Markdown are escaped."""
    assert hook._paragraphs("write `deixis studio --study S` with --out A_B") == (
        "write `deixis studio --study S` with `--out` A\\_B"
    )


def test_what_to_cite_is_in_the_citation_file(hook):
    """Every title and every author of CITATION.cff is on the page."""
    page = hook.on_page_markdown((DOCS / "cite.md").read_text(encoding="utf-8"))
    facts = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))

    for entry in (facts, *facts["references"]):
        assert entry["title"] in page
        assert all(one.get("family-names", one.get("name")) in page for one in entry["authors"])
    assert page.count("@") == 1 + len(facts["references"])
