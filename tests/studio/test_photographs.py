"""Pages of expressions about photographs: words, steps, regions and what they tempt to."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from starlette.testclient import TestClient

from deixis._studio.library import Library
from deixis._studio.server import make_app
from deixis.expression import Description, Is, Nth, Related, parts
from deixis.resolution import denotation, trace
from deixis.testing import expressions
from deixis.worlds.photos._pages.example import Story, find_example, ids_of, related_to
from deixis.worlds.photos._pages.reading import narrowing
from deixis.worlds.photos.data.store import open_copsref, write_copsref
from deixis.worlds.photos.localise import DistractorImage, Example
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.scene.graphs import SCHEMA, image, tables, thing


RED_CAR = Description((Is("name", "car"), Is("color", "red"), Related("near", Description((Is("name", "tree"),)))))
OWN = image(
    thing(0, "car", "red", "near 2"), thing(1, "car", "blue"), thing(2, "tree"), thing(3, "car", "red"), image_id="own"
)
OTHER = image(thing(0, "car", "red"), thing(1, "tree"), image_id="other")
TEXT = "The red car that is near the tree"
EXAMPLE = Example(
    id=7,
    text=TEXT,
    expression=RED_CAR,
    form="chain",
    forms=("chain",),
    image_id="own",
    object_id="0",
    distractors=(DistractorImage("Cat&attr", "other", "0", "phrase 2"),),
    split="test",
)


@pytest.fixture(scope="module")
def table():
    """Two small images."""
    return GraphTable.of([OWN, OTHER])


@pytest.fixture(scope="module")
def client(demo_roots):
    """A studio over the demo."""
    return TestClient(make_app(demo_roots), base_url="http://127.0.0.1")


@pytest.fixture(scope="module")
def examples(demo_roots):
    """The examples of the demo."""
    return list(open_copsref(demo_roots[0] / "photographs").examples())


def of(story: Story, image: int, role: str) -> list[int]:
    """The objects of an image with a role."""
    return sorted(region.index for region in story.shown[image].regions if region.role == role)


# -------------------------------------------------------------------------------- what is told


@given(table=tables(), expression=expressions(SCHEMA))
def test_what_every_part_keeps_is_what_the_trace_says(table, expression):
    """Every part has its objects, and where the trace has a step, they are those of the trace."""
    scene = table.scene(0)

    kept = narrowing(expression, scene)

    assert kept.keys() == {part.address for part in parts(expression)}
    for step in trace(expression, scene).walk():
        assert kept[step.part.address] == (step.before, step.after)


def test_each_word_shows_what_it_leaves(table):
    """The text is cut into parts, each with the objects that are left after it in the image of the target."""
    found = [(one.text, one.kind, one.lights) for one in Story(EXAMPLE, table).segments]

    assert found == [
        ("The", "", ()),
        ("red", "color", (0, 3)),
        ("car", "noun", (0, 1, 3)),
        ("that is", "", ()),
        ("near", "clause", (0,)),
        ("the", "", ()),
        ("tree", "noun", (2,)),
    ]


def test_steps_inside_a_clause_come_before_it(table):
    """The steps are told in the order in which they are taken."""
    steps = Story(EXAMPLE, table).steps

    assert [step.words for step in steps] == ["car", "red", "tree", "near the tree"]
    assert [len(step.lights) for step in steps] == [3, 2, 1, 1]


def test_regions_have_the_roles_of_the_paper(table):
    """The target, what it is related to, and what tempts, in its own image and in the other."""
    story = Story(EXAMPLE, table)

    assert (of(story, 0, "target"), of(story, 0, "related"), of(story, 0, "reached")) == ([0], [2], [1, 3])
    assert (of(story, 1, "tempting"), of(story, 1, "related")) == ([0], [1])


def test_a_tempting_region_says_what_goes_unheard(table):
    """Who takes the car of the other image has ignored the clause."""
    (region,) = (one for one in Story(EXAMPLE, table).shown[1].regions if one.role == "tempting")

    assert region.says == "You would end here if you ignored ‘near the tree’."
    assert region.misses == "2"


def test_parts_that_can_be_spared_are_idle(table):
    """Only one thing is near anything, so that nothing but the clause is needed."""
    idle = {one.text: one.is_idle for one in Story(EXAMPLE, table).segments if one.kind}

    assert idle == {"red": True, "car": True, "near": False, "tree": True}


def test_the_tree_has_names_attributes_and_relations(table):
    """Objects are nodes, attributes stand with them, and relations lead on."""
    tree = Story(EXAMPLE, table).tree

    assert (tree.name, tree.attributes, tree.lights) == ("car", ("red",), (0,))
    (branch,) = tree.branches
    assert (branch.label, branch.node.name, branch.node.lights) == ("near", "tree", (2,))


def test_related_objects_are_those_that_make_the_clauses_hold(table):
    """Only the tree that the car is near counts, with the address of its clause."""
    assert related_to(RED_CAR, table.scene(0), 0) == {2: (2,)}
    assert related_to(RED_CAR, table.scene(1), 0) == {}


def test_a_wrong_target_fails_its_check(table):
    """An example whose target is another object is told so."""
    wrong = replace(EXAMPLE, object_id="3")

    failed = [check.code for check in Story(wrong, table).checks if not check.holds]

    assert failed == ["E103"]


def test_what_is_not_there_must_fit_nothing(table):
    """Of an expression without a target the one check is that nothing fits."""
    absent = replace(EXAMPLE, object_id="", distractors=())

    assert [(check.code, check.holds) for check in Story(absent, table).checks] == [("E801", True), ("E803", False)]


def test_a_text_without_recorded_meaning_is_read(table):
    """The words show what they mean even where the file does not say; what cannot be read is shown as it is."""
    unread = Story(replace(EXAMPLE, expression=None), table)
    strange = Story(replace(EXAMPLE, expression=None, text="wibble <b>wobble</b>"), table)

    assert unread.expression == RED_CAR
    assert [one.text for one in strange.segments] == ["wibble <b>wobble</b>"]
    assert (strange.steps, strange.tree, strange.checks) == ((), None, ())


def test_a_text_that_says_something_else_shows_no_parts(table):
    """Words are not matched with a meaning that is not theirs, yet the images are explained."""
    story = Story(replace(EXAMPLE, text="The blue car"), table)

    assert story.utterance is None
    assert of(story, 0, "target") == [0]


def test_a_rank_in_two_pieces_is_one_part():
    """'second' and 'from the left' are the same part."""
    said = Description((Is("name", "car"), Nth(2, "left")))
    one = Example(
        id=1, text="The second car from the left", expression=said, form="order", image_id="own", object_id="1"
    )

    found = {seg.text: seg.address for seg in Story(one, GraphTable.of([OWN])).segments}

    assert found == {"The": "", "second": "1", "car": "0", "from the left": "1"}


def test_every_example_of_the_demo_is_found_and_holds(demo_roots, examples):
    """Found by its id, each has the words of its text, its target alone, and no failing check."""
    (entry,) = (one for one in Library(demo_roots) if one.kind == "photos")
    for example in examples[:: max(1, len(examples) // 25)]:
        found, _ = find_example(entry, example.id)
        story = Story(found, entry.data.scenes)
        assert found == example
        assert story.utterance is not None
        assert " ".join(one.text for one in story.segments) == example.text
        assert all(check.holds for check in story.checks)
        if example.is_there:
            assert denotation(story.expression, story.scene) == {story.target}


# -------------------------------------------------------------------------------- pages


def test_the_page_has_the_images_by_kind(client, examples):
    """The image of the target comes first, then those of each kind, every one with its picture."""
    example = next(one for one in examples if one.is_there and one.distractors)

    page = client.get(f"/d/photographs/{example.id}").text

    assert page.count("<svg id=") == 1 + len(example.distractors)
    assert len(set(re.findall(r"/picture/(\d+)\.png", page))) == len(set(example.images()))
    for kind in {one.kind for one in example.distractors}:
        assert f'aria-label="{kind.replace("&", "&amp;")}"' in page


def test_what_is_not_there_is_told(client, examples):
    """An expression that fits nothing says what was changed and where it comes from."""
    example = next(one for one in examples if not one.is_there)

    page = client.get(f"/d/photographs/{example.id}").text

    assert "The expression fits nothing in these images" in page
    assert f'href="/d/photographs/{example.changed_id}"' in page


def test_without_pictures_the_boxes_have_names(tmp_path):
    """Where no picture is at hand the regions are drawn on an empty ground."""
    write_copsref(tmp_path / "plain", [EXAMPLE], GraphTable.of([OWN, OTHER]))
    client = TestClient(make_app([tmp_path]), base_url="http://127.0.0.1")

    page = client.get("/d/plain/7").text

    assert 'class="regions blank"' in page
    assert "<image" not in page
    assert "★ red car" in page


def test_names_and_texts_are_escaped(tmp_path):
    """Scripts in a text, a name, an id or a change are shown, never run."""
    bad = "<script>alert(1)</script>"
    scene = image(thing(0, bad, bad), image_id=bad)
    example = replace(EXAMPLE, text=bad, expression=None, image_id=bad, distractors=(), form=bad, forms=(bad,))
    absent = replace(example, id=8, object_id="", change=bad, changed=bad)
    write_copsref(tmp_path / "bad", [example, absent], GraphTable.of([scene]))
    client = TestClient(make_app([tmp_path]), base_url="http://127.0.0.1")

    for number in (7, 8):
        page = client.get(f"/d/bad/{number}")
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "&lt;script&gt;" in page.text


def test_an_image_without_a_graph_is_a_fault_of_its_own(tmp_path):
    """What is missing is told in its place, and the rest is shown."""
    lost = replace(EXAMPLE, distractors=(*EXAMPLE.distractors, DistractorImage("Cat", "lost", "0")))
    write_copsref(tmp_path / "lost", [lost], GraphTable.of([OWN, OTHER]))
    client = TestClient(make_app([tmp_path]), base_url="http://127.0.0.1")

    page = client.get("/d/lost/7").text

    assert page.count("<svg id=") == 2
    assert "There is no scene graph of this image" in page


def test_the_page_names_the_number_and_the_id(client, demo_roots):
    """The number is the one that `deixis show` counts, the id the one in the address."""
    ids = ids_of(next(entry for entry in Library(tuple(demo_roots)) if entry.kind == "photos")).tolist()
    place = next(place for place, one in enumerate(ids) if one != place)

    page = client.get(f"/d/photographs/{ids[place]}").text
    by_number = [n for n in range(len(ids)) if n not in ids]

    assert f'<span aria-current="page">example {place:,}</span>' in page
    assert f"<dt>Number</dt><dd>{place:,}</dd><dt>Id</dt><dd><code>{ids[place]}</code></dd>" in page
    for number in by_number[:3]:
        assert f">example {number:,}</span>" in client.get(f"/d/photographs/{number}").text


def test_an_unknown_id_is_told(client):
    """An id that no example has gets a message, whatever its size."""
    for number in (999_999_999, 2**70):
        answer = client.get(f"/d/photographs/{number}")
        assert answer.status_code == 404
        assert (
            "there is no example with the id"
            in json.loads(client.get(f"/d/photographs/{number}", headers={"accept": "application/json"}).text)["error"]
        )
