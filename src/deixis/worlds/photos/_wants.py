"""Wants: the misreadings of an expression that must lead somewhere, so that each of its words is needed.

| want | a reader who … | must find something else than the target |
|---|---|---|
| `word` | leaves out a noun, an attribute, a rank or a negation | wherever the rest fits |
| `relation` | hears the phrase of a clause, not how it is related | where the rest fits, beside what fits the phrase |
| `exchange` | gives a word, a phrase or a relation to another phrase | wherever that fits |
| `phrases` | hears all phrases with their attributes, no relation | where the noun phrase fits, beside the others |

*Somewhere* is the image of the target, or an image shown beside it in which the expression fits nothing. A want is
*served* where such an image holds a thing, not the target, to which the misreading leads (`find_tempted`).

Exchanges that say what is nowhere seen (*the walking street*) mislead nobody and are not asked for: every name must
have its attribute, and every pair of names its relation, somewhere in the corpus (`Plausible`). A rank without its
noun counts what fits the rest. What is denied is heard or left out as a whole. A clause of an alternative is ignored
together with the alternative: *the cup that is in the sink or on the table*, without *in*, is any cup where there is
a sink.

`find_tempted` is the plain definition; `find_tempted_pairs` is compiled, and a test has them agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from deixis.audits.measures import reorderings
from deixis.distractors.planned_misreadings import PlannedMisreading
from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.parts import Part, mention_at, parts, replacing, without
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.resolution.reference import denotation
from deixis.worlds.photos._misreadings import noun_with_attributes
from deixis.worlds.photos.resolution.graphs import compile_for, counts_of, resolve_graph_pairs
from deixis.worlds.photos.scene.vocabulary import NAME, SAME


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.scene.scene import Scene
    from deixis.worlds.photos.scene.graph_table import GraphTable


WantKind: TypeAlias = Literal["word", "relation", "exchange", "phrases"]
WANT_NAMES = (
    "target noun",
    "target attribute",
    "related noun",
    "related attribute",
    "rank",
    "negation",
    "relation",
    "exchange",
    "phrases unrelated",
)
MARK = "wants: "


class Want(NamedTuple):
    """One misreading that must lead somewhere.

    Attributes:
        code: how files name it: `word 1`, `relation 2.0`, `exchange 3`, `phrases`; numbers are places of parts, or the
            number of the reordering.
        name: the sort that figures are told by, one of `WANT_NAMES`.
        heard: what the reader makes of the expression.
        beside: what the image must hold, too: of every group one thing.
        part: what is misread, where that is one part.
    """

    code: str
    name: str
    heard: Expression
    beside: tuple[tuple[Expression, ...], ...] = ()
    part: Part | None = None

    @property
    def kind(self) -> str:
        """The kind of misreading, one of those in the table above."""
        return self.code.partition(" ")[0]


def wants_of(expression: Expression, plausible: Plausible | None = None) -> tuple[Want, ...]:
    """Return the wants of an expression.

    Args:
        expression: what is said.
        plausible: what may be said in the corpus; without it every exchange is wanted.
    """
    return (*_words(expression), *_relations(expression), *_exchanges(expression, plausible), *_phrases(expression))


def find_tempted(want: Want, scene: Scene, target: int | None = None) -> frozenset[int]:
    """Return the things of a scene to which a misreading leads, the target apart: the plain definition."""
    found = denotation(want.heard, scene) - {target}
    for group in want.beside:
        others = frozenset[int]().union(*(denotation(one, scene) for one in group))
        found = frozenset(thing for thing in found if others - {thing})
    return frozenset(found)


def find_tempted_pairs(
    wants: Sequence[Want], table: GraphTable, which: np.ndarray, scenes: np.ndarray, targets: np.ndarray | None = None
) -> np.ndarray:
    """Return the things to which misreadings lead, each in a scene of its own, compiled.

    Args:
        wants: the misreadings.
        table: the scenes.
        which: integers [pair], the number of the want of each pair.
        scenes: integers [pair], the number of its scene.
        targets: integers [pair], the number of the target where the scene is that of the target, else -1.

    Returns:
        uint64 [pair, word]: one bit per object.
    """
    words = table.vocabulary
    masks = resolve_graph_pairs([compile_for(one.heard, words) for one in wants], table, which, scenes)
    if targets is not None:
        own = np.flatnonzero(targets >= 0)
        number = targets[own]
        masks[own, number >> 6] &= ~(np.uint64(1) << (number & 63).astype(np.uint64))
    for place in range(max((len(one.beside) for one in wants), default=0)):
        rest = np.flatnonzero(
            np.array([len(one.beside) > place for one in wants], np.bool_)[which] & (masks != 0).any(axis=1)
        )
        masks[rest] = _beside_others(masks[rest], wants, place, table, which[rest], scenes[rest])
    return masks


def _beside_others(
    masks: np.ndarray, wants: Sequence[Want], place: int, table: GraphTable, which: np.ndarray, scenes: np.ndarray
) -> np.ndarray:
    """Return which things of each set have another thing of a group beside them."""
    sizes = np.array([len(one.beside[place]) if len(one.beside) > place else 0 for one in wants])
    first = np.cumsum(sizes) - sizes
    programs = [
        compile_for(said, table.vocabulary) for one in wants if len(one.beside) > place for said in one.beside[place]
    ]
    others = np.zeros_like(masks)
    for number in range(int(sizes.max(initial=0))):
        rest = np.flatnonzero(sizes[which] > number)
        found = resolve_graph_pairs(programs, table, first[which[rest]] + number, scenes[rest])
        others[rest, : found.shape[1]] |= found
    count = counts_of(others)
    masks = np.where((count == 1)[:, None], masks & ~others, masks)
    return np.where((count == 0)[:, None], np.uint64(0), masks)


# -------------------------------------------------------------------------------- the wants


def _words(expression: Expression) -> Iterator[Want]:
    for part in parts(expression):
        if isinstance(part.step, Is | Nth | Not) and not _is_denied(expression, part.address):
            heard = without(expression, part)
            if _is_noun(part.step):
                heard = _counted_last(heard, part.address[:-1])
            yield Want(f"word {_code_of(part.address)}", _name_of(expression, part), heard, (), part)


def nouns_suffice(expression: Expression, scene: Scene, target: int) -> bool:
    """Return whether some noun left out of the text as it stands leaves the target alone, by a rank among all things.

    That is the one way in which a word whose want is served may not be needed.
    """
    nouns = (part for part in parts(expression) if _is_noun(part.step) and not _is_denied(expression, part.address))
    ranked = (
        part for part in nouns if any(isinstance(s, Nth) for s in mention_at(expression, part.address[:-1]).steps)
    )
    return any(denotation(without(expression, part), scene) == {target} for part in ranked)


def _counted_last(expression: Expression, address: Address) -> Expression:
    """Return an expression in which the rank of a mention comes last, and so counts what fits the rest."""
    mention = mention_at(expression, address)
    ranks = tuple(step for step in mention.steps if isinstance(step, Nth))
    if not ranks:
        return expression
    steps = (*(step for step in mention.steps if not isinstance(step, Nth)), *ranks)
    if not address:
        return Description(steps)
    clause = mention_at(expression, address[:-1]).steps[address[-1]]
    assert isinstance(clause, Related)
    return replacing(expression, Part(address, clause), Related(clause.relation, Description(steps)))


def _is_noun(step: object) -> bool:
    return isinstance(step, Is) and step.attribute == NAME


def _relations(expression: Expression) -> Iterator[Want]:
    for part in parts(expression):
        if isinstance(part.step, Related) and not _is_denied(expression, part.address):
            heard = _without_outermost(expression, part)
            yield Want(f"relation {_code_of(part.address)}", "relation", heard, ((part.step.to,),), part)


def _exchanges(expression: Expression, plausible: Plausible | None) -> Iterator[Want]:
    meant = expression.canonical()
    for number, heard in enumerate(reorderings(expression)):
        if heard.canonical() != meant and (plausible is None or plausible.may_say(heard)):
            yield Want(f"exchange {number}", "exchange", heard)


def _phrases(expression: Expression) -> Iterator[Want]:
    if beside := mentioned_things(expression):
        yield Want("phrases", "phrases unrelated", noun_with_attributes(expression), beside)


def mentioned_things(expression: Expression) -> tuple[tuple[Expression, ...], ...]:
    """Return the other things that an image must hold for the expression: of each group one, with noun and attributes.

    What is denied need not be there. Of alternatives one must, so they make a group, unless one of them mentions
    nothing; what is said about them further is passed over.
    """
    groups: list[tuple[Expression, ...]] = []
    for step in expression.steps:
        match step:
            case Related():
                groups += [(noun_with_attributes(step.to),), *mentioned_things(step.to)]
            case AnyOf(steps) if all(isinstance(inner, Related) for inner in steps):
                groups.append(tuple(noun_with_attributes(inner.to) for inner in steps if isinstance(inner, Related)))
    return tuple(groups)


def _name_of(expression: Expression, part: Part) -> str:
    match part.step:
        case Nth():
            return "rank"
        case Not():
            return "negation"
    noun = _is_noun(part.step)
    is_target = not any(isinstance(step, Related) for step in _above(expression, part.address))
    return f"{'target' if is_target else 'related'} {'noun' if noun else 'attribute'}"


def _is_denied(expression: Expression, address: Address) -> bool:
    """Return whether a part lies inside a negation."""
    return any(isinstance(step, Not) for step in _above(expression, address))


def _above(expression: Expression, address: Address) -> Iterator[object]:
    """Yield the steps that a part lies inside of, the outermost first."""
    for depth in range(1, len(address)):
        yield mention_at(expression, address[: depth - 1]).steps[address[depth - 1]]


def _without_outermost(expression: Expression, part: Part) -> Expression:
    """Return the expression without a clause, or without the alternative that it is a branch of."""
    above = part.address[:-1]
    if above and isinstance(step := mention_at(expression, above[:-1]).steps[above[-1]], AnyOf):
        return without(expression, Part(above, step))
    return without(expression, part)


def _code_of(address: Address) -> str:
    return ".".join(map(str, address))


# -------------------------------------------------------------------------------- what may be said


@dataclass(frozen=True, eq=False)
class Plausible:
    """What is seen in a corpus: names with their attributes, and names with the relations between them."""

    table: GraphTable
    attributes: frozenset[int]
    relations: frozenset[int]

    @classmethod
    def of(cls, table: GraphTable, is_counted: Sequence[bool] | None = None) -> Plausible:
        """Return what is seen in the scenes of a table, or only in those that are counted."""
        names, words, links = (len(some) for some in _vocabulary(table))
        counted = np.ones(len(table), np.bool_) if is_counted is None else np.array(is_counted, np.bool_)
        owner = np.repeat(np.arange(table.object_count), np.diff(table.attr_ptr))
        pairs = table.name[owner].astype(np.int64) * max(words, 1) + table.attr
        pairs = pairs[counted[table.scene_of[owner]]]
        source = np.repeat(np.arange(table.object_count), np.diff(table.edge_ptr))
        other = table.scene_ptr[table.scene_of[source]] + table.target
        both = table.name[source].astype(np.int64) * names + table.name[other]
        triples = (both * max(links, 1) + table.relation)[counted[table.scene_of[source]]]
        return cls(table, frozenset(np.unique(pairs).tolist()), frozenset(np.unique(triples).tolist()))

    def may_say(self, expression: Expression) -> bool:
        """Return whether every name is seen with its attributes, and every pair of names in its relation."""
        vocabulary = self.table.vocabulary
        names, words, links = _vocabulary(self.table)
        name = expression.value(NAME)
        if name is None:
            return False
        code = vocabulary.name_code(name)
        for step in expression.steps:
            match step:
                case Is(attribute, value) if attribute != NAME:
                    if code * max(len(words), 1) + vocabulary.word_code(value) not in self.attributes:
                        return False
                case Related() | AnyOf():
                    for clause in (step,) if isinstance(step, Related) else step.steps:
                        if not isinstance(clause, Related) or not self.may_say(clause.to):
                            return False
                        other = clause.to.value(NAME)
                        if other is None or clause.relation in SAME:
                            continue
                        both = code * len(names) + vocabulary.name_code(other)
                        relation = vocabulary.relation_code(clause.relation)
                        if both * max(len(links), 1) + relation not in self.relations:
                            return False
        return True


def _vocabulary(table: GraphTable) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    words = table.vocabulary
    return words.names, words.words, words.relations


# -------------------------------------------------------------------------------- in files


def encode_wants(wants: Sequence[Want]) -> str:
    """Encode the wants that an image serves in one text: `wants: word 1, relation 2`."""
    return MARK + ", ".join(one.code for one in wants) if wants else ""


def decode_wants(code: str, expression: Expression) -> tuple[Want, ...]:
    """Invert `encode_wants` for the expression, or raise `SchemaError` where it has no such wants."""
    if not code.startswith(MARK):
        return ()
    known = {one.code: one for one in wants_of(expression)}
    names = code.removeprefix(MARK).split(", ")
    if strange := next((name for name in names if name not in known), None):
        raise SchemaError(f"the want {strange[:60]!r} is of another expression")
    return tuple(known[name] for name in names)


def as_misreading(want: Want) -> PlannedMisreading:
    """Return a want as a misreading, for readers of all worlds."""
    kinds = {"relation": "relation", "exchange": "isomorphism", "phrases": "phrase"}
    kind = "selector" if want.name in ("rank", "negation") else kinds.get(want.kind, "attribute")
    return PlannedMisreading(kind, (want.part,) if want.part is not None else (), want.heard)  # type: ignore[arg-type]
