"""Facts for the card of a dataset of captions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.data._card_facts import TAGS, Citation, Facts, TableFacts, by_split, matching, ours, slug, table_schema
from deixis.data.recipes import recipe_in


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from deixis.data._card_facts import License


A3DS = Citation(
    line="Tsvilodub and Franke 2023",
    bibtex="""@inproceedings{tsvilodub2023a3ds,
  title     = {Evaluating Pragmatic Abilities of Image Captioners on {A3DS}},
  author    = {Tsvilodub, Polina and Franke, Michael},
  booktitle = {Proceedings of the Annual Meeting of the Association for Computational Linguistics},
  year      = {2023}
}""",
)
SHAPES3D = Citation(
    line="Burgess and Kim 2018",
    bibtex="""@misc{burgess2018shapes,
  title  = {{3D} Shapes Dataset},
  author = {Burgess, Chris and Kim, Hyunjik},
  year   = {2018}
}""",
)
SWITCHES = ("images", "pairs", "test_sets", "every_word")  # options without a value
CAPTION_COLUMNS = """| column | type | meaning |
|---|---|---|
| `image` | uint32 | the number of the image, as in the original file |
| `number` | uint8 | the number of the caption among those of its grammar |
| `text` | string | the caption |"""
PAIR_COLUMNS = """| column | type | meaning |
|---|---|---|
| `set` | string | what the two images share |
| `target` | uint32 | the number of the image that is to be described |
| `distractor` | uint32 | the number of the image that it is to be told from |"""
CONTEXT_COLUMNS = """| column | type | meaning |
|---|---|---|
| `set` | string | how many features have to be said |
| `target` | uint32 | the number of the image that is to be described |
| `distractors` | list of uint32 | the numbers of the images that it is to be told from |
| `number` | uint8 | the number of the caption among those of the grammar `partial` |
| `caption` | string | the only caption that says all that is needed and no more |"""
IMAGE_COLUMNS = """| column | type | meaning |
|---|---|---|
| `image` | uint32 | the number of the image, as in the original file |
| `floor_hue`, `wall_hue`, `object_hue` | string | the three colours |
| `scale`, `shape` | string | of the object |
| `orientation` | string | of the camera |"""
PICTURE_ROW = "\n| `picture` | picture | the image, as PNG |"


def facts_of(folder: Path, manifest: dict[str, Any], license_: License | None) -> Facts:
    """Part `card`: what the card of captions of rooms says."""
    recipe, files = recipe_in(manifest), manifest["files"]
    seed = "imported" if recipe is None else recipe["seed"]
    sizes = [(name, size) for name, size in manifest["splits"].items()]
    captions = sum(manifest["captions"].values())
    pictures = sum(entry["rows"] for entry in matching(files, "pictures/*"))
    drawn = f" {pictures:,} of the images are kept as pictures." if pictures else ""
    return Facts(
        name=slug(f"a3ds-{seed}"),
        title="A3DS: captions of 3D Shapes",
        summary=f"Every one of {manifest['images']:,} images of a room with one object is described by captions made "
        f"from its six factors.{drawn} {_origin(manifest)}",
        tables=_room_tables(folder, manifest),
        splits=tuple((name, size, ROOM_SPLITS.get(name, "")) for name, size in sizes),
        notes="Sizes are numbers of images, which are numbered as in the original file. No image is in two splits. "
        "Tables of captions have the same splits; `ids/SPLIT.txt` and the table `images` name the images of each.",
        license=license_ or ours(),
        citations=(A3DS, SHAPES3D),
        tasks=("image-to-text",),
        tags=(*TAGS, "a3ds", "pragmatics", "reference-games", "3d-shapes"),
        examples=captions or manifest["images"],
        again=_again(recipe),
        made={
            "made by": manifest["made by"],
            "seed": str(seed),
            "recipe digest": f"`{manifest['recipe digest']}`",
            "check it": "`deixis check PATH` makes every caption anew and compares",
        },
        answers={
            "A.1": "To ask whether a captioner says what sets an image apart from another: enough, and not more.",
            "B.1": "An image of a room with one object, with captions; and pairs of images.",
            "B.2": "All 480,000 images that the six factors allow, with all captions of a grammar. Pairs are a sample.",
            "B.3": "The number of the image, its factors and captions as text.",
            "B.4": "The factors of every image are known, so that every caption can be judged.",
            "B.7": "Yes, of images: " + ", ".join(f"{name} {size:,}" for name, size in sizes) + ".",
            "B.8": "Captions of one grammar repeat the same forms by design.",
            "E.3": "Captioning, reference games, measuring redundancy (`deixis evaluate`).",
        },
        extra=_room_files(manifest),
    )


def _origin(manifest: dict[str, Any]) -> str:
    recipe = recipe_in(manifest)
    if recipe is None:
        return f"Converted from {manifest['imported from']['name']} by {manifest['made by']}."
    return f"Made by {manifest['made by']} with the seed {recipe['seed']}."


def _again(recipe: Mapping[str, Any] | None) -> str:
    if recipe is None:
        return "Convert the released files again with `deixis convert`."
    return f"The same version of Deixis gives the same bytes:\n\n```sh\n{_make_rooms(recipe)}\n```"


ROOM_SPLITS = {
    "train": "to train a captioner on",
    "tune": "to tune it in a reference game",
    "validation": "to choose models by",
    "test": "held out; the test pairs are drawn from these",
}


def _room_tables(folder: Path, manifest: dict[str, Any]) -> tuple[TableFacts, ...]:
    files = manifest["files"]
    wanted: list[tuple[str, str, str, str, Mapping[str, Sequence[Mapping[str, Any]]]]] = []
    for grammar in manifest["captions"]:
        found = matching(files, f"captions/{grammar}-*.parquet")
        about = f"A row is one of the {grammar} captions of an image."
        wanted.append((grammar, about, CAPTION_COLUMNS, "", _captions_by_split(found, grammar, manifest["splits"])))
    for name, path, split in (
        ("test-pairs", "pairs/test.parquet", "test"),
        ("tuning-pairs", "pairs/tune.parquet", "tune"),
    ):
        wanted.append((name, "A row is a pair of images.", PAIR_COLUMNS, "", {split: matching(files, path)}))
    about = "A row is a context of images with the caption whose every feature is needed."
    contexts = {"test": matching(files, "pairs/every-word.parquet")}
    wanted.append(("every-word", about, CONTEXT_COLUMNS, "", contexts))
    for name, columns, picture in (("images", IMAGE_COLUMNS, ""), ("pictures", IMAGE_COLUMNS + PICTURE_ROW, "picture")):
        about = "A row is an image, as a picture." if picture else "A row is an image."
        wanted.append(
            (name, about, columns, picture, _in_order(matching(files, f"{name}/*.parquet"), manifest["splits"]))
        )
    return tuple(
        TableFacts(
            name=name,
            about=about,
            files={split: entries for split, entries in by_split.items() if entries},
            schema=table_schema(folder, next(iter(by_split.values()))),
            columns=columns,
            pictures=(picture,) if picture else (),
        )
        for name, about, columns, picture, by_split in wanted
        if any(by_split.values())
    )


def _captions_by_split(
    entries: Sequence[Mapping[str, Any]], grammar: str, splits: Mapping[str, int]
) -> dict[str, list[Mapping[str, Any]]]:
    """Files of captions by the split that they are named after; all together where they are from before there were."""
    found = {name: matching(entries, f"captions/{grammar}-{name}-*.parquet") for name in splits}
    named = sum(map(len, found.values()))
    return found if named == len(entries) else {"full": list(entries)}


def _in_order(entries: Sequence[Mapping[str, Any]], splits: Mapping[str, int]) -> dict[str, list[Mapping[str, Any]]]:
    """The entries by split, in the order in which the manifest names the splits."""
    found = by_split(entries)
    return {name: found[name] for name in (*splits, *found) if name in found}


def _make_rooms(recipe: Mapping[str, Any]) -> str:
    words = ["deixis make a3ds --out again"]
    words += [f"--captions {','.join(recipe['captions']) or 'none'}"]
    words += [f"--layout {recipe['layout']}"] if recipe["layout"] != "parquet" else []
    words += [f"--image-size {recipe['image_size']}"] if recipe["image_size"] != 64 else []
    words += [f"--pictures {recipe['pictures']}"] if recipe.get("pictures") else []
    words += [f"--{key.replace('_', '-')}" for key in SWITCHES if recipe.get(key)]
    return " ".join((*words, f"--seed {recipe['seed']}"))


def _room_files(manifest: dict[str, Any]) -> str:
    listed = {
        "captions/": "`captions/GRAMMAR-SPLIT-*.parquet` | image, number and text of every caption, by split",
        "3dshapes_captions": "`3dshapes_captions_*.json` | the same in the layout of the release",
        "vocabulary.json": "`vocabulary.json` | every word of these captions with its number",
        "ids/": "`ids/SPLIT.txt` | the numbers of the images of a split, one on each line",
        "images/": "`images/SPLIT.parquet` | the six factors of the images of a split",
        "pictures/": "`pictures/SPLIT.parquet` | the first images of a split as pictures, with their factors",
        "pairs/test": "`pairs/test.parquet` | the thirteen test sets: set, target, distractor",
        "pairs/every-word": "`pairs/every-word.parquet` | test sets in which every feature that is said must be said",
        "pairs/tune": "`pairs/tune.parquet` | random and similar pairs for a reference game, from the images of `tune`",
        "3dshapes.h5": "`3dshapes.h5` | the images, in the layout of the original file",
    }
    paths = [entry["path"] for entry in manifest["files"]]
    rows = [f"| {told} |" for start, told in listed.items() if any(path.startswith(start) for path in paths)]
    sizes = [
        f"| {grammar} | {size // max(manifest['images'], 1)} | {size:,} |"
        for grammar, size in manifest["captions"].items()
    ]
    captions = "\n".join(("| captions | of each image | in all |", "|---|---|---|", *sizes)) + "\n\n" if sizes else ""
    return f"## Files\n\n{captions}" + "\n".join(("| file | |", "|---|---|", *rows))
