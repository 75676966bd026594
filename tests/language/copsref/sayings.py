"""A small vocabulary of photographs and the expressions that can be said with it."""

from __future__ import annotations

from hypothesis import strategies as st

from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.worlds.photos.scene.vocabulary import NAME, SAME, Vocabulary


VOCABULARY = Vocabulary(
    names=("cup", "table", "street light", "light", "orange", "glass", "pant", "man", "people", "hair", "street"),
    words=(
        "white",
        "orange",
        "glass",
        "wood",
        "light",
        "taking a photo",
        "sitting",
        "riding",
        "clear",
        "upside down",
        "street",
        "american",
    ),
    relations=(
        "on",
        "to the left of",
        "of",
        "with",
        "has",
        "touching",
        "in",
        "near",
        "standing on",
        "between",
        "contain",
    ),
)
WORDS = tuple(
    word for word in VOCABULARY.words if word != "street"
)  # 'street light' is a name, so 'street' is not said


def n(name: str) -> Is:
    return Is(NAME, name)


def w(word: str) -> Is:
    return Is(VOCABULARY.type_of(word), word)


def d(*steps: object) -> Description:
    return Description(steps)


nouns = st.sampled_from([n(name) for name in VOCABULARY.names])
words = st.sampled_from([w(word) for word in WORDS])
ranks = st.one_of(st.builds(Nth, st.integers(1, 30), st.sampled_from(("left", "right"))), st.just(Nth(1, "middle")))
relations = st.sampled_from((*VOCABULARY.relations, *SAME))


def phrases(*, with_rank: bool = True) -> st.SearchStrategy[Description]:
    """A noun with adjectives and perhaps a rank, without clauses."""
    before = st.lists(words.filter(lambda step: step.value not in ("taking a photo", "upside down")), max_size=1)
    after = ranks.map(lambda rank: (rank,)) if with_rank else st.just(())
    return st.builds(lambda noun, some, rank: d(noun, *some, *rank), nouns, before, st.just(()) | after)


def clauses(to: st.SearchStrategy[Description]) -> st.SearchStrategy[object]:
    """What can follow 'that': an adjective or a relation, perhaps denied."""
    plain = st.one_of(words, st.builds(Related, relations, to))
    return st.one_of(plain, plain.map(Not))


@st.composite
def sayings(draw: st.DrawFn, *, depth: int = 2) -> Description:
    """Expressions that the language can say: of several clauses only the last goes on."""
    here = draw(phrases()).steps
    if not depth:
        return d(*here)
    steps: list[object] = list(here)
    if any(isinstance(step, Nth) for step in steps):
        steps += draw(st.lists(words, max_size=1))
    simple = clauses(phrases())
    steps += draw(st.lists(simple, max_size=2).map(lambda some: [s for s in some if not isinstance(s, Is)]))
    last = clauses(sayings(depth=depth - 1)).filter(lambda step: not isinstance(step, Is))
    match draw(st.sampled_from(("none", "one", "any"))):
        case "one":
            steps.append(draw(last))
        case "any":
            steps.append(AnyOf((draw(simple), draw(last))))
    return d(*steps)
