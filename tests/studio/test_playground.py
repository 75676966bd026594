import json
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

import deixis as dx
from deixis._studio.server import make_app
from deixis.data.store import write_parquet
from deixis.errors import SchemaError
from deixis.resolution.reference import denotation
from deixis.testing import PLAIN_KINDS, expressions, grid_scenes
from deixis.worlds.grid._pages import playground_verdict
from deixis.worlds.grid._pages.playground import STARTS, link
from deixis.worlds.grid._pages.playground_files import (
    FILES,
    from_address,
    from_plain,
    make_file,
    ready,
    to_address,
    to_plain,
)
from deixis.worlds.grid._pages.playground_text import completions, completions_title, segments
from deixis.worlds.grid._pages.playground_verdict import judge
from deixis.worlds.grid.actions import Verb
from deixis.worlds.grid.data.table import table_of
from deixis.worlds.grid.language import WORDS, explain, read
from deixis.worlds.grid.plan import plan


TWO_CIRCLES = """
    >   .   .   .
    .   r○2 .   b○1
    .   .   .   .
    .   b□3 .   .
"""
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    scene = dx.grid(TWO_CIRCLES)
    actions = plan(scene, 0, Verb.PUSH)
    example = dx.GridExample(text="push the red circle", scene=scene, target=0, plan=actions, split="train")
    file = tmp_path_factory.mktemp("playground") / "tiny.parquet"
    write_parquet(table_of([example]), file)
    return TestClient(make_app([file]), base_url="http://127.0.0.1")


def ask(client: TestClient, text: str, scene: Any = None) -> dict[str, Any]:
    body = {"text": text, "scene": to_plain(dx.grid(TWO_CIRCLES)) if scene is None else scene}
    answer = client.post("/playground/judge", json=body, headers={"accept": "application/json"})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


# ---- boards


BOARDS = st.integers(4, 16).flatmap(lambda side: grid_scenes(size=side, max_objects=12, with_agent=True))


@given(scene=BOARDS | grid_scenes())
def test_a_board_comes_back_from_an_address_and_from_plain_values(scene):
    """A board that is written into an address or into plain values can be read back unchanged."""
    assert from_address(to_address(scene)) == scene
    assert from_plain(json.loads(json.dumps(to_plain(scene)))) == scene


@pytest.mark.parametrize(
    "address",
    [
        "",
        "x",
        "3",
        "17",
        "6_",
        "6_rc9.1.1",
        "6_rc0.1.1",
        "6_rc2.9.1",
        "6_zz2.1.1",
        "6_a9.9e",
        "٦",
        "9" * 50,
        f"6_{SCRIPT}",
    ],
)
def test_an_address_that_is_no_board_is_refused(client, address):
    """Nonsense in an address gives a message and a status of the user's mistakes, not a fault of ours."""
    with pytest.raises(SchemaError):
        from_address(address)

    answer = client.get(f"/playground?{urlencode({'scene': address})}")

    assert answer.status_code == 400
    assert SCRIPT not in answer.text


@pytest.mark.parametrize(
    "scene",
    [
        None,
        [],
        {"size": 6},
        {"size": 6, "objects": [3]},
        {"size": 6, "objects": [], "more": 1},
        {"size": 6.5, "objects": []},
        {"size": True, "objects": []},
        {"size": 40, "objects": []},
        {"size": 6, "objects": [{"shape": "circle", "color": "red", "size": 1, "row": -1, "column": 0}]},
        {"size": 6, "objects": [{"shape": "cone", "color": "red", "size": 1, "row": 1, "column": 0}]},
        {"size": 6, "objects": [{"shape": "circle", "color": "red", "size": 7, "row": 1, "column": 0}]},
        {"size": 6, "objects": [], "agent": {"row": 1, "column": 1, "facing": "up"}},
        {"size": 6, "objects": [{"shape": "circle", "color": "red", "size": 1, "row": 1, "column": 0}] * 49},
    ],
)
def test_values_that_are_no_board_are_refused(client, scene):
    """A board that the page could not have sent is refused with one line."""
    answer = client.post("/playground/judge", json={"text": "", "scene": scene}, headers={"accept": "application/json"})

    assert answer.status_code == 400
    assert answer.json()["error"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"text": 3}', b"[" * 5000, b"\xff"])
