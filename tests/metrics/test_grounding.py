from __future__ import annotations

from collections import Counter

import pytest

from deixis._losses import Losses
from deixis.errors import BrokenDataset
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.judge.uncertainty import wilson
from deixis.resolution.reference import denotation
from deixis.worlds.photos._judging.grounding import crowd_of, evaluate_answers
from deixis.worlds.photos._judging.tables import evaluation_blocks
from deixis.worlds.photos._judging.verdicts import UNEXPLAINED, judge_answers, name_ignored_parts
from deixis.worlds.photos._misreadings import misreadings
from deixis.worlds.photos.localise import SETTINGS, Answer, DistractorImage, Example
from deixis.worlds.photos.scene.graph import Box
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.datasets.copsref.posed import posed
from tests.scene.graphs import image, thing


MAN = Description((Is("name", "man"), Is("other", "wet")))
CAR = Description((Is("name", "car"), Is("color", "red"), Related("near", MAN)))
TABLE = GraphTable.of(
    [
        image(
            thing(0, "car", "red", "near 1"),
            thing(1, "man", "wet"),
            thing(2, "car", "blue", "near 1"),
            thing(3, "car", "red"),
            thing(4, "tree"),
            image_id="street",
        ),
        image(thing(0, "car", "red", "near 1"), thing(1, "man"), image_id="harbour"),
        image(thing(0, "cow"), image_id="field"),
    ]
)
EXAMPLE = Example(
    id=1,
    text="The red car that is near the wet man",
    expression=CAR,
    form="chain",
    image_id="street",
    object_id="0",
    distractors=(DistractorImage("Cat&attr", "harbour", "0", "phrase 2"), DistractorImage("DiffCat", "field")),
)
ABSENT = Example(
    id=2, text="The cow", expression=None, form="chain", image_id="street", object_id="", change="noun", changed_id=1
)


def only(*answers, examples=(EXAMPLE,)):
    (verdict,) = judge_answers(examples, answers, TABLE)
    return verdict


def test_a_verdict_names_the_object_that_was_chosen():
    """Its number in its image, whichever image that is; nothing where none was chosen."""
    wrong = only(Answer(1, "Full", "harbour", "0"))
    scene = TABLE.scene(TABLE.find("harbour"))

    assert (wrong.image, wrong.object) == ("harbour", scene.object_number("0"))
    assert (only(Answer(1, "Full", "street", "0")).image, only(Answer(1, "Full", "no such", "0")).image) == (
        "street",
        "",
    )
    assert only(Answer(1, "Full", "no such", "0")).object == -1


def test_only_the_target_itself_is_right():
    """The target is right, another red car is not."""
    assert only(Answer(1, "Full", "street", "0")).outcome == "right"
    assert only(Answer(1, "Full", "street", "3")).outcome == "wrong object"
    assert only(Answer(1, "Full", "harbour", "0")).outcome == "wrong object"


@pytest.mark.parametrize(
    ("image_id", "chosen", "place", "is_same", "reasons"),
    [
        ("street", "2", "right image", True, ("attribute",)),
        ("street", "3", "right image", True, ("relation",)),
        ("street", "4", "right image", False, (UNEXPLAINED,)),
        ("harbour", "0", "Cat&attr", True, ("relation", "attribute of something related")),
        ("field", "0", "DiffCat", False, (UNEXPLAINED,)),
    ],
)
def test_wrong_choices_are_explained(image_id, chosen, place, is_same, reasons):
    """A wrong choice lies somewhere, is of the category or not, and follows from missing something."""
    verdict = only(Answer(1, "Full", image_id, chosen))

    assert (verdict.place, verdict.is_same_category) == (place, is_same)
    assert verdict.misreadings == reasons


def test_images_that_are_not_shown_are_another_place():
    """In a setting without distractor images, an object of one is a choice that was not on offer."""
    assert only(Answer(1, "WithoutDist", "harbour", "0")).place == "image not shown"


def test_boxes_stand_for_the_object_they_fit():
    """A box that overlaps the target by half means it; one that fits nothing is no object, and is told apart."""
    right = only(Answer(1, "Full", "street", box=Box(0, 10, 8, 21)))
    wrong = only(Answer(1, "Full", "street", box=Box(30, 10, 8, 20)))
    nothing = only(Answer(1, "Full", "street", box=Box(300, 10, 8, 20)))

    assert (right.outcome, right.overlaps) == ("right", True)
    assert (wrong.outcome, wrong.overlaps) == ("wrong object", False)
    assert (nothing.outcome, nothing.overlaps) == ("no object", False)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Answer(1, "Full", fault="no box"), "unparsable"),
        (Answer(1, "Full", is_absent=True), "said not there"),
        (Answer(1, "Full", "nowhere", "0"), "no object"),
        (Answer(1, "Full", "street", "77"), "no object"),
        (Answer(1, "Full", scores={("street", "77"): 1.0}), "unparsable"),
    ],
)
def test_other_outcomes_are_told_apart(answer, outcome):
    """What cannot be understood, what says that it is not there and what points nowhere are three things."""
    assert only(answer).outcome == outcome


