"""The six forms: each builds a reasoning tree for a target from the objects of its image, or returns None.

A builder draws; asked again it may come up with something else. Whether the tree picks out the target alone is not
its business but that of `unique`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deixis.expression.steps import Nth
from deixis.worlds.photos.engine._choose import Chooser, Link, draw_weighted
from deixis.worlds.photos.engine._tree import NO_OBJECT, Edge, Node, Tree


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deixis.worlds.photos.engine.settings import Form


MOST_HOPS = 3


def build(form: Form, target: int, chooser: Chooser) -> Tree | None:
    """Build a tree of a form for a target, perhaps joined with another form, or return None if the image has none."""
    tree = BUILDERS[form](target, chooser)
    if tree is not None and chooser.happens(chooser.engine.composition):
        tree = _compose(form, tree, chooser) or tree
    return tree


def build_chain(target: int, chooser: Chooser) -> Tree | None:
    """Build one to three relations in a row: 'the white cup that is on the table that is near the wall'."""
    hops = draw_weighted((1, 2, 3), chooser.engine.hops, chooser.stream)
    link = chooser.link(target, (target,))
    attributes = link and _attributes_of_target(target, chooser, is_bare=not chooser.facts.can_join[link.relation])
    if link is None or attributes is None:
        return None
    tree = _related(Tree((Node(target, chooser.name(target), attributes),)), 0, link, chooser)
    for _ in range(hops - 1):
        tree = lengthen(tree, chooser) or tree
    return tree


def build_and(target: int, chooser: Chooser) -> Tree | None:
    """Build two relations of the target: 'the white cup that is on the table and near the plate'."""
    tree = _alone(target, chooser)
    for _ in range(2):
        tree = tree and _with_relation(tree, chooser)
    return tree


def build_or(target: int, chooser: Chooser) -> Tree | None:
    """Build two relations, of which only one holds: 'the white cup that is in the sink or on the table'."""
    tree = _alone(target, chooser)
    true = tree and chooser.link(target, (target,), joining=True)
    if not tree or not true:
        return None
    if chooser.engine.alternatives == "inclusive" and chooser.happens(0.5):
        said = {chooser.photograph.names[thing] for thing in (target, true.to)}
        other, is_true = chooser.link(target, (target, true.to), joining=True, said=said), True
    else:
        other, is_true = _false_link(target, true, chooser), False
    if not other:
        return None
    branches = [(true, True), (other, is_true)]
    if chooser.happens(chooser.engine.false_first):
        branches.reverse()
    for link, holds in branches:
        tree = _related(tree, 0, link, chooser, joined_by_or=True, is_true=holds)
    return tree


def build_order(target: int, chooser: Chooser) -> Tree | None:
    """Build a rank among all objects of the name: 'the second cup from the left that is white and near the plate'."""
    rank = _rank_of(target, chooser)
    if rank is None:
        return None
    attributes = chooser.attribute(target, before=False)
    if chooser.engine.target_attribute and not attributes:
        return None
    tree = Tree((Node(target, chooser.name(target), attributes, (), rank),))
    return _with_relation(tree, chooser) or (tree if attributes else None)


def build_same(target: int, chooser: Chooser) -> Tree | None:
    """Build a value that another object shares: 'the cup that has the same color as the plate'."""
    facts, photograph = chooser.facts, chooser.photograph
    options = []
    for word in photograph.words[target]:
        if facts.is_shared[word]:
            holders = [other for other in photograph.by_word[word] if other != target]
            if chooser.engine.same == "any" or len(holders) == 1:
                kind = facts.types[word]
                if not facts.can_be(photograph.names[target], word):
                    continue
                options += [
                    (kind, o)
                    for o in holders
                    if facts.is_thing[photograph.names[o]] and facts.can_be(photograph.names[o], word)
                ]
    if not options:
        return None
    kind, other = chooser.stream.choice(options)
    is_alike = photograph.names[other] == photograph.names[target]
    attributes = chooser.attribute(other, behind=False, after=False, but_not=kind, always=is_alike)
    if is_alike and not attributes:
        return None  # 'the cup that has the same color as the cup' says too little
    nodes = (Node(target, chooser.name(target)), Node(other, chooser.name(other), attributes))
    return Tree(nodes, (Edge(0, 1, f"same {kind}"),))


def build_not(target: int, chooser: Chooser) -> Tree | None:
    """Build a negation of something that all others of the name have, not the target: 'the bag that is not orange'."""
    photograph = chooser.photograph
    others = [o for o in photograph.by_name[photograph.names[target]] if o != target]
    if not others:
        return None
    words = _words_of_all(others, target, chooser)
    links = _links_of_all(others, target, chooser)
    if not words and not links:
        return None
    name = chooser.name(target)
    if words:
        return Tree((Node(target, name, (), (chooser.word(chooser.stream.choice(words)),)),))
    weights = chooser.facts.weights
    relation, related_name = draw_weighted(links, [weights[relation] for relation, _ in links], chooser.stream)
    denied = Node(NO_OBJECT, chooser.facts.table.vocabulary.names[related_name])
    return Tree((Node(target, name), denied), (Edge(0, 1, chooser.relation(relation), "not", is_true=False),))


BUILDERS: Mapping[Form, Callable[[int, Chooser], Tree | None]] = {
    "chain": build_chain,
    "and": build_and,
    "or": build_or,
    "order": build_order,
    "same": build_same,
    "not": build_not,
}


def lengthen(tree: Tree, chooser: Chooser) -> Tree | None:
    """Return the tree with one more relation at its last object, if it has any and no path becomes too long."""
    last = len(tree.nodes) - 1
    if not last or tree.nodes[last].object == NO_OBJECT or _depth(tree, last) >= MOST_HOPS:
        return None
    if any(edge.joined == "or" for edge in tree.edges) and tree.edges[-1].joined != "or":
        return None  # alternatives are said last, so only they can go on
    link = _further_link(tree, last, chooser, joining=tree.nodes[last].rank is not None)
    return _related(tree, last, link, chooser) if link else None


def _depth(tree: Tree, node: int) -> int:
    """Return how many relations lead from the target to a node."""
    return next((1 + _depth(tree, edge.parent) for edge in tree.edges if edge.child == node), 0)


def _compose(form: Form, tree: Tree, chooser: Chooser) -> Tree | None:
    """Return the tree joined with a form that does not change its own: names go by the first form of `PRIORITY`."""
    ways: dict[Form, tuple[Callable[[Tree, Chooser], Tree | None], ...]] = {
        "chain": (),
        "and": (lengthen,),
        "order": (_with_relation, lengthen),
        "or": (_with_relation, _with_rank, lengthen),
        "same": (_with_relation, _with_rank, _with_attribute),
        "not": (_with_relation, _with_attribute),
    }
    return chooser.stream.choice(ways[form])(tree, chooser) if ways[form] else None


def _alone(target: int, chooser: Chooser) -> Tree | None:
    attributes = _attributes_of_target(target, chooser)
    return None if attributes is None else Tree((Node(target, chooser.name(target), attributes),))


def _attributes_of_target(target: int, chooser: Chooser, *, is_bare: bool = False) -> tuple[str, ...] | None:
    """Return the attribute that is said of a target, or None where it must have one and has not."""
    attributes = chooser.attribute(target, after=not is_bare, behind=not is_bare)
    return None if chooser.engine.target_attribute and not attributes else attributes


def _related(
    tree: Tree, parent: int, link: Link, chooser: Chooser, *, joined_by_or: bool = False, is_true: bool = True
) -> Tree:
    """Return the tree with a relation of one of its nodes to a further object."""
    attributes = chooser.attribute(link.to, behind=False, after=False, always=False)
    node = Node(link.to, chooser.name(link.to), attributes)
    relation = chooser.relation(link.relation)
    edge = Edge(parent, len(tree.nodes), relation, "or" if joined_by_or else "and", is_true)
    return Tree((*tree.nodes, node), (*tree.edges, edge))


def _further_link(tree: Tree, number: int, chooser: Chooser, *, joining: bool) -> Link | None:
    """A relation of a node to something new; only the first thing that is mentioned may be named as the target is."""
    used = {node.object for node in tree.nodes}
    names = chooser.photograph.names
    said = {names[thing] for thing in used if thing != NO_OBJECT} if len(used) > 1 else ()
    return chooser.link(tree.nodes[number].object, used, joining=joining, said=said)


def _with_relation(tree: Tree, chooser: Chooser) -> Tree | None:
    """Return the tree with one more relation of the target, which can be said only while no other path goes on."""
    if any(edge.parent for edge in tree.edges):
        return None
    link = _further_link(tree, 0, chooser, joining=True)
    return _related(tree, 0, link, chooser) if link else None


def _with_rank(tree: Tree, chooser: Chooser) -> Tree | None:
    """Return the tree with a rank for its last object, in place of an attribute."""
    last = len(tree.nodes) - 1
    node = tree.nodes[last]
    rank = _rank_of(node.object, chooser) if last and node.object != NO_OBJECT else None
    if rank is None or any(edge.parent == last for edge in tree.edges):
        return None
    return replace(tree, nodes=(*tree.nodes[:last], replace(node, attributes=(), rank=rank)))


def _with_attribute(tree: Tree, chooser: Chooser) -> Tree | None:
    """Return the tree with an attribute for the target."""
    target = tree.nodes[0]
    attributes = chooser.attribute(target.object, after=False)
    if not attributes or target.attributes:
        return None
    return replace(tree, nodes=(replace(target, attributes=attributes), *tree.nodes[1:]))


def _rank_of(thing: int, chooser: Chooser) -> Nth | None:
    """Return a rank of an object among those of its name, or None where it is alone, or one of a crowd."""
    photograph = chooser.photograph
    row = photograph.by_name[photograph.names[thing]]
    if not 2 <= len(row) <= chooser.engine.most_counted or not chooser.facts.can_rank[photograph.names[thing]]:
        return None
    before = sum(photograph.centres[other] < photograph.centres[thing] for other in row)
    behind = sum(photograph.centres[other] > photograph.centres[thing] for other in row)
    if before + behind != len(row) - 1:
        return None
    if before == behind and chooser.happens(0.5):
        return Nth(1, "middle")
    return Nth(before + 1, "left") if chooser.happens(0.5) else Nth(behind + 1, "right")


def _false_link(target: int, true: Link, chooser: Chooser) -> Link | None:
    """Return a relation that some other object has to something, and that the target, though it could, has not."""
    photograph, facts = chooser.photograph, chooser.facts
    name = photograph.names[target]
    held = {(relation, photograph.names[other]) for relation, other in photograph.links[target]}
    found = [
        link
        for link in chooser.joinable
        if link.to not in (target, true.to)
        and photograph.names[link.to] not in (name, photograph.names[true.to])
        and (link.relation, photograph.names[link.to]) not in held
        and facts.is_plausible(name, link.relation, photograph.names[link.to])
        and facts.can_relate(name, link.relation, photograph.names[link.to])
    ]
    return draw_weighted(found, [facts.weights[link.relation] for link in found], chooser.stream) if found else None


def _words_of_all(others: list[int], target: int, chooser: Chooser) -> list[int]:
    """Return the attributes that all others have and the target, of which the dimension is known, has not."""
    photograph, facts = chooser.photograph, chooser.facts
    common = set(photograph.words[others[0]])
    for other in others[1:]:
        common &= set(photograph.words[other])
    held = set(photograph.words[target])
    told = {facts.types[word] for word in held} - {"other"}
    return sorted(
        word
        for word in common - held
        if facts.places[word].after
        and facts.can_be(photograph.names[target], word)
        and (not chooser.engine.guarded or facts.types[word] in told)
    )


def _links_of_all(others: list[int], target: int, chooser: Chooser) -> list[tuple[int, int]]:
    """Return the relations, each to some name, that all others have and the target has not."""
    photograph, facts = chooser.photograph, chooser.facts

    def links_by_name(thing: int) -> set[tuple[int, int]]:
        return {(relation, photograph.names[other]) for relation, other in photograph.links[thing] if other != target}

    common = links_by_name(others[0])
    for other in others[1:]:
        common &= links_by_name(other)
    held = {(relation, photograph.names[other]) for relation, other in photograph.links[target]}
    is_told = not chooser.engine.guarded or any(not facts.is_side[relation] for relation, _ in held)
    return sorted(
        (relation, name)
        for relation, name in common - held
        if facts.can_join[relation]
        and facts.can_relate(photograph.names[target], relation, name)
        and (facts.is_side[relation] or is_told)
        and any(photograph.names[other] == name for other in range(len(photograph.names)) if other != target)
    )
