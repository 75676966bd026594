"""What a browser sends is not believed: every forged or repeated answer gets one clear refusal, and leaves no row."""

from __future__ import annotations

import pytest

from deixis._study import sessions
from deixis._study.items import NONE
from deixis._study.sessions import Refusal, Sessions
from tests.studies.conftest import row_for, take_part


@pytest.fixture
def running(study):
    """The sessions of a study, with its first token."""
    return Sessions(study)


@pytest.fixture
def told(running, study):
    """A participant who has just entered."""
    return running.enter({"token": min(study.tokens())}, address="here")


def refusal(step, *values, **more):
    """Return the status and the words with which something is refused."""
    with pytest.raises(Refusal) as caught:
        step(*values, **more)
    return caught.value.status, str(caught.value)


def test_orders_differ_and_practice_comes_first(running, study):
    """Everybody has an order of their own, which stays the same when they come back."""
    tokens = sorted(study.tokens())
    orders = [running.enter({"token": token}, address="here")["order"] for token in tokens[:8]]

    assert running.enter({"token": tokens[0]}, address="here")["order"] == orders[0]
    assert len({tuple(order) for order in orders}) > 4
    assert {order[0] for order in orders} == {item.id for item in study.of_kind("practice")}


@pytest.mark.parametrize("token", ["", "not-a-token-of-this-study"])
def test_a_foreign_token_is_refused(running, token):
    """Only links of this study open it."""
    assert refusal(running.enter, {"token": token}, address="here") == (
        403,
        "This link is not one of this study. Please use the link that you were sent.",
    )


@pytest.mark.parametrize("token", ["<script>alert(1)</script>", "a" * 65, "../../../etc/passwd", 7, ["x"]])
def test_what_is_no_token_is_refused(running, token):
    """Scripts, paths and other things in ids go nowhere."""
    assert refusal(running.enter, {"token": token}, address="here")[0] == 422


def test_guessing_tokens_is_stopped(running):
    """Sixty unknown links in a minute from one address are enough."""
    for number in range(sessions.GUESSES):
        assert refusal(running.enter, {"token": f"guess-{number:04}"}, address="there")[0] == 403

    assert refusal(running.enter, {"token": "one-guess-more"}, address="there")[0] == 429
    assert refusal(running.enter, {"token": "somebody-else"}, address="elsewhere")[0] == 403


FORGERIES = {
    "another item": ({"item": "i999"}, 422, "another question"),
    "an answer that cannot be": ({"response": "(9, 9)"}, 422, "none of the answers"),
    "no answer": ({"response": None}, 422, "none of the answers"),
    "a later question": ({"trial_index": 3}, 422, "not being asked yet"),
    "no such question": ({"trial_index": 99}, 422, "no question of this number"),
    "a question that is true": ({"trial_index": True}, 422, "no question of this number"),
    "time that runs backwards": ({"rt": -1}, 422, "rt is not a number"),
    "no time": ({"rt": None}, 422, "rt is not a number"),
    "endless time": ({"rt": float("inf")}, 422, "rt is not a number"),
    "many clicks": ({"clicks": [[0, 0, 0, 0]] * 51}, 422, "at most 50"),
    "a script for a click": ({"clicks": [["<script>", 0, 0, 0]]}, 422, "a click is"),
    "a foreign choice": ({"choices": [[0, "<b>"]]}, 422, "a choice is"),
    "no screen": ({"screen": "large"}, 422, "width and a height"),
    "no ratio": ({"pixel_ratio": 0}, 422, "pixel_ratio"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_rows_are_refused_and_not_kept(running, told, study, name):
    """Each with one status and one sentence."""
    forged, status, words = FORGERIES[name]
    row = row_for(0, told["order"][0], NONE) | forged

    found = refusal(running.answer, {"key": told["key"], "row": row})

    assert found[0] == status
    assert words.casefold() in found[1].casefold()
    assert running.journal.open(told["participant"]) == []


@pytest.mark.parametrize("key", ["", "0" * 64, "ü" * 64, None, 5, "0" * 10_000])
def test_answers_without_the_key_are_refused(running, told, key):
    """Whoever knows the name of a participant cannot answer in their name."""
    row = row_for(0, told["order"][0], NONE)

    assert refusal(running.answer, {"key": key, "row": row})[0] == 403
    assert refusal(running.answer, {"key": told["participant"] + "0" * 32, "row": row})[0] == 403
    assert refusal(running.finish, {"key": key})[0] == 403


def test_a_replayed_answer_is_refused(running, told):
    """An answer counts once; the refusal says which question comes next."""
    values = {"key": told["key"], "row": row_for(0, told["order"][0], NONE)}
    assert running.answer(values) == {"next": 1}

    with pytest.raises(Refusal, match="answered before") as caught:
        running.answer(values)

    assert (caught.value.status, caught.value.more) == (409, {"next": 1})
    assert len(running.journal.open(told["participant"])) == 1


def test_answers_faster_than_anybody_are_slowed_down(running, study, monkeypatch):
    """After a burst, five answers a second are taken."""
    monkeypatch.setattr(sessions, "BURST", 2.0)

    with pytest.raises(Refusal, match="faster than anybody") as caught:
        take_part(running, min(study.tokens()), lambda _: NONE)

    assert caught.value.status == 429


def test_the_code_comes_in_the_end_only(running, told, study, unhurried):
    """Not before everything is answered."""
    assert refusal(running.finish, {"key": told["key"]})[0] == 422

    for place, item in enumerate(told["order"]):
        running.answer({"key": told["key"], "row": row_for(place, item, NONE)})

    assert running.finish({"key": told["key"]}) == {"code": "C0DE"}


def test_a_new_server_goes_on_where_the_old_one_stopped(running, study, unhurried):
    """Progress is what is on the disk."""
    token = min(study.tokens())
    take_part(running, token, lambda _: NONE, until=3)

    told = Sessions(study).enter({"token": token}, address="here")

    assert told["answered"] == 3


def test_nothing_personal_is_kept(running, study, unhurried):
    """Neither the token nor the address is in any file of answers."""
    token = min(study.tokens())
    take_part(running, token, lambda _: NONE)

    kept = b"".join(path.read_bytes() for path in (study.folder / "answers").iterdir())

    assert token.encode() not in kept
    assert b"here" not in kept
    assert all(token not in path.name for path in (study.folder / "answers").iterdir())


def test_answers_to_questions_do_not_reach_participants(running, study):
    """What a browser is sent names right answers for practice only, and neither kinds nor conditions."""
    practice = {item.id for item in study.of_kind("practice")}

    assert {item["id"] for item in running.items if "right" in item} == practice
    assert {name for item in running.items for name in item} == {
        *("id", "ask", "shown", "choices", "areas", "practice", "right"),
    }