def test_a_request_that_is_no_json_is_refused(client, body):
    """Bytes that are not the JSON of a question are refused with one line."""
    answer = client.post("/playground/judge", content=body, headers={"accept": "application/json"})

    assert answer.status_code == 400


# ---- verdicts


def test_the_verdict_names_what_is_picked_out(client):
    """One object, several and none are told apart in words."""
    assert ask(client, "the red circle")["headline"] == "Picks out exactly one object"
    assert ask(client, "the circle")["headline"] == "Picks out 2 objects: ambiguous"
    assert ask(client, "the green circle")["headline"] == "Picks out nothing"
    assert [thing["fits"] for thing in ask(client, "the circle")["things"]] == [True, True, False]


@given(scene=grid_scenes(), expression=expressions(kinds=PLAIN_KINDS, in_spoken_order=True))
def test_the_judge_agrees_with_the_plain_definition(scene, expression):
    """What the playground says of a text is what resolution and explanation say, metered or not."""
    try:
        text = dx.realise(expression).text
    except dx.DeixisError:
        return

    judgement = judge(scene, text)

    if judgement.explanation is not None:
        assert set(judgement.referents) == denotation(read(text).expression, scene)
        assert judgement.explanation == explain(read(text), scene)


def test_necessity_tells_needed_words_from_idle_ones():
    """Of two words of which one suffices, either can be left out, and the shorter text is offered."""
    judgement = judge(dx.grid(TWO_CIRCLES), "push the blue square")

    assert [(part.words, part.is_necessary) for part in judgement.necessities] == [("blue", False), ("square", True)]
    assert judgement.necessities[0].shorter == "push the square"
    assert judgement.necessities[1].fits == (1, 2)


def test_a_word_left_out_takes_its_determiners_along():
    """Leaving out a clause leaves out the determiner of its noun phrase, and no other."""
    text = "the red circle that is in the same row as a circle and in the same column as the square"
    judgement = judge(dx.grid(TWO_CIRCLES), text)

    shorter = {part.words: part.shorter for part in judgement.necessities}

    assert shorter["in the same row as a circle"] == "the red circle that is in the same column as the square"


def test_determiners_are_those_of_the_board():
    """Where only one object fits a noun phrase, the wording with 'the' is offered."""
    judgement = judge(dx.grid(TWO_CIRCLES), "the red circle that is in the same row as a blue circle")

    assert judgement.wording == "the red circle that is in the same row as the blue circle"
    assert judge(dx.grid(TWO_CIRCLES), judgement.wording).wording == ""


def test_a_distractor_says_which_misreading_leads_to_it():
    """An object that a careless reader would take is told by the word that was overlooked."""
    judgement = judge(dx.grid(TWO_CIRCLES), "the red circle")

    assert "Ruled out by ‘red’" in judgement.about(1)
    assert "You would end here if you ignored ‘red’ in ‘the red circle’." in judgement.about(1)
    assert judgement.about(0) == "This is the target."


def test_a_plan_needs_a_verb_an_agent_and_one_object():
    """A plan is made for commands with one referent on a board with an agent, else the page says what is lacking."""
    scene = dx.grid(TWO_CIRCLES)

    assert judge(scene, "push the red circle").plan == plan(scene, 0, Verb.PUSH)
    assert "begin with" in judge(scene, "the red circle").why_no_plan
    assert "exactly one" in judge(scene, "push the circle").why_no_plan
    assert "add the agent" in judge(dx.grid(TWO_CIRCLES.replace(">", ".")), "push the red circle").why_no_plan


def test_work_is_metered(monkeypatch):
    """An expression whose matching would take too long is refused in words, not tried for ever."""
    monkeypatch.setattr(playground_verdict, "MAX_QUESTIONS", 50)

    judgement = judge(dx.grid(TWO_CIRCLES), "the red circle that is in the same row as a circle")

    assert judgement.headline == "Too much to work out"
    assert "take away a clause" in judgement.details