def test_scores_answer_in_every_setting():
    """Of the candidates that are shown the highest counts; candidates of other images do not."""
    scores = {("street", "0"): 0.5, ("street", "3"): 0.1, ("harbour", "0"): 0.9}

    verdicts = judge_answers([EXAMPLE], [Answer(1, None, scores=scores)], TABLE)

    found = {verdict.setting: verdict.outcome for verdict in verdicts}
    assert tuple(found) == SETTINGS
    assert [setting for setting, outcome in found.items() if outcome != "right"] == ["Full", "Cat&attr"]


def test_equal_scores_are_settled_by_lot():
    """Among equals each is chosen about as often; the order of images and objects gives nothing away."""
    scores = {("street", "0"): 1.0, ("street", "3"): 1.0, ("harbour", "0"): 1.0}
    chosen = Counter(
        verdict.place
        for seed in range(120)
        for verdict in judge_answers([EXAMPLE], [Answer(1, None, scores=scores)], TABLE, seed=seed)
        if verdict.setting == "Full"
    )

    assert set(chosen) == {"", "right image", "Cat&attr"}
    assert min(chosen.values()) > 20


@pytest.mark.parametrize("example", posed().there, ids=lambda example: str(example.id))
def test_what_was_missed_leads_there_by_the_plain_definition(example):
    """The compiled attribution names exactly the single parts whose absence lets the chosen object through."""
    scenes = posed().scenes
    for image_id in example.images()[:4]:
        scene = scenes.scene(scenes.find(image_id))
        for number, object_id in enumerate(scene.object_ids):
            (verdict,) = judge_answers([example], [Answer(example.id, "Full", image_id, object_id)], scenes)
            if verdict.outcome == "right":
                continue
            led = [one for one in misreadings(example.expression) if number in denotation(one.expression, scene)]
            single = {name_ignored_parts(one, example.expression) for one in led if len(one.parts) == 1}
            wide = {name_ignored_parts(one, example.expression) for one in led[:1]}
            assert set(verdict.misreadings) == (single or wide or {UNEXPLAINED})


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (CAR, {"noun", "attribute", "relation", "noun of something related", "attribute of something related"}),
        (Description((Is("name", "car"), Nth(1, "left"))), {"noun", "rank"}),
        (
            Description((Is("name", "car"), Not(Related("near", MAN)))),
            {"noun", "negation", "noun of something related"},
        ),
        (
            Description((Is("name", "car"), AnyOf((Related("near", MAN), Related("on", MAN))))),
            {"noun", "alternatives", "relation", "noun of something related", "attribute of something related"},
        ),
    ],
)
def test_what_can_be_missed_has_a_name(expression, words):
    """Every part has a word for what it is, with a note where it is said of something else."""
    found = {name_ignored_parts(one, expression) for one in misreadings(expression) if len(one.parts) == 1}

    assert words - {"noun of something related"} <= found | {"relation"}
    assert found <= words | {"attribute of something related"}


def test_results_of_a_perfect_and_of_a_careless_model():
    """Who answers everything right has 100 %; who takes the tempting object of Cat&attr misses relations and more."""
    examples, scenes = posed().there, posed().scenes
    perfect = [Answer(e.id, "Full", e.image_id, e.object_id) for e in examples]
    tempted = [
        Answer(e.id, "Full", d.image_id, d.object_id) for e in examples for d in e.distractors if d.kind == "Cat&attr"
    ][::3]

    best, _ = evaluate_answers(examples, perfect, scenes)
    worst, verdicts = evaluate_answers(examples, tempted, scenes)

    assert best.settings["Full"].accuracy == wilson(len(examples), len(examples))
    assert worst.settings["Full"].accuracy.mean == 0.0
    assert worst.settings["Full"].places.keys() == {"Cat&attr"}
    assert worst.settings["Full"].categories == {"same category": len(verdicts)}
    assert sum(worst.settings["Full"].misreadings.values()) == pytest.approx(len(examples))
    assert "noun" not in worst.settings["Full"].misreadings


