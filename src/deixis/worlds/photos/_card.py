"""Part `card` of photographs: the facts on a dataset's card."""

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
from deixis.data.recipes import recipe_in


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from deixis.data._card_facts import License


COPSREF = Citation(
    line="Chen et al. 2020",
    bibtex="""@inproceedings{chen2020copsref,
  title     = {{Cops-Ref}: A New Dataset and Task on Compositional Referring Expression Comprehension},
  author    = {Chen, Zhenfang and Wang, Peng and Ma, Lin and Wong, Kwan-Yee K. and Wu, Qi},
  booktitle = {Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition},
  year      = {2020}
}""",
)
EXPRESSION_COLUMNS = """| column | type | meaning |
|---|---|---|
| `id` | int64 | one for each example |
| `split` | string | where it belongs |
| `text` | string | what is said |
| `form` | string | the form that it is filed under |
| `forms` | list of string | all forms that it makes use of |
| `expression` | string | what it means: JSON, see `expression.plain`; empty where nobody has read the text |
| `image` | string | the id of the image that holds the target |
| `object` | string | the id of the target; empty where nothing fits |
| `change`, `changed`, `changed_id` | string, string, int64 | for expressions that fit nothing: what was changed, in words, and in which example |
| `distractor_kind` | list of string | why each further image is shown |
| `distractor_image` | list of string | the ids of these images |
| `distractor_object` | list of string | the object in each that tempts a careless reader |
| `distractor_misreading` | list of string | what a reader misses who takes it |"""  # noqa: E501 (a row of a table)
EVERY_WORD = (
    " Every word is needed: each misreading (a word left out, a relation ignored, words exchanged, phrases unrelated) "
    "leads to something else than the target, and `distractor_misreading` lists those that lead into an image."
)
PHOTOGRAPH_COLUMNS = """| column | type | meaning |
|---|---|---|
| `image` | string | the id of the image |
| `width`, `height` | int32 | in pixels |
| `object` | list of string | the ids of the objects in it |
| `name` | list of string | what each object is |
| `box` | list of lists of float | of each object: left, top, width, height in pixels |
| `picture` | picture | the image |"""


def facts_of(folder: Path, manifest: dict[str, Any], license_: License | None) -> Facts:
    """Return the facts for the card of a dataset."""
    made, scenes, kept = (
        manifest.get("made with", {}),
        manifest["scenes"],
        manifest.get("pictures", {}).get("files", []),
    )
    recipe = recipe_in(manifest) or {}
    is_imagined = made.get("scenes") == "imagined"
    synthetic = ours()
    foreign = of_its_source("The terms of the scene graphs that it was made from apply.")
    about = (
        "imagined and drawn, none of them a photograph" if is_imagined else "told by the scene graphs they came with"
    )
    return Facts(
        name=slug(f"cops-ref-{recipe.get('seed', 'imported')}"),
        title="Cops-Ref: expressions about photographs",
        summary=f"{manifest['examples']:,} expressions that point at objects in {scenes['images']:,} images, "
        f"{about}. An expression is shown with the image it is about and with images in which a careless reader would "
        f"find something. Made by {manifest['made by']}.",
        tables=_photograph_tables(folder, manifest, kept),
        splits=tuple((name, size, _photograph_split(name)) for name, size in manifest["splits"].items() if size),
        notes="Images of one split are shown in no other, where the dataset was made here. The scene graphs of all "
        "images lie in `scenes/` (`deixis.worlds.photos.scene.graph_table.GraphTable.load`)."
        + (EVERY_WORD if recipe.get("mode") == "every-word" else ""),
        license=license_ or (synthetic if is_imagined else foreign),
        citations=(COPSREF,),
        tasks=("zero-shot-object-detection", "visual-question-answering"),
        tags=(*TAGS, "cops-ref", "scene-graphs", "visual-grounding"),
        examples=manifest["examples"],
        again=_make_photographs(recipe, is_imagined=is_imagined),
        made={
            "made by": manifest["made by"],
            "seed": str(recipe.get("seed", "not recorded")),
            "scene graphs": f"{scenes['images']:,} images, {scenes['objects']:,} objects, "
            f"{scenes['relations']:,} relations",
            "check it": "`deixis check PATH` resolves every expression in every image it is shown with",
        },
        answers=_photograph_answers(manifest, is_imagined=is_imagined),
    )


def _photograph_split(name: str) -> str:
    return "test, images that training does not show" if name == "test" else PLAIN.get(name, "")


def _photograph_answers(manifest: dict[str, Any], *, is_imagined: bool) -> dict[str, str]:
    answers = {
        "A.1": "To test whether models ground whole expressions rather than nouns: every distractor image holds "
        "something that fits the expression but for one part.",
        "B.1": "An expression in English, the image it is about and further images.",
        "B.2": "A sample of the expressions that the scene graphs allow.",
        "B.3": "Text, its meaning as a tree, ids of images and objects; boxes and relations lie in the scene graphs.",
        "B.4": "Yes: the object that is meant, or that there is none.",
        "B.7": "Yes, " + ", ".join(manifest["splits"]) + ".",
        "B.8": "An annotation may lack what the picture shows; images are refused where the expression may be true for "
        "all that is known, unless the recipe says otherwise.",
        "E.3": "Visual grounding, generating expressions, saying that something is not there.",
    }
    if is_imagined:
        return answers
    return answers | {
        "B.9": "The expressions and scene graphs are here; photographs come from the source of the graphs.",
        "B.12": "Photographs may show people; see the source of the scene graphs.",
        "B.14": "See the source of the scene graphs.",
        "B.15": "Nothing was added to what the source of the scene graphs says.",
        "C": "Expressions were computed from scene graphs that others collected; see their source.",
    }


def _photograph_tables(
    folder: Path, manifest: dict[str, Any], kept: Sequence[Mapping[str, Any]]
) -> tuple[TableFacts, ...]:
    files = manifest["files"]
    tables = [
        TableFacts(
            name="default",
            about="A row is an expression with the images it is shown with.",
            files=by_split(files),
            schema=table_schema(folder, files),
            columns=EXPRESSION_COLUMNS,
        )
    ]
    if kept:
        tables.append(
            TableFacts(
                name="images",
                about="A row is an image, with the objects that its scene graph names.",
                files={"full": kept},
                schema=table_schema(folder, kept),
                columns=PHOTOGRAPH_COLUMNS,
                pictures=("picture",),
            )
        )
    return tuple(tables)


def _make_photographs(recipe: Mapping[str, Any], *, is_imagined: bool) -> str:
    words = ["deixis make copsref --out again"]
    words += [f"--images {recipe.get('images')}"] if is_imagined else ["--scenes SCENES"]
    words += ["--mode every-word"] if recipe.get("mode") == "every-word" else []
    words += [f"--candidates {recipe['candidates']}"] if "candidates" in recipe else []
    words += [f"--each {recipe['each']}"] if recipe.get("each", 3) != 3 else []
    words += ["--closed-world"] if recipe.get("guarded") is False else []
    words += ["--no-negatives"] if recipe.get("negatives") is False else []
    words += [f"--seed {recipe['seed']}"] if "seed" in recipe else []
    return f"The same version of Deixis gives the same bytes:\n\n```sh\n{' '.join(words)}\n```"