def test_a_hostile_expression_is_given_up_soon():
    """Many mentions that all want the same few objects do not keep the server busy."""
    scene = dx.GridScene(tuple(dx.grid(TWO_CIRCLES).objects) * 16, size=16)
    chain = " that is in the same color as a object" * 9
    tail = " that is in the same shape as the big blue square" * 2

    assert judge(scene, f"the object{chain}{tail}").headline in ("Too much to work out", "Picks out nothing")
    assert "noun phrases" in judge(scene, f"the object{chain * 4}").details


def test_the_starts_are_what_their_names_say():
    """The boards to start from show what they promise."""
    judged = {name: judge(dx.grid(picture), text) for name, (text, picture) in STARTS.items()}

    assert all(part.is_necessary for part in judged["every word counts"].necessities)
    idle = [p.words for p in judged["one word too many"].necessities if not (p.is_necessary or p.is_implied)]
    assert idle == ["yellow"]
    assert len(judged["ambiguous"].referents) == 2
    assert judged["every word counts"].plan
    assert judged["one word too many"].plan


# ---- words


def test_every_completion_can_be_read_further():
    """Whatever is offered to follow can follow, from the empty text on to the longest."""
    scene = dx.grid(TWO_CIRCLES)
    text = ""
    for step in range(40):
        options = completions(judge(scene, text))
        for option in options:
            error = judge(scene, option.text).error
            assert error is None or error.position > len(option.text.split())
        going_on = [option.text for option in options if option.words not in WORDS.manners]
        text = going_on[step * 7 % len(going_on)]

    assert len(text.split()) > 60


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("pu", ["push", "pull"]),
        ("push the re", ["push the red"]),
        ("the red circle that", ["the red circle that is"]),
        ("the red circle", ["the red circle that is"]),
        ("push the red circle cautiously", []),
        ("the foo circle that is inside of a box", ["the big circle that is inside of a box"]),
    ],
)
def test_completions_follow_what_was_typed(text, offered):
    """A word that was begun is completed, a wrong word is replaced, a whole text is continued."""
    found = [option.text for option in completions(judge(dx.grid(TWO_CIRCLES), text))]

    assert found[: len(offered)] == offered
    assert bool(found) == bool(offered)


@pytest.mark.parametrize(
    ("text", "words", "made", "title"),
    [
        ("red circle", "the", "the red circle", "Expected at ‘red’:"),
        ("walk to circle", "a", "walk to a circle", "Expected at ‘circle’:"),
        ("the circle in the same row as a square", "that is", "the circle that is in the same row as a square", None),
        ("walk to the foo circle", "red", "walk to the red circle", "Instead of ‘foo’:"),
        ("walk to the circle is", "cautiously", "walk to the circle cautiously", "Instead of ‘is’:"),
    ],
)
def test_a_chip_destroys_no_word_that_may_stay(text, words, made, title):
    """What is missing is put in before a word of the language; only a word that cannot stay is replaced."""
    judged = judge(dx.grid(TWO_CIRCLES), text)

    found = {option.words: option.text for option in completions(judged)}

    assert found[words] == made
    assert title is None or completions_title(judged) == title


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("walk to the red circel", "walk to the red circle"),
        ("go to the red circle", "walk to the red circle"),
        ("the circle which is inside a box", "the circle that is inside of a box"),
    ],
)
def test_a_slip_is_answered_by_what_may_have_been_meant(text, meant):
    """The verdict asks whether something else was meant, and the first thing to choose is that."""
    judgement = judge(dx.grid(TWO_CIRCLES), text)

    assert judgement.details == f"Did you mean ‘{meant}’?"
    assert completions(judgement)[0].text == meant


def test_a_full_stop_ends_a_sentence():
    """A text is read with or without one."""
    judgement = judge(dx.grid(TWO_CIRCLES), "Walk to the red circle.")

    assert judgement.target == 0
    assert judgement.utterance.text == "walk to the red circle"


def test_the_wrong_word_is_underlined(client):
    """Where reading stops, that word and no other is marked, and the verdict says what could stand there."""
    answer = ask(client, "push the foo circle")

    assert answer["said"].count('class="wrong"') == 1
    assert 'stopped here">foo<' in answer["said"]
    assert answer["next_title"] == "Instead of ‘foo’:"
    assert "‘red’" in answer["verdict"]


