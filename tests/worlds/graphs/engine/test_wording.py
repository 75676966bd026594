from __future__ import annotations

from dataclasses import replace

import pytest

from deixis.errors import SchemaError
from deixis.expression.steps import Related
from deixis.worlds.photos.engine._wording import Wording, said_as_read
from deixis.worlds.photos.language import Style, realise_reference
from deixis.worlds.photos.scene.vocabulary import Vocabulary
from tests.language.copsref.sayings import d, n, w


WORDS = Vocabulary(
    names=("cup", "man", "table", "couch"),
    words=("white", "sitting", "clear"),
    relations=("on", "touching", "sitting on", "near"),
)
TOUCHING = d(n("man"), Related("touching", d(n("cup"))))
NEAR = d(n("cup"), w("white"), Related("near", d(n("couch"))))


@pytest.mark.parametrize(
    ("said", "style", "other", "text"),
    [
        (
            NEAR,
            Style(relative="which"),
            d(n("cup"), w("clear"), Related("near", d(n("table")))),
            "The clear cup which is near the table",
        ),
        (
            TOUCHING,
            Style(drops_before_doing=True),
            d(n("man"), Related("touching", d(n("couch")))),
            "The man touching the couch",
        ),
        (
            NEAR,
            Style(),
            d(n("couch"), w("white"), Related("near", d(n("cup")))),
            "The white couch that is near the cup",
        ),
    ],
)
def test_something_else_is_said_in_the_same_way(said, style, other, text):
    """The wording of a text is found again and used for another expression."""
    wording = Wording.of(realise_reference(said, style).text, said, WORDS)

    assert wording.say(other) == text


def test_a_synonym_is_kept():
    """Where a couch was called a sofa, it is called so again; nothing else is."""
    text = realise_reference(NEAR, Style(relative="which"), synonyms={"couch": "sofa"}).text

    wording = Wording.of(text, NEAR, WORDS)

    assert wording.synonyms == {"couch": "sofa"}
    assert wording.say(replace_noun(NEAR, "table")) == "The white table which is near the sofa"


def test_a_text_that_nobody_here_would_say_is_followed_by_plain_english():
    """People word things as they like; what is made of it is plain."""
    wording = Wording.of("my favourite mug, near the sofa", NEAR, WORDS)

    assert wording.say(NEAR) == "The white cup that is near the couch"


def test_what_would_be_read_as_something_else_is_refused_or_said_apart():
    """Sitting, and on the table, is not sitting on the table where the corpus has such a relation."""
    sitting = d(n("man"), w("sitting"), Related("on", d(n("table"))))

    assert said_as_read(sitting, Style(), WORDS).text == "The man who is sitting and on the table"
    with pytest.raises(SchemaError, match="read as something else"):
        Wording(Style(), {"cup": "table"}, WORDS).say(NEAR)


def replace_noun(expression, name):
    return replace(expression, steps=(n(name), *expression.steps[1:]))