def test_chance_is_the_mean_of_reciprocals():
    """Chance is the mean of one over the number of candidates; parts have counts, and unanswered splits none."""
    scenes = posed().scenes
    examples = [example for example in posed().there if example.split == "test"]
    answers = [Answer(examples[0].id, "Full", "0", "0")]
    found, verdicts = evaluate_answers(posed().there, answers, scenes)

    settled = found.settings["Full"]
    assert settled.chance == pytest.approx(sum(1 / e.candidates(scenes) for e in examples) / len(examples))
    assert settled.outcomes["unanswered"] == len(examples) - 1 == len(verdicts) - 1
    assert {form: part.rows for form, part in settled.by_form.items()} == Counter(e.form for e in examples)
    assert {name: part.rows for name, part in settled.by_length.items()} == Counter(e.length for e in examples)
    crowds = Counter(crowd_of(e.candidates(scenes)) for e in examples)
    assert {name: part.rows for name, part in settled.by_candidates.items()} == crowds


def test_intervals_hold_the_mean():
    """Half right and half wrong gives an interval around one half."""
    examples, scenes = posed().there, posed().scenes
    answers = [Answer(e.id, "Cat", e.image_id, e.object_id if n % 2 else "none") for n, e in enumerate(examples)]

    accuracy = evaluate_answers(examples, answers, scenes)[0].settings["Cat"].accuracy

    assert accuracy.low < accuracy.mean < accuracy.high
    assert accuracy.mean == pytest.approx((len(examples) // 2) / len(examples))


def test_one_of_one_is_not_certain():
    """A single right answer leaves a wide interval, and so does each group of one."""
    examples, scenes = posed().there[:1], posed().scenes
    answers = [Answer(e.id, "Cat", e.image_id, e.object_id) for e in examples]

    settled = evaluate_answers(examples, answers, scenes)[0].settings["Cat"]

    for found in (settled.accuracy, *settled.by_form.values(), *settled.by_length.values()):
        assert (found.mean, found.high, found.rows) == (1.0, 1.0, 1)
        assert found.low == pytest.approx(0.2065, abs=1e-4)


def test_not_there_is_the_right_answer_where_nothing_fits():
    """Saying so is right for what is not there and wrong for what is; pointing is the other way round."""
    examples = [EXAMPLE, ABSENT]
    said = [Answer(1, "Full", is_absent=True), Answer(2, "Full", is_absent=True)]
    pointed = [Answer(1, "Full", "street", "0"), Answer(2, "Full", "street", "0")]

    shy, _ = evaluate_answers(examples, said, TABLE)
    bold, _ = evaluate_answers(examples, pointed, TABLE)

    assert (shy.examples, shy.absent["Full"].mean, shy.settings["Full"].accuracy.mean) == ((1, 1), 1.0, 0.0)
    assert (bold.absent["Full"].mean, bold.settings["Full"].accuracy.mean) == (0.0, 1.0)
    assert bold.absent_by_change["Full"].keys() == {"noun"}
    assert shy.settings["Full"].outcomes == {"said not there": 1}
    assert shy.to_dict()["not there"]["Full"]["by change"]["noun"]["mean"] == 1.0


def test_silence_about_what_is_not_there_is_told():
    """No answer counts as wrong where nothing fits, and how often it was so is told and kept."""
    silent, _ = evaluate_answers([EXAMPLE, ABSENT], [Answer(1, "Full", "street", "0")], TABLE)
    said, _ = evaluate_answers([EXAMPLE, ABSENT], [Answer(1, "Full", "street", "0"), Answer(2, "Full")], TABLE)

    assert silent.absent["Full"].mean == 0.0
    assert silent.to_dict()["not there"]["Full"]["unanswered"] == 1
    assert "Of these, unanswered and counted as wrong: 1 of 1 in Full." in list(
        evaluation_blocks(silent, (), Losses("answers"))
    )
    assert "unanswered" not in said.to_dict()["not there"]["Full"]


def test_answers_to_other_examples_are_counted():
    """Unknown ids and second answers change nothing and are counted; without any known id there is no result."""
    answers = [Answer(9), Answer(1, "Full", "street", "0"), Answer(1, "Full", "street", "3")]

    found, verdicts = evaluate_answers([EXAMPLE], answers, TABLE)

    assert [verdict.outcome for verdict in verdicts] == ["right"]
    assert sum(found.strange.values()) == 2
    with pytest.raises(BrokenDataset, match="none of the answers"):
        evaluate_answers([EXAMPLE], [Answer(9)], TABLE)
