"""Misreadings in words, in one form everywhere: what somebody did, ready to follow 'if you'.

* ignored ‘big’ in ‘a big circle’
* read ‘green’ as ‘red’ in ‘a green square’
* ignored ‘inside of a blue box’
* compared ‘big’ in ‘a big circle’ with all objects
* took ‘in the same row as a box’ to be about the target
* swapped the colours of ‘a red circle’ and ‘a green square’
* swapped ‘in the same row as’ and ‘inside of’
* ignored all but ‘the red circle’
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.distractors.misreadings import leading_to
from deixis.expression.parts import mention_at
from deixis.expression.steps import Extreme, Is, Related


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.distractors.misreadings import Misreading
    from deixis.expression.parts import Address, Part
    from deixis.language.lexicon import Words
    from deixis.language.utterance import Utterance
    from deixis.scene.scene import Scene


MOST_TOLD = 3
PLURALS = {"color": "colours"}  # of attributes that are not simply given an s


def say_misreading(misreading: Misreading, utterance: Utterance, *, words: Words) -> str:
    """Say what a reader with this misreading did: "ignored ‘big’ in ‘a big circle’".

    Args:
        misreading: of the expression of the utterance.
        utterance: what was said.
        words: the language of the utterance.
    """
    said = [_quote(utterance, part.address) for part in misreading.parts]
    match misreading.slip:
        case "comparison":
            return f"compared {_quote_in_phrase(misreading.parts[0], utterance)} with all objects"
        case "attachment":
            return f"took {said[0]} to be about the target"
        case "clause":
            return f"ignored {said[0]}"
        case "ignored":
            return f"ignored {_quote_in_phrase(misreading.parts[0], utterance)}"
        case "misread":
            return _read_as(misreading, utterance, words)
        case "swap":
            what = " and ".join(_plural(name, words) for name in misreading.attributes)
            return f"swapped the {what} of {' and '.join(_quote(utterance, (*at, -1)) for at in misreading.phrases)}"
        case "relations":
            return "swapped " + " and ".join(f"‘{_relation(part, words)}’" for part in misreading.parts)
        case "clauses":
            return f"ignored all but {_quote(utterance, (-1,))}"
        case "noun alone":
            return f"ignored all but ‘{_noun(misreading, words)}’"


def say_misreadings_to(utterance: Utterance, scene: Scene, chosen: int, *, words: Words) -> tuple[str, ...]:
    """Say the smallest misreadings that lead to an object, one text each.

    Empty if none does.
    """
    found = leading_to(utterance.expression, scene, chosen)
    return tuple(dict.fromkeys(say_misreading(one, utterance, words=words) for one in found))


def join_misreadings(told: Sequence[str]) -> str:
    """Misreadings that explain a choice equally well, as one text that follows 'if you'."""
    more = len(told) - MOST_TOLD
    some = [*told[:MOST_TOLD], *([f"misread it in one of {more} other ways"] if more > 1 else told[MOST_TOLD:])]
    return some[0] if len(some) == 1 else f"{', '.join(some[:-1])} or {some[-1]}" if some else ""


def _read_as(misreading: Misreading, utterance: Utterance, words: Words) -> str:
    (part,) = misreading.parts
    new = mention_at(misreading.expression, part.address[:-1]).steps[part.address[-1]]
    word = words.word_for(new) if isinstance(new, Is | Extreme) else str(new)
    return f"read {_quote(utterance, part.address)} as ‘{word}’ in {_quote(utterance, _phrase_around(part, utterance))}"


def _quote_in_phrase(part: Part, utterance: Utterance) -> str:
    """A word with the phrase it stands in, since it may occur twice."""
    return f"{_quote(utterance, part.address)} in {_quote(utterance, _phrase_around(part, utterance))}"


def _phrase_around(part: Part, utterance: Utterance) -> Address:
    """The address of the noun phrase that a word is in, or of the one that it is said of: 'that is not red'."""
    above = (part.address[:length] for length in range(len(part.address) - 1, -1, -1))
    return next((*address, -1) for address in above if (*address, -1) in utterance.spans or not address)


def _quote(utterance: Utterance, address: Address) -> str:
    return f"‘{utterance.words_of(address)}’"


def _plural(attribute: str, words: Words) -> str:
    """The words for values of an attribute: the last slot of a lexicon is said by nouns."""
    slots: Sequence[str] = getattr(words, "slots", ())
    return "nouns" if slots and attribute == slots[-1] else PLURALS.get(attribute, f"{attribute}s")


def _relation(part: Part, words: Words) -> str:
    assert isinstance(part.step, Related)
    return words.phrase_for(part.step.relation)


def _noun(misreading: Misreading, words: Words) -> str:
    steps = misreading.expression.steps
    return words.word_for(steps[0]) if steps else words.top
