"""The grid: an agent among solids and boxes, told where to go and what to do there (gSCAN, ReaSCAN)."""

from __future__ import annotations

from deixis.worlds.grid.judging import EVALUATE
from deixis.worlds.world import Option, World


__all__ = ["WORLD"]

WORLD = World(
    name="grid",
    title="Instructions in grid worlds",
    task="navigate",
    parts={
        "recipes": "deixis.worlds.grid._recipes",
        "commands": "deixis.worlds.grid.induce._command:COMMANDS",
        "formats": "deixis.worlds.grid.data._conversion",
        "environment": "deixis.worlds.grid.environment:register",
        "language": "deixis.worlds.grid.language:LANGUAGE",
        "pictures": "deixis.worlds.grid._pictures.examples",
        "judging": "deixis.worlds.grid.judging._evaluate",
        "paper": "deixis.worlds.grid._paper.report",
        "models": "deixis.worlds.grid.training._models:MODELS",
        "examples": "deixis.worlds.grid._examples",
        "checks": "deixis.worlds.grid.checks",
        "audit": "deixis.worlds.grid._audit.run",
        "card": "deixis.worlds.grid._card:facts_of",
        "statistics": "deixis.worlds.grid._paper.statistics",
        "items": "deixis.worlds.grid._items",
        "questions": "deixis.worlds.grid._questions.asking:QUESTIONS",
        "pages": "deixis.worlds.grid._pages:PAGES",
    },
    datasets={
        "reascan": "ReaSCAN: commands with relative clauses",
        "gscan": "gSCAN: simple commands, long plans or spatial relations",
    },
    commands={"induce": "Make, solve or check abstract-reasoning tasks."},
    options={
        "convert": (
            Option(
                name="allow_losses",
                help="Write a release even where it cannot say the roles of objects of over one example in a hundred.",
                kind=bool,
            ),
        ),
        "stats": (
            Option(name="paper", help="Show the published numbers, too.", kind=bool),
            Option(
                name="allow_losses",
                help="Count the rest where more than one in a hundred commands cannot be read.",
                kind=bool,
            ),
        ),
        "evaluate": EVALUATE,
        "audit": (
            Option(name="published", help="Also show what is published of ReaSCAN and gSCAN on the page.", kind=bool),
        ),
        "show": (
            Option(name="animate", help="Let the agent carry out the plan in an .svg; a .gif always does.", kind=bool),
            Option(
                name="style",
                help="The look of the file: ours, or that of the pictures published with ReaSCAN.",
                choices=("deixis", "release"),
            ),
        ),
        "check": (
            Option(name="hold_out", help="Further split rules, e.g. a1,b2, that train, dev and test must keep."),
        ),
    },
    help={
        "check": "released ReaSCAN and gSCAN files are checked, too.",
        "convert": "--to parquet, reascan, release, gscan or compact. In a folder of the release such as "
        "ReaSCAN-compositional-a1, the split test is called a1.",
        "explain": 'a file with a scene is JSON, {"size": 6, "agent": {"row": 0, "column": 0, "facing": "east"}, '
        '"objects": [{"shape": "circle", "color": "red", "size": 2, "row": 1, "column": 1}, ...]}, what `deixis show '
        "--json` prints, an example of a released ReaSCAN file, or a picture in text.",
        "stats": "figure4 and figure5 of ReaSCAN are drawn; released ReaSCAN and gSCAN files are counted, too.",
    },
    models={
        "m-lstm": "M-LSTM of gSCAN: LSTM over words and a convolved grid",
        "gcn-lstm": "GCN-LSTM: the same over a graph of the objects",
        "program": "Program model, told the parse: learns words and relations, finds the target, plans",
        "transformer": "Transformer over words and cells",
    },
    names={
        "GridExample": "deixis.worlds.grid.navigate:Example",
        "GridScene": "deixis.worlds.grid.scene:GridScene",
        "GridRecipe": "deixis.worlds.grid.making.recipe:Recipe",
        "grid": "deixis.worlds.grid.drawn:grid",
        "reascan": "deixis.worlds.grid.making.recipe:reascan",
        "resolve_batch": "deixis.worlds.grid.resolution:resolve_batch",
        "testing.SCHEMA": "deixis.worlds.grid.scene:GRID",
        "testing.agents": "deixis.worlds.grid.testing:agents",
        "testing.grid_objects": "deixis.worlds.grid.testing:grid_objects",
        "testing.grid_scenes": "deixis.worlds.grid.testing:grid_scenes",
        "testing.the": "deixis.worlds.grid.testing:the",
    },
    kinds=("", "imported"),
)
