"""The splits of the ReaSCAN paper (section 4.3) and two of gSCAN's, as rules with versioned ids.

gSCAN's other splits hold out a direction, a size, a verb or a manner, which no rule here can say.
"""

from __future__ import annotations

from difflib import get_close_matches

from deixis.errors import UnknownName
from deixis.splits.rules import Rule


__all__ = ["GSCAN", "REASCAN", "find_rule", "rules"]

REASCAN = (
    Rule(
        id="reascan/A1-v1",
        name="a1",
        about="novel colour modifier",
        phrase="yellow square",
        decisive="color",
    ),
    Rule(
        id="reascan/A2-v1",
        name="a2",
        about="novel colour attribute",
        phrase="red square",
        thing="red square",
        decisive="color",
    ),
    Rule(
        id="reascan/A3-v1",
        name="a3",
        about="novel size modifier",
        phrase="small cylinder",
        decisive="size",
    ),
    Rule(id="reascan/B1-v1", name="b1", about="novel co-occurrence of objects", new_phrases=True),
    Rule(id="reascan/B2-v1", name="b2", about="novel co-occurrence of relations", relations=("same size", "inside")),
    Rule(id="reascan/C1-v1", name="c1", about="novel conjunctive clause length", pattern="p4"),
    Rule(id="reascan/C2-v1", name="c2", about="novel relative clauses", pattern="chain"),
)

GSCAN = (
    Rule(
        id="gscan/yellow-squares-v1",
        name="yellow-squares",
        about="novel composition of references",
        phrase="yellow square",
    ),
    Rule(
        id="gscan/red-squares-v1",
        name="red-squares",
        about="novel composition of object properties",
        thing="red square",
    ),
)


def rules() -> dict[str, Rule]:
    """Every rule of the catalogue, by id."""
    return {rule.id: rule for rule in (*REASCAN, *GSCAN)}


def find_rule(name: str) -> Rule:
    """The rule of an id (`reascan/A1-v1`) or of a short name (`a1`)."""
    known = rules()
    by_name = {rule.name: rule for rule in known.values()}
    if name in known:
        return known[name]
    if name.lower() in by_name:
        return by_name[name.lower()]
    near = get_close_matches(name, [*known, *by_name], n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
    raise UnknownName(f"unknown split {name!r}; {hint}")
