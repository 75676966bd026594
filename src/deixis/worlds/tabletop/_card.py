"""Part `card`: what the card of a dataset of tables says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deixis.worlds.tabletop._making.splits import TESTS
from deixis.worlds.tabletop.world import WORLD
from deixis.worlds.toolkit.card import facts_of as plain_facts_of


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.data._card_facts import Facts, License


MODES = {
    "every-word": "No content word, relation or order of the expressions can be spared.",
    "plain": "Expressions are true of one object; words may be spared.",
}
COLUMNS = {
    "scenes": "the tables, as JSON: the camera (azimuth, elevation, distance, view) and the solids (size, color, "
    "material, shape, x, y, turn), in thousandths and degrees",
    "target_scene": "the number of the table with the solid that is meant; -1 where nothing fits",
    "target_object": "the number of that solid; -1 where nothing fits",
    "facts": "the form of the expression; of one that fits nothing, which word is false and what was said before: JSON",
}


def facts_of(folder: Path, manifest: dict[str, Any], license_: License | None) -> Facts:
    """Return the facts that all worlds tell, with the rules of the test sets and the columns of this one."""
    facts = plain_facts_of(WORLD, folder, manifest, license_)
    recipe = manifest.get("recipe")
    mode = MODES.get(str(recipe.get("mode")), "") if isinstance(recipe, dict) else ""
    (table,) = facts.tables
    rows = table.columns.splitlines()
    told = [_with_meaning(row) for row in rows]
    return replace(
        facts,
        summary=f"{facts.summary} The solids are like CLEVR's, and an expression picks out one of them. {mode}".strip(),
        splits=tuple((name, size, TESTS.get(name, what)) for name, size, what in facts.splits),
        tables=(replace(table, columns="\n".join(told)),),
        tags=tuple(dict.fromkeys(facts.tags)),
        notes="Left, right, in front of and behind are the viewer's. The rules of the test sets are proven by "
        "`deixis check` (E403): no example that models learn from shows what a test set holds out.",
    )


def _with_meaning(row: str) -> str:
    """Return the row of a column with what this world keeps there."""
    name = row.partition("`")[2].partition("`")[0]
    return f"{row.removesuffix(' |').rpartition('|')[0]}| {COLUMNS[name]} |" if name in COLUMNS else row
