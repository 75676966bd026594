"""Pages of 3D Shapes: what they mark in a caption, what they say about it, and what they refuse."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from deixis._studio.server import make_app
from deixis.judge.pragmatics import pragmatics
from deixis.scene.scene import Context, Where
from deixis.worlds.rooms._pages.example import SPEAKERS, judge_caption
from deixis.worlds.rooms.captions import expression_of
from deixis.worlds.rooms.data.make import read_pairs
from deixis.worlds.rooms.scene import RoomScene
from deixis.worlds.rooms.speakers import caption_of


ROOM, OTHER_HUE = 163_233, 167_073  # a tiny red ball near the right corner, light green wall, green floor; a purple one


@pytest.fixture(scope="module")
def client(demo_roots):
    """A studio with the pages of rooms."""
    return TestClient(make_app(demo_roots), base_url="http://127.0.0.1")


def marks(text: str, rooms: tuple[int, ...] = (ROOM, OTHER_HUE)) -> dict[str, str]:
    """The marked stretches of a caption."""
    return {piece.text: piece.mark for piece in judge_caption(text, rooms).pieces if piece.mark}


def test_mentions_are_contrastive_redundant_false_unclear_or_unknown():
    """Each stretch is marked by what it does for a listener."""
    found = marks("a huge red ball near the right in front of a floogle on green floor")

    assert found == {
        "huge": "false",
        "red": "contrastive",
        "ball": "redundant",
        "right": "unclear",
        "floogle": "unknown",
        "green": "redundant",
    }


def test_pieces_are_the_whole_text():
    """Nothing that was typed is lost or repeated."""
    for text in ("", "  ", "a red red ball, green", "<b>red</b> ball", "ball " * 60, "dark blue dark"):
        assert "".join(piece.text for piece in judge_caption(text, (ROOM, OTHER_HUE)).pieces) == text


def test_without_distractors_there_is_nothing_to_contrast():
    """Alone, what holds is just true, and there are no metrics."""
    alone = judge_caption("a red ball", (ROOM,))

    assert {piece.mark for piece in alone.pieces if piece.mark} == {"true"}
    assert alone.metrics == alone.listener == ()


@pytest.mark.parametrize("features", [("object_hue",), ("shape", "scale"), ("object_hue", "shape", "wall_hue"), ()])
def test_the_metrics_are_those_of_the_definition(features):
    """The figures of a caption are those of `pragmatics` for what it says."""
    context = Context((RoomScene(ROOM), RoomScene(OTHER_HUE)), Where(0, 0))
    wanted = pragmatics(expression_of(ROOM, features), context)

    found = {
        symbol: value for _, symbol, value, _ in judge_caption(caption_of(ROOM, features), (ROOM, OTHER_HUE)).metrics
    }

    efficiency = wanted.efficiency()
    assert found["d"] == str(int(wanted.is_discriminative))
    assert found["e"] == ("–" if efficiency is None else f"{efficiency:.2f}")
    assert found["r"] == f"{wanted.relevance:.2f}"
    assert found["od"] == str(int(wanted.is_optimal))


def test_a_literal_listener_rules_out_what_does_not_fit():
    """Of two images, the one with another colour is ruled out, with the reason."""
    (_, own), (_, other) = judge_caption("a red ball", (ROOM, OTHER_HUE)).listener

    assert own == ""
    assert other == "the object is purple"


def test_a_pair_is_shown_with_its_features_and_speakers(client, demo_roots):
    """The page has both images, marks what differs, and lets all speakers speak."""
    pair = read_pairs(demo_roots[0] / "3d-shapes" / "pairs" / "test.parquet")["object_hue"][3]
    one, other = (RoomScene(room).factors for room in pair.tolist())

    page = client.get("/d/3d-shapes/object_hue/3").text

    assert page.count('<tr class="differs">') == sum(a != b for a, b in zip(one, other, strict=True))
    assert page.count("?size=288") == 2
    for name in SPEAKERS:
        assert f"<b>{name}</b>" in page


def test_an_image_can_be_shown_beside_others(client):
    """An address names the distractors; the caption may be written out, of a grammar or of a speaker."""
    address = f"/d/3d-shapes/image/{ROOM}?beside={OTHER_HUE},42"

    assert "among 3" in client.get(address).text
    assert "a tiny red ball near the right corner in front of" in client.get(address).text
    assert ">a red thing</textarea>" in client.get(f"{address[:-3]}&speaker=minimal").text
    assert ">there is a tiny ball</textarea>" in client.get(f"{address}&grammar=short&number=0").text


def test_the_same_seed_gives_the_same_words(client):
    """What speakers leave to chance follows from the seed alone."""
    address = f"/shapes/speakers?target={ROOM}&beside=5,71000&seed="

    assert client.get(f"{address}7").text == client.get(f"{address}7").text
    assert len({client.get(f"{address}{seed}").text for seed in range(6)}) > 1


def test_a_caption_is_judged_by_itself(client):
    """The fragment for what is being typed is no whole page, and says nothing about an empty caption."""
    fragment = client.get("/shapes/caption", params={"target": ROOM, "beside": OTHER_HUE, "text": "a red thing"}).text

    assert "<html" not in fragment
    assert 'class="mention contrastive"' in fragment
    assert "The caption is empty" in client.get(f"/shapes/caption?target={ROOM}&text=").text


def test_needed_words_are_told_feature_by_feature(client):
    """Beside other images each word of a caption is needed, or there is a reason why not; alone, none is judged."""
    address = f"/d/3d-shapes/image/{ROOM}"
    part, note = r'<span class="part ([\w ]+)">([^<]*)</span>', r'<span class="note">([^<]*)'
    row = rf'class="mark (\w+)">[^<]*</span> <span>{part}<br>{note}'

    page = client.get(f"{address}?beside={OTHER_HUE}&text=a+tiny+red+ball").text
    among = client.get(
        "/shapes/needed", params={"target": ROOM, "beside": f"{OTHER_HUE},42", "text": "a red thing on green floor"}
    ).text

    assert re.findall(row, page[page.index('id="h-words"') :]) == [
        ("spare", "size idle", "tiny", "size: it rules out nothing"),
        ("needed", "color", "red", "object colour: without it, the other image would fit, too"),
        ("spare", "noun idle", "ball", "shape: it rules out nothing"),
    ]
    assert re.findall(row, among)[1][3] == "floor colour: without it, distractor 2 would fit, too"
    assert "<html" not in among
    assert 'id="h-words"' not in client.get(f"{address}?text=a+red+ball").text
    assert "does not fit the target alone" in client.get(f"{address}?beside={OTHER_HUE}&text=a+ball").text


def test_captions_are_escaped(client):
    """A script in a caption is shown, never run."""
    bad = "<script>alert(1)</script> red \"'><img src=x onerror=alert(1)>"

    assert "<img" not in client.get("/shapes/needed", params={"target": ROOM, "beside": OTHER_HUE, "text": bad}).text
    for address in ("/shapes/caption", f"/d/3d-shapes/image/{ROOM}"):
        page = client.get(address, params={"target": ROOM, "beside": OTHER_HUE, "text": bad}).text
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "onerror" in page


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/d/3d-shapes/image/480000", 404),
        ("/d/3d-shapes/object_hue/999999", 404),
        ("/d/3d-shapes/no%20such%20set/0", 404),
        ("/d/3d-shapes/image/1?beside=x", 400),
        ("/d/3d-shapes/image/1?beside=480000", 404),
        ("/d/3d-shapes/image/1?beside=1,2,3,4,5,6,7,8", 400),
        ("/d/3d-shapes/image/1?grammar=latin", 404),
        ("/d/3d-shapes/image/1?grammar=short&number=27", 400),
        ("/d/3d-shapes/image/1?number=-1", 400),
        ("/d/3d-shapes/image/1?speaker=nobody", 404),
        ("/d/3d-shapes/image/1?seed=%C2%B2", 400),
        ("/d/3d-shapes/image/1?by=nothing", 404),
        (f"/shapes/caption?target=1&text={'a' * 401}", 400),
        ("/shapes/said?target=99999999999", 400),
    ],
)
def test_nonsense_is_refused_in_one_line(client, address, status):
    """Whatever an address asks for that is not there gets a message, and no fault."""
    answer = client.get(address)

    assert answer.status_code == status
    assert "This is a fault" not in answer.text
    assert 'role="alert"' in answer.text
