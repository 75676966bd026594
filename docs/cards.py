"""Write the cards of `docs/datasets` from the catalogue of splits and from small data: `python docs/cards.py`.

Every split has its rule, its sizes, one example in words and its picture. Boards are drawn for light and for dark.
"""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent
from typing import TYPE_CHECKING

import numpy as np

from deixis._cli import main as deixis
from deixis.worlds.grid._report.explain import misreading_words
from deixis.worlds.grid._report.gallery import marks_of
from deixis.worlds.grid.actions import say_plan
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.draw import Look, draw_svg
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import gscan, reascan
from deixis.worlds.grid.splits.rules import GSCAN, GSCAN_LENGTHS, GSCAN_SPATIAL, REASCAN
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.registry import find_world
from deixis.worlds.rooms.draw import draw_rooms
from deixis.worlds.rooms.pairs import SETS, draw_contexts, test_sets
from deixis.worlds.rooms.scene import FACTORS, RoomScene
from deixis.worlds.tabletop._making.splits import TESTS


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.worlds.grid.data.sources import Source
    from deixis.worlds.grid.navigate import Example
    from deixis.worlds.grid.splits.cases import Case
    from deixis.worlds.grid.splits.rules import Rule


DOCS = Path(__file__).parent
FOLDER = DOCS / "datasets"
IMAGES = DOCS / "images" / "cards"
MADE = "*Made by `python docs/cards.py`.*"
RANDOM = {
    "train": "The training set, without any held-out example.",
    "dev": "Same distribution as the training set, for model selection.",
    "test": "Same distribution as the training set.",
}
TABLETOP = ("--examples", "60", "--tests", "4", "--absent", "0.1")
COMPASS_WORDS = {"sw": "south west"}
FORMS = {
    "chain": "one to three nested relations",
    "and": "two relations of the target",
    "or": "two relations, of which one holds",
    "order": "a rank among all objects of the name",
    "same": "a value shared with another object",
    "not": "something that all others of the name have and the target has not",
}