def test_a_word_lights_what_is_left_after_it():
    """The pieces of a text are its words in order; each part carries the objects left after it."""
    text = "push the red circle that is in the same row as a circle"
    found = segments(judge(dx.grid(TWO_CIRCLES), text))

    assert " ".join(piece.words for piece in found) == text
    assert [(p.words, p.kind, p.lights) for p in found if p.kind][:2] == [
        ("red", "color", (0,)),
        ("circle", "noun", (0, 1)),
    ]


@pytest.mark.parametrize("text", [SCRIPT, f"push the {SCRIPT}", "'\"><img src=x>", "\x00", "x" * 3000, "a " * 401])
def test_no_text_becomes_markup_or_a_fault(client, text):
    """Whatever is typed is shown as text, never as part of the page."""
    answer = ask(client, text)
    page = client.get(f"/playground?{urlencode({'text': text})}")

    for shown in (answer["said"], answer["verdict"], answer["svg"], page.text):
        assert SCRIPT not in shown
        assert "<img src=x" not in shown
    assert page.status_code == 200


def test_a_text_without_end_is_refused(client):
    """More characters than anyone types are refused in one line."""
    answer = client.get(f"/playground?{urlencode({'text': 'x ' * 3000})}")

    assert answer.status_code == 400
    assert "characters" in answer.text


# ---- pages and files


def test_the_link_opens_the_same_board(client):
    """Board and text survive the way through an address."""
    scene = dx.grid(TWO_CIRCLES)
    address = link(scene, "the red circle")

    page = client.get(address)

    assert page.status_code == 200
    assert 'value="the red circle"' in page.text
    assert from_address(parse_qs(urlsplit(address).query)["scene"][0]) == scene
    assert "Picks out exactly one object" in page.text


def test_an_example_of_a_dataset_can_be_opened(client):
    """`?example=` opens an example, `?random=` one that is chosen by a number."""
    for address in ("/playground?example=tiny-parquet/0", "/playground?random=5"):
        page = client.get(address)

        assert page.status_code == 200
        assert 'value="push the red circle"' in page.text
        assert "/d/tiny-parquet/0" in page.text


@pytest.mark.parametrize(
    "query",
    ["example=tiny-parquet/1", "example=tiny-parquet/x", "example=", "example=../../etc/0", "random=-1", "random=x"],
)
def test_an_example_that_is_not_there_is_said_to_be_missing(client, query):
    """A wrong name or number gives a page that says so."""
    answer = client.get(f"/playground?{query}")

    assert answer.status_code == 404
    assert "fault" in answer.text


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("scene.svg", b"<svg"),
        ("scene.png", b"\x89PNG"),
        ("plan.svg", b"<svg"),
        ("plan.gif", b"GIF89a"),
        ("fixture.json", b"{"),
        ("test_fixture.py", b"import deixis as dx"),
    ],
)
def test_files_can_be_taken_home(client, name, begins):
    """Every kind of file is one, offered under its name."""
    query = link(dx.grid(TWO_CIRCLES), "push the red circle").partition("?")[2]

    answer = client.get(f"/playground/{name}?{query}")

    assert answer.status_code == 200
    assert answer.content.startswith(begins)
    assert name in answer.headers["content-disposition"]


@pytest.mark.parametrize(
    "text", ["push the red circle cautiously", "the circle", "the circle that is in the same row as a circle"]
)
def test_the_saved_test_passes(client, text):
    """The Python file is a test that holds, and one that fails on another board."""
    query = link(dx.grid(TWO_CIRCLES), text).partition("?")[2]
    code = client.get(f"/playground/test_fixture.py?{query}").text
    names: dict[str, Any] = {}
    exec(compile(code, "test_fixture.py", "exec"), names)  # noqa: S102 - our own text, of known words
    names["test_what_is_picked_out"]()

    exec(compile(code.replace("r○2", "g○2").replace("b○1", "g□1"), "other.py", "exec"), names)  # noqa: S102 - likewise
    with pytest.raises(AssertionError):
        names["test_what_is_picked_out"]()


