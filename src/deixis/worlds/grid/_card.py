"""Part `card` of grids: the facts on the card of a dataset, made here or by others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.data._card_facts import (
    PLAIN,
    TAGS,
    Citation,
    Facts,
    TableFacts,
    by_split,
    of_its_source,
    ours,
    slug,
    table_schema,
)
from deixis.worlds.grid.data.table import SCHEMA
from deixis.worlds.grid.data.table import __doc__ as grid_doc
from deixis.worlds.grid.scene import COLORS, SHAPES


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.data._card_facts import License


REASCAN = Citation(
    line="Wu et al. 2021",
    bibtex="""@inproceedings{wu2021reascan,
  title     = {{ReaSCAN}: Compositional Reasoning in Language Grounding},
  author    = {Wu, Zhengxuan and Kreiss, Elisa and Ong, Desmond C. and Potts, Christopher},
  booktitle = {NeurIPS Datasets and Benchmarks Track},
  year      = {2021}
}""",
)
GSCAN = Citation(
    line="Ruis et al. 2020",
    bibtex="""@inproceedings{ruis2020gscan,
  title     = {A Benchmark for Systematic Generalization in Grounded Language Understanding},
  author    = {Ruis, Laura and Andreas, Jacob and Baroni, Marco and Bouchacourt, Diane and Lake, Brenden M.},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2020}
}""",
)


def facts_of(folder: Path, manifest: dict[str, Any], license_: License | None) -> Facts:
    """Return the facts for the card of a dataset."""
    tell = _facts_of_imported if manifest.get("kind") == "imported" else _facts_of_made
    return tell(folder, manifest, license_)


def _facts_of_made(folder: Path, manifest: dict[str, Any], license_: License | None) -> Facts:
    """What the card of commands that were made here says."""
    recipe = manifest["recipe"]
    rules = {rule["name"]: rule for rule in recipe["hold_out"]}
    is_gscan = recipe["name"].startswith("gscan")
    held = ", ".join(f"{name} ({rule['about']})" for name, rule in rules.items())
    proof = manifest.get("leakage proof", {}).get("shown", [])
    return Facts(
        name=slug(f"{recipe['name']}-{recipe['mode']}-{recipe['seed']}"),
        title=f"{recipe['name']}, {recipe['mode']} mode, seed {recipe['seed']}",
        summary=f"{manifest['examples']:,} commands in grid worlds, each with the object that it means, what distracts "
        f"from it and the plan that carries it out. Made by {manifest['made by']}.",
        tables=(_commands(folder, manifest),),
        splits=tuple((name, size, _about(name, rules)) for name, size in manifest["splits"].items() if size),
        notes="An example of two held-out sets lies in a file named after both, e.g. `a1+a2`. Rows are sorted by "
        "command; shuffle them for training.",
        license=license_ or ours(),
        citations=(GSCAN,) if is_gscan else (REASCAN, GSCAN),
        tasks=("robotics", "text-generation"),
        tags=(*TAGS, "gscan" if is_gscan else "reascan", "grid-world", "navigation"),
        examples=manifest["examples"],
        again=_remake(),
        made={
            "made by": manifest["made by"],
            "recipe": f"`{recipe['name']}`, mode `{recipe['mode']}`, seed {recipe['seed']}",
            "recipe digest": f"`{manifest['recipe digest']}`",
            "content digest": f"`{manifest['content']}`",
            "pools": ", ".join(_pool(pool) for pool in (*recipe["pools"], *recipe["tests"])),
            "shown of the splits": "; ".join(map(str, proof)) or "nothing",
            "check it": "`deixis check PATH` reads, resolves, plans and carries out every row anew",
        },
        answers=_grid_answers(manifest, held)
        | {
            "B.2": "A sample, drawn from the seed: "
            + ", ".join(f"{pool['commands']:,} commands of the pattern {pool['pattern']}" for pool in recipe["pools"])
            + ".",
        },
    )


def _pool(pool: Mapping[str, Any]) -> str:
    return f"{pool['name']} ({pool['commands']:,} commands × {pool['worlds']} worlds)"


def _remake() -> str:
    return """The same version of Deixis gives the same bytes:

```python
import json
from pathlib import Path

from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import recipe_from

manifest = json.loads(Path("PATH/manifest.json").read_text())
make(recipe_from(manifest["recipe"]), Path("again"))
```"""


def _facts_of_imported(folder: Path, manifest: dict[str, Any], license_: License | None) -> Facts:
    """What the card of commands that others made says."""
    origin = manifest["imported from"]
    is_gscan = origin["kind"] == "gscan"
    source = of_its_source(f"The terms of the data that it was converted from ({origin['name']}) apply.")
    return Facts(
        name=slug(origin["name"]),
        title=str(origin["name"]),
        summary=f"{manifest['examples']:,} commands in grid worlds, converted by {manifest['made by']} from the format "
        f"`{origin['kind']}`.",
        tables=(_commands(folder, manifest),),
        splits=tuple((name, size, PLAIN.get(name, "")) for name, size in manifest["splits"].items() if size),
        notes="Splits are those of the source.",
        license=license_ or source,
        citations=(GSCAN,) if is_gscan else (REASCAN, GSCAN),
        tasks=("robotics", "text-generation"),
        tags=(*TAGS, "gscan" if is_gscan else "reascan", "grid-world", "navigation"),
        examples=manifest["examples"],
        again="Convert the source again: `deixis convert SOURCE --out PATH`.",
        made={
            "converted by": manifest["made by"],
            "from": f"{origin['name']} (`{origin['kind']}`)",
            "check it": "`deixis check PATH` reads, resolves, plans and carries out every row anew",
        },
        answers=_grid_answers(manifest, "")
        | {
            "A.2": "The authors of the source; it was only converted here.",
            "B.2": "As in the source.",
            "C": "It was converted from the source, which is synthetic. No people took part.",
        },
    )


def _grid_answers(manifest: dict[str, Any], held: str) -> dict[str, str]:
    return {
        "A.1": "To test whether models understand instructions by composing the meaning of their parts: which object "
        "is meant depends on the words, their order and the relations between objects.",
        "B.1": "A command in English and a grid world with objects and an agent.",
        "B.3": "The columns above describe the world symbolically, the command as text and the plan as letters.",
        "B.4": "Yes: the object that is meant (`target`) and the plan that carries the command out (`plan`).",
        "B.7": "Yes, " + ", ".join(manifest["splits"]) + "." + (f" Held out of training: {held}." if held else ""),
        "B.8": "Every example was resolved when it was made; `deixis check` counts redundant words and other findings.",
        "E.3": "Reference resolution, planning, probing for shortcuts (`deixis audit`), evaluating language models.",
    }


def _commands(folder: Path, manifest: dict[str, Any]) -> TableFacts:
    files = manifest["files"]
    schema = table_schema(folder, files)
    labels = {"shape": SHAPES, "color": COLORS} if schema == SCHEMA else {}
    return TableFacts(
        name="default",
        about="A row is a command in a world.",
        files=by_split(files),
        schema=schema,
        columns=(grid_doc or "").partition("\n\n")[2].strip(),
        labels=labels,
    )


def _about(name: str, rules: Mapping[str, Mapping[str, Any]]) -> str:
    return f"{rules[name]['about']} ({rules[name]['id']})" if name in rules else PLAIN.get(name, "")
