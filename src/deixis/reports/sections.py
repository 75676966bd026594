"""The sections of a report that come from the manifest: what was made, and how to make it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.reports.charts import pattern_words
from deixis.reports.facts import recipe_toml
from deixis.reports.markup import details, element, number, percent, table, text


if TYPE_CHECKING:
    from deixis.datasets.statistics import Statistics
    from deixis.reports.facts import Facts, Made


__all__ = ["made_section", "reproduce_section"]

MODES = {
    "compatible": "This dataset repeats the released generator of ReaSCAN, its faults included, so that results can be "
    "compared with published ones.",
    "corrected": "This dataset mends the faults of the released generator of ReaSCAN: a world is accepted only if the "
    "command fits exactly one object and every clause is needed to find it.",
    "every-word": "In this dataset no content word can be spared: a world is accepted only if the command fits exactly "
    "one object, and overlooking any one size, colour or shape word, or any clause, lets another object through. What "
    "is to be pushed or pulled really moves, and no two worlds of a command are equal up to the order of rows and "
    "columns.",
    "gscan": "This dataset is made as gSCAN was: simple commands, and other objects chosen at random, whatever the "
    "words of the command need. It is there to be compared with.",
}
COMMAND = "deixis make reascan --recipe recipe.toml --out again"


def made_section(facts: Facts, statistics: Statistics) -> str:
    """Splits with what they hold out, pools with how often the making of a world succeeded."""
    intro = element("p", text(MODES[facts.mode])) if facts.mode in MODES else ""
    patterns = "; ".join(f"{pattern_words(name)}, {number(n)} examples" for name, n in statistics.patterns.items())
    said = element("p", f"Patterns: {text(patterns)}.")
    return intro + said + _splits(facts) + _pools(facts) + details("How the tries ended", _outcomes(facts))


def _splits(facts: Facts) -> str:
    rows = [
        [
            element("b", text(split.name)),
            number(split.examples),
            text(split.about),
            text(split.holds_out) or "–",
            element("code", text(split.id)) if split.id else "–",
        ]
        for split in facts.splits
    ]
    head = ["split", "examples", "what it is for", "kept out of training", "rule"]
    joint = sum(split.examples for split in facts.splits) - facts.examples
    note = f" An example of two held-out sets counts in both, as {number(joint)} do." if joint > 0 else ""
    return table(head, rows, caption="Splits", numeric=[1]) + (
        element("p", note.strip(), class_="note") if note else ""
    )


def _pools(facts: Facts) -> str:
    rows = [_pool(made) for made in facts.pools]
    head = [
        "pool",
        "pattern",
        "asked (commands × worlds)",
        "made",
        "tries",
        "accepted",
        "commands without worlds",
        "worlds missing",
    ]
    note = (
        "A pool is what was made in one go, before it was divided into splits; a command without a world was replaced."
    )
    return table(head, rows, caption="Pools", numeric=range(2, 8)) + element("p", note, class_="note")


def _pool(made: Made) -> list[str]:
    tries = sum(made.tries.values())
    return [
        element("b", text(made.name)),
        text(pattern_words(made.pattern)),
        made.asked,
        number(made.examples),
        number(tries),
        percent(made.acceptance),
        number(made.fruitless),
        number(made.missing),
    ]


def _outcomes(facts: Facts) -> str:
    names = list(dict.fromkeys(outcome for made in facts.pools for outcome in made.tries))
    rows = [[text(name), *(number(made.tries.get(name, 0)) for made in facts.pools)] for name in names]
    head = ["a try for a world ended with", *(text(made.name) for made in facts.pools)]
    return table(head, rows, caption="Outcomes of all tries", numeric=range(1, len(facts.pools) + 1))


def reproduce_section(facts: Facts) -> str:
    """The command, the recipe and the digests by which to know that the result is the same."""
    again = element(
        "p", "Save the recipe below as <code>recipe.toml</code> and run, on any machine and with any number of workers,"
    )
    digests = (
        ("Content (what is in which split)", facts.content),
        ("Manifest (SHA-256)", facts.manifest_digest),
        ("Recipe", facts.recipe_digest),
        ("Made by", facts.made_by),
    )
    terms = "".join(element("dt", name) + element("dd", element("code", text(value))) for name, value in digests)
    check = element("p", "The content digest of the result must be the one below.")
    recipe = details(
        "recipe.toml", element("pre", element("code", text(recipe_toml(facts.recipe)), id="recipe"), tabindex="0")
    )
    return again + element("pre", element("code", COMMAND)) + check + element("dl", terms, class_="digests") + recipe