def test_the_saved_values_hold_the_board_and_the_answer(client):
    """The JSON file holds everything that is needed to check the example elsewhere."""
    query = link(dx.grid(TWO_CIRCLES), "push the red circle").partition("?")[2]

    values = client.get(f"/playground/fixture.json?{query}").json()

    assert from_plain(values["world"]) == dx.grid(TWO_CIRCLES)
    assert (values["target"], values["referents"]) == (0, [0])
    assert values["plan"][0] == "walk"


def test_only_files_that_can_be_made_are_offered(client):
    """What the page offers to save can be saved, whatever is typed; long plans come as SVG only."""
    scenes = {"short": dx.grid(TWO_CIRCLES), "long": from_address("16_a0.0e_rc3.1.15")}
    for text, name, count in (
        ("push the red circle", "short", 6),
        ("the red circle", "short", 4),
        ("the rod circle", "short", 2),
        ("push the red circle while spinning", "long", 5),
    ):
        judgement = judge(scenes[name], text)

        offered = ready(judgement)

        assert len(offered) == count
        for file in set(FILES) - set(offered):
            with pytest.raises(dx.DeixisError):
                make_file(file, judgement)


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/playground/other.txt", 404),
        ("/playground/..%2fserver.py", 404),
        ("/playground/plan.gif?text=the+red+circle", 400),
        ("/playground/test_fixture.py?text=foo", 400),
        ("/playground/fixture.json?text=", 400),
    ],
)
def test_what_cannot_be_kept_is_refused(client, address, status):
    """A file that there is not, or not of this text, is refused in words."""
    assert client.get(address).status_code == status


# ---- slips and suggestions


def test_the_page_reads_what_was_meant_and_says_so(client):
    """A text with slips gets the verdict on what was meant, and every change is told; the strict judge refuses it."""
    answer = ask(client, "go to red circel")

    assert answer["headline"] == "Picks out exactly one object"
    assert "Read as ‘walk to the red circle’: ‘go to’ was read as ‘walk to’" in answer["verdict"]
    assert 'data-text="walk to the red circle"' in answer["verdict"]
    assert judge(dx.grid(TWO_CIRCLES), "go to red circel").error is not None


def test_a_word_that_is_being_typed_is_not_taken_for_a_slip():
    """The beginning of a word that fits is completed by chips, not read as a word near it."""
    judged = judge(dx.grid(TWO_CIRCLES), "push the blu", is_tolerant=True)

    assert judged.is_begun
    assert judged.reading is None
    assert completions(judged)[0].text == "push the blue"


def test_where_no_slip_helps_the_word_is_pointed_at(client):
    """What could be mended is mended, and the word that could not is underlined."""
    answer = ask(client, "push teh foo circle")

    assert answer["headline"] == "Cannot be read: ‘foo’ does not fit here"
    assert 'stopped here">foo<' in answer["said"]


def test_files_have_the_text_that_was_read(client):
    """A test made from a text with slips holds what was meant, which can be read strictly."""
    query = urlencode({"text": "the red circel", "scene": to_address(dx.grid(TWO_CIRCLES))})

    made = client.get(f"/playground/test_fixture.py?{query}").text

    assert "the red circle" in made
    assert "circel" not in made


def test_an_ambiguous_text_is_answered_by_buttons_that_mend_it(client):
    """Each suggestion says what to change, puts the text with it into the field, and lights the object."""
    verdict = ask(client, "push the circle")["verdict"]

    assert 'data-text="push the red circle" data-lights="0">add ‘red’</button>' in verdict
    assert 'data-text="push the blue circle" data-lights="1">add ‘blue’</button>' in verdict
    assert "suggestions" not in ask(client, "push the red circle")["verdict"]
    assert "say ‘red’ instead of ‘green’" in ask(client, "the green circle")["verdict"]


def test_suggestions_are_given_up_with_the_rest(monkeypatch):
    """Where looking for suggestions takes too long there are none, and the verdict stands."""
    judged = judge(dx.grid(TWO_CIRCLES), "the circle")
    monkeypatch.setattr(playground_verdict, "MAX_QUESTIONS", 3)

    assert judged.suggestions == ()
    assert judged.headline == "Picks out 2 objects: ambiguous"
    assert judged.details == "Add a word that rules out the others, or edit the board."