def main() -> None:
    """Write all cards."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        place = Path(folder)
        recipes = {"reascan": reascan(), "gscan": gscan()}
        recipes |= {f"gscan-{splits}": gscan(splits=splits) for splits in ("lengths", "spatial")}
        for name, recipe in recipes.items():
            make(recipe, place / name, workers=1)
        deixis(["make", "copsref", "--images", "200", "--each", "1", "--out", str(place / "copsref"), "--workers", "1"])
        deixis(["make", "tabletop", *TABLETOP, "--out", str(place / "tabletop"), "--workers", "1"])
        pages = {
            "reascan": _reascan(open_source(place / "reascan")),
            "gscan": _gscan(*(open_source(place / name) for name in recipes if name.startswith("gscan"))),
            "a3ds": _a3ds(),
            "copsref": _copsref(place / "copsref"),
            "tabletop": _tabletop(place / "tabletop"),
        }
        for name, lines in pages.items():
            (FOLDER / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


# ---------------------------------------------------------------------------------------------------- grid worlds


def _reascan(source: Source) -> Iterator[str]:
    yield dedent(f"""\
        # ReaSCAN: card

        An agent in a grid world carries out a command such as *push the small red circle that is in the same row as
        a blue square*. The input is the command and the board; the answer is a plan of actions. Made by `deixis
        make reascan`; [how, and which faults are corrected](../reascan.md).

        {MADE}

        | | |
        |---|---|
        | task | find the target and act: *navigate* |
        | an example holds | command, board, target, plan, role of every object, necessity of the parts |
        | modes | `compatible`, `corrected` (the default), `every-word` |
        | licence | of the released files: CC BY 4.0 |
        | paper | Wu, Kreiss, Ong and Potts (2021) |

        The badge of an object gives its role: T the target, M another mentioned object, R, A and I distractors for
        an ignored clause, a misread word and exchanged words, S the counterpart of a size word, ? a random object.
        The sizes are those of the paper and of `deixis make reascan --scale paper` with seed 42; the examples are
        from a small set of seed 42.
        """)
    sizes = _sizes()
    for name, about in RANDOM.items():
        yield from _card(source, name, f"{name}", about, sizes)
    for rule in REASCAN:
        yield from _card(source, rule.name, f"{rule.name}: {rule.about}", _rule_words(rule), sizes, rule)
    yield dedent(f"""\
        ## aside

        Examples that a rule keeps out of training although the held-out word does not matter in them; they are in
        no test set either. In the compatible mode also two sets that the authors hold out without testing them.
        {_size_words("aside", sizes)}
        """)


def _gscan(whole: Source, lengths: Source, spatial: Source) -> Iterator[str]:
    yield dedent(f"""\
        # gSCAN: card

        Simple commands such as *walk to the yellow square*, with five of the eleven other kinds of objects at
        random, whether or not the words need them. Made by `deixis make gscan`, after the published description and
        with its hold-outs, target lengths and spatial relations: [definitions, sizes, how close it is](../gscan.md).

        {MADE}
        """)
    sizes = {name: {"in the small set": f"{count:,}"} for name, count in (whole.splits or {}).items()}
    for name, about in RANDOM.items():
        yield from _card(whole, name, name, about, sizes, data="gscan")
    for source, rules in ((whole, GSCAN), (lengths, GSCAN_LENGTHS), (spatial, GSCAN_SPATIAL)):
        sizes = {name: {"in the small set": f"{count:,}"} for name, count in (source.splits or {}).items()}
        for rule in rules:
            title = f"{rule.name}: {rule.about}"
            yield from _card(source, rule.name, title, _rule_words(rule), sizes, rule, data="gscan")


def _card(
    source: Source,
    split: str,
    title: str,
    about: str,
    sizes: dict[str, dict[str, str]],
    rule: Rule | None = None,
    *,
    data: str = "reascan",
) -> Iterator[str]:
    number, example = _telling(source, split)
    name = f"{data}-{split}"
    for theme in ("light", "dark"):
        look = Look(cell=48, theme=theme)
        svg = draw_svg(example.scene, marks=marks_of(example), look=look, title=example.text)
        (IMAGES / f"{name}-{theme}.svg").write_text(svg, encoding="utf-8")
    yield f"## {title}\n"
    versioned = f" Its id is `{rule.id}`." if rule else ""
    yield f"{about}{versioned} {_size_words(split, sizes)}\n"
    yield f"> {example.text[0].upper()}{example.text[1:]}.\n"
    alt = f"A board of {len(example.scene)} objects: {example.text}"
    yield _both(f"../images/cards/{name}", alt)
    yield f"\n{_caught(example, number)}\n"


def _telling(source: Source, split: str) -> tuple[int, Example]:
    """The example that is easiest to look at: a short plan and few objects, among a hundred from all over the split.

    Of the splits without a rule, train shows two clauses, dev one and test none, where there are such.
    """
    count = source.count(split)
    examples = [(number, source.example(number, split)) for number in range(0, count, max(1, count // 100))]
    wanted = {"train": "p3", "dev": "p2", "test": "p1"}.get(split, "")

    def effort(found: tuple[int, Example]) -> tuple[bool, bool, int, int]:
        number, example = found
        return example.pattern != wanted, len(example.plan) > 12, len(example.scene), number

    return min(examples, key=effort)


def _caught(example: Example, number: int) -> str:
    """What the distractors of an example catch, in words."""
    caught: dict[str, None] = {}
    for role in example.roles:
        if role.has_misreading and role.number < len(example.misreadings):
            caught[misreading_words(example.utterance, example.misreadings[role.number])] = None
    misread = f" It catches readers who {'; '.join(caught)}." if caught else " No object was placed as a distractor."
    return f"*Number {number} of the split; plan: {say_plan(example.plan)}.{misread}*"


def _rule_words(rule: Rule) -> str:
    """A rule in words."""
    said = {
        "phrase": f"‘{rule.phrase}’ as a phrase for one object" if rule.phrase else "",
        "thing": f"a {rule.thing} among the mentioned objects, however it is described" if rule.thing else "",
        "relations": f"‘{'’ and ‘'.join(rule.relations)}’ in one command" if rule.relations else "",
        "pattern": {"p4": "commands of three clauses", "chain": "a clause within a clause"}.get(rule.pattern, ""),
        "cases": ", or ".join(map(_case_words, rule.cases)),
        "new": "noun phrases that occur in training, but never together" if rule.new_phrases else "",
    }
    words = ", or ".join(filter(None, said.values()))
    named = {"color": "colour", "size": "size", "shape": "shape"}.get(rule.decisive)
    decisive = f" In the test set the {named} word is needed to find the target." if named else ""
    shots = f" {rule.shots} of these examples is in train all the same." if rule.shots else ""
    return f"Holds out {words}.{decisive}{shots}"


def _case_words(case: Case) -> str:
    """A case in words."""
    target = f"a {case.target or 'target'}" if case.target or case.size or case.said or case.direction else ""
    target += f" of size {case.size}" if case.size else ""
    target += f" called ‘{case.said}’" if case.said else ""
    target += f" to the {COMPASS_WORDS[case.direction]} of the agent" if case.direction else ""
    said = (
        f"‘{case.verb}’" if case.verb else "",
        f"‘{case.manner}’" if case.manner else "",
        target,
        f"a {case.reference} as reference" if case.reference else "",
        f"plans of more than {case.longer_than} actions" if case.longer_than else "",
    )
    return " with ".join(filter(None, said))


def _sizes() -> dict[str, dict[str, str]]:
    """The sizes of the splits at the scale of the paper, from the table on the page about ReaSCAN."""
    text = (DOCS / "reascan.md").read_text(encoding="utf-8").partition("\n## Splits\n")[2]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")
    ]
    head, body = rows[0], rows[1:]
    found = {}
    for row in body:
        if row[0] in {"aside", *RANDOM} or row[0] in {rule.name for rule in REASCAN}:
            found[row[0]] = {what: cell for what, cell in zip(head[2:], row[2:], strict=True) if cell}
    return found


def _size_words(split: str, sizes: dict[str, dict[str, str]]) -> str:
    found = sizes.get(split, {})
    listed = ", ".join(f"{count} {what.removesuffix(', seed 42')}" for what, count in found.items())
    return f"Examples: {listed}." if listed else ""


def _both(stem: str, alt: str) -> str:
    return f"![{alt}]({stem}-light.svg#only-light)\n![{alt}]({stem}-dark.svg#only-dark)"


# ---------------------------------------------------------------------------------------------------- rooms


def _tabletop(data: Path) -> Iterator[str]:
    """The card of tables, from a small dataset."""
    world = find_world("tabletop")
    examples, draw = world.part("examples").open(data), world.part("pictures").draw
    yield dedent(f"""\
        # Tabletop: card

        Three to fifteen solids on a table; an expression picks out one of them, and every word of it counts. Made by
        `deixis make tabletop`; [scenes, language and modes](../tabletop.md), [results](../results/tabletop.md).

        {MADE}

        | | |
        |---|---|
        | task | point at the solid that is meant: *point* |
        | scenes | as many as are asked for, drawn from a seed; one table or several |
        | solids | cube, sphere, cylinder, cone and ring; 8 colours, 2 materials, 2 sizes |
        | modes | `every-word` (no word, relation or order can be spared) and `plain` |
        | papers | in the manner of CLEVR (Johnson and others, 2017) and CLEVR-Ref+ (Liu and others, 2019) |

        `train`, `dev` and `test` have the same distribution. The other sets are made with `--tests N`; each is like
        training in everything but its own subject, of which training has nothing. The examples are the first of each
        set for seed 0; what is meant is outlined.
        """)
    for name in ("test", *TESTS):
        number = next(n for n in examples.numbers(name) if examples[n].target is not None)
        example = examples[number]
        (IMAGES / f"tabletop-{name}.png").write_bytes(draw(example, format="png"))
        yield f"## {name}\n"
        yield f"{RANDOM[name] if name in RANDOM else 'Held out: ' + TESTS[name] + '.'}\n"
        yield f"> {example.text}\n"
        yield f"![A table with {len(example.scenes[0])} solids: {example.text}](../images/cards/tabletop-{name}.png)\n"


def _a3ds() -> Iterator[str]:
    yield dedent(f"""\
        # A3DS: card

        Two rooms of 3D Shapes are shown; a caption should distinguish the target from the other. Made by `deixis
        make a3ds`; [captions, pictures and files](../a3ds.md), [metrics](../pragmatics.md).

        {MADE}

        | | |
        |---|---|
        | task | mention what distinguishes the target from the distractor: *refer* |
        | images | 480,000, one for every combination of six factors |
        | of these | train 30,000, tune 30,000, validation 20,000, test 400,000 |
        | captions | 20 exhaustive and 27 short ones of every image: 22,560,000 |
        | paper | Tsvilodub and Franke (2023) |

        `train` is for training a captioner, `tune` for pairs to fine-tune it on, `validation` for model selection,
        and `test` for the thirteen sets below, of 7,500 pairs each. No image is in two splits. In each pair the
        target comes first. The pairs shown are the first of each set for seed 0.
        """)
    sets = test_sets(seed=0)
    for name, pairs in sets.items():
        target, other = (int(image) for image in pairs[0])
        _pair_picture(f"a3ds-{name.replace('+', '-').replace(' ', '-')}", [target, other])
        shared = SETS[name]
        says = f"{shared} factors, drawn for every pair" if isinstance(shared, int) else _factors(shared)
        differing = [
            factor
            for factor, one, two in zip(FACTORS, RoomScene(target).factors, RoomScene(other).factors, strict=True)
            if one != two
        ]
        yield f"## {name}\n"
        yield f"Both images share {says}.\n"
        yield f"> {RoomScene(target)}\n"
        alt = f"Two rooms. The target: {RoomScene(target)}; the other: {RoomScene(other)}"
        yield f"![{alt}](../images/cards/a3ds-{name.replace('+', '-').replace(' ', '-')}.png)\n"
        yield f"*Images {target} and {other}; they differ in {_factors(differing)}.*\n"
    pair = [int(image) for image in draw_contexts(1, seed=0)[0]]
    _pair_picture("a3ds-tune", pair)
    alt = f"Two rooms. The target: {RoomScene(pair[0])}; the other: {RoomScene(pair[1])}"
    yield "## tune\n"
    yield "Random pairs, and pairs that share at least three factors, to fine-tune a captioner; made with `--pairs`.\n"
    yield f"> {RoomScene(pair[0])}\n"
    yield f"![{alt}](../images/cards/a3ds-tune.png)\n"


def _factors(names: tuple[str, ...] | list[str]) -> str:
    words = [name.replace("_hue", " colour").replace("_", " ") for name in names]
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words) or "nothing"


def _pair_picture(name: str, images: list[int]) -> None:
    from PIL import Image

    size, gap = 128, 12
    sheet = Image.new("RGBA", (2 * size + gap, size), (0, 0, 0, 0))
    for place, room in enumerate(draw_rooms(np.array(images), size=size)):
        sheet.paste(Image.fromarray(room), (place * (size + gap), 0))
    stream = BytesIO()
    sheet.save(stream, "PNG", optimize=True)
    (IMAGES / f"{name}.png").write_bytes(stream.getvalue())


# ---------------------------------------------------------------------------------------------------- photographs


def _copsref(folder: Path) -> Iterator[str]:
    yield dedent(f"""\
        # Cops-Ref: card

        A model finds the one referent of an expression among all objects of up to thirteen images. Made by `deixis
        make copsref` on scene graphs of GQA, Visual Genome or CLEVR, or on imagined scenes; [the
        expressions](../copsref.md), [the task](../copsref-task.md).

        {MADE}

        | | |
        |---|---|
        | task | find the object, or answer that it is not there: *localise* |
        | an example holds | text, expression, target, distractor images with the distractors in each |
        | splits | by image: `train` without distractor images, `val` and `test` with |
        | paper | Chen and others (2020); the released expressions are read as well |

        The examples are from 200 imagined scenes (`deixis make copsref --images 200 --each 1`, seed 42). The target's
        image comes first, with the target in a solid box; distractors in the other images are boxed too.
        """)
    data = open_copsref(folder)
    counts = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["splits"]
    for split in ("train", "val", "test"):
        examples = list(data.examples(split))
        shown = next(
            (n for n, one in enumerate(examples) if one.distractors and one.object_id), 0 if split == "train" else None
        )
        chosen = 0 if shown is None else shown
        picture = IMAGES / f"copsref-{split}.png"
        deixis(["show", str(folder), str(chosen), "--split", split, "--out", str(picture)])
        size = counts[split] if isinstance(counts[split], int) else counts[split]["examples"]
        yield f"## {split}\n"
        yield f"{size:,} expressions in this small set.\n"
        yield f"> {examples[chosen].text}\n"
        yield f"![The images of the example, the target's image first](../images/cards/copsref-{split}.png)\n"
    yield "## Forms\n"
    yield "| form | meaning | for example |\n|---|---|---|"
    for form, about in FORMS.items():
        said = next((one.text for one in data.examples("train") if one.form == form), "")
        yield f"| {form} | {about} | {said} |"


if __name__ == "__main__":
    main()
