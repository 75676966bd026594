"""The card of a dataset that others made and `deixis convert --to parquet` wrote as a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.data._card_facts import PLAIN, Citation, Facts, TableFacts, by_split, of_its_source, slug, table_schema


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from deixis.data._card_facts import License
    from deixis.readers._world import ReaderWorld


MEANINGS = {
    "id": "what the dataset calls it",
    "split": "where it belongs",
    "text": "what is said",
    "expression": "what it means: JSON, see `deixis.expression.plain`; empty where that is not known",
    "scenes": "the objects of each scene: JSON, see `deixis.scene.plain`; the schemas are in `schemas.json`",
    "targets": "the objects that are meant, each by the numbers of its scene and of the object",
    "images": "the images by name",
    "sizes": "width and height of each image in pixels, 0 where they are not known",
    "boxes": "the right regions: left, top, right, bottom; none where nothing fits",
    "box_images": "the number of the image that each of them is in",
    "regions": "for each scene the boxes of its objects: left, top, right, bottom",
    "space": "of the boxes: pixels, or shares of width and height",
    "choices": "what can be answered",
    "right": "the number of the right answer",
    "facts": "what else the dataset says of it: JSON",
    "record": "the number of the record of the source that it came of",
    "number": "its place among all examples",
    "rest": "what the other columns do not keep: JSON",
}


def ready_part(world: ReaderWorld) -> Callable[[Path, dict[str, Any], License | None], Facts]:
    """The part `card` of a reader."""
    return lambda folder, manifest, license_: _facts(world, folder, manifest, license_)


def _facts(world: ReaderWorld, folder: Path, manifest: dict[str, Any], license_: License | None) -> Facts:
    reader = world.reader
    sizes = {split: size for split, size in manifest["splits"].items() if size}
    source, made_by = str(manifest.get("dataset", reader.name)), str(manifest.get("made by", "deixis"))
    key = slug(reader.name).replace("-", "")
    entry = f"@misc{{{key},\n  title = {{{reader.title}}},\n  note  = {{{reader.citation}}}\n}}"
    told = f"{sum(sizes.values()):,} examples of {reader.title}, read from {source} and kept as rows."
    return Facts(
        name=slug(reader.name),
        title=reader.title,
        summary=f"{told} {reader.about}",
        tables=(_table(folder, manifest),),
        splits=tuple((split, size, PLAIN.get(split, "as its source has it")) for split, size in sizes.items()),
        notes="",
        license=license_ or of_its_source(f"{reader.license}. The terms are those of the source."),
        citations=(Citation(line=reader.citation, bibtex=entry),),
        tasks=("other",),
        tags=("referring-expressions", "grounded-language", "croissant", slug(reader.name)),
        examples=sum(sizes.values()),
        again="The same versions make the same bytes of the same source:\n\n```sh\ndeixis convert SOURCE again "
        "--to parquet\n```",
        made={"made by": made_by, "source": f"`{source}`", "reader": f"`{reader.name}` of `{reader.package}`"},
        answers={
            "A.1": f"By its makers, see the citation. Task: {reader.task}.",
            "B.1": reader.title,
            "B.2": "As its source.",
            "B.4": "Yes.",
            "B.7": f"Yes, {', '.join(sizes)}.",
            "B.8": "`deixis check` and `deixis audit` count what they find.",
            "B.10": "See its source.",
            "B.11": "See its source.",
            "B.12": "See its source.",
            "B.13": "See its source.",
            "B.14": "See its source.",
            "B.15": "See its source.",
            "C": "See its source; here it was only converted.",
            "D.1": "It was converted; `conversion.json` compares every example with its source.",
            "D.2": "Yes, by its makers.",
            "E.3": "See its source.",
            "G.5": "See its source.",
        },
    )


def _table(folder: Path, manifest: Mapping[str, Any]) -> TableFacts:
    files = list(manifest["files"])
    schema = table_schema(folder, files)
    rows = [
        f"| `{field.name}` | {str(field.type).replace('|', ' ')} | {MEANINGS.get(field.name, '')} |" for field in schema
    ]
    return TableFacts(
        name="default",
        about="A row is an example.",
        files=by_split(files),
        schema=schema,
        columns="\n".join(("| column | type | meaning |", "|---|---|---|", *rows)),
    )
