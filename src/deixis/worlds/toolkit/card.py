"""The card of any dataset, from its manifest and the columns of its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.data._card_facts import PLAIN, TAGS, Citation, Facts, TableFacts, by_split, ours, slug, table_schema


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from deixis.data._card_facts import License
    from deixis.worlds.world import World


__all__ = ["facts_of", "ready_part"]


MEANINGS = {
    "id": "what the dataset calls it",
    "split": "where it belongs",
    "text": "what is said",
    "expression": "what it means: JSON, see `deixis.expression.plain`",
    "scenes": "what is shown: JSON, see `deixis.scene.plain`",
    "target_scene": "the number of the scene that holds the object that is meant",
    "target_object": "the number of that object",
    "facts": "whatever else the world keeps of it: JSON",
}


def ready_part(world: World) -> Callable[[Path, dict[str, Any], License | None], Facts]:
    """Return the default card function for a world that defines none."""
    return lambda folder, manifest, license_: facts_of(world, folder, manifest, license_)


def facts_of(world: World, folder: Path, manifest: dict[str, Any], license_: License | None) -> Facts:
    """Return the facts in the manifest and columns of a dataset."""
    recipe = manifest.get("recipe")
    recipe = recipe if isinstance(recipe, dict) else {}
    name = str(manifest.get("dataset", world.name))
    sizes = {split: size for split, size in manifest["splits"].items() if size}
    examples = int(manifest.get("examples", sum(sizes.values())))
    made_by = str(manifest.get("made by", f"deixis with {world.package}"))
    return Facts(
        name=slug(f"{name}-{recipe['seed']}" if "seed" in recipe else name),
        title=f"{name}: {world.title}",
        summary=f"{examples:,} examples of the world {world.name}: {world.title}. Made by {made_by}.",
        tables=(_table(folder, manifest),),
        splits=tuple((split, size, PLAIN.get(split, "held out of training")) for split, size in sizes.items()),
        notes="",
        license=license_ or ours(),
        citations=(_citation(name, world),),
        tasks=("other",),
        tags=(*TAGS, slug(name), slug(world.name)),
        examples=examples,
        again=_again(name, recipe),
        made={
            "made by": made_by,
            "world": f"`{world.name}` of the package `{world.package}`",
            **({"seed": str(recipe["seed"])} if "seed" in recipe else {}),
            **{key: f"`{manifest[key]}`" for key in ("recipe digest", "content") if isinstance(manifest.get(key), str)},
            "check it": "`deixis check PATH` reads and resolves every example anew",
        },
        answers={
            "A.1": f"To test models on a task of reference: {world.task}.",
            "B.1": "Scenes of objects, and an expression that picks out one of them.",
            "B.2": "A sample, drawn from the seed of its recipe.",
            "B.3": "The columns above: the text, what it means, and the scenes symbolically.",
            "B.4": "Yes: the object that is meant.",
            "B.7": f"Yes, {', '.join(sizes)}.",
            "B.8": "Every example can be resolved anew; `deixis check` counts what it finds.",
            "E.3": "Reference resolution, probing for shortcuts (`deixis audit`), evaluating language models.",
        },
    )


def _table(folder: Path, manifest: Mapping[str, Any]) -> TableFacts:
    files = [entry for entry in manifest["files"] if str(entry["path"]).endswith(".parquet")]
    schema = table_schema(folder, files)
    rows = [f"| `{field.name}` | {field.type} | {MEANINGS.get(field.name, '')} |" for field in schema]
    return TableFacts(
        name="default",
        about="A row is an example.",
        files=by_split(files),
        schema=schema,
        columns="\n".join(("| column | type | meaning |", "|---|---|---|", *rows)),
    )


def _again(name: str, recipe: Mapping[str, Any]) -> str:
    plain = {key: value for key, value in recipe.items() if isinstance(value, str | int | float)}
    words = [f"--{key.replace('_', '-')} {value}" for key, value in plain.items() if not isinstance(value, bool)]
    words += [f"--{key.replace('_', '-')}" for key, value in plain.items() if value is True]
    command = " ".join(("deixis make", name, "--out again", *words))
    return f"The same versions give the same bytes:\n\n```sh\n{command}\n```"


def _citation(name: str, world: World) -> Citation:
    key = slug(name).replace("-", "")
    note = f"Made with Deixis, package {world.package}"
    entry = f"@misc{{{key},\n  title = {{{name}: {world.title}}},\n  note  = {{{note}}}\n}}"
    return Citation(line=f"{name}, made with Deixis", bibtex=entry)
