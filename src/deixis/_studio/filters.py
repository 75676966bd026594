"""Choosing among many: facets whose values every example has, and how many examples remain for each of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

import numpy as np

from deixis.data._split_names import names_in_split
from deixis.errors import DeixisError, UnknownName
from deixis.seeds import mix_words


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from markupsafe import Markup
    from starlette.datastructures import QueryParams


PAGE = 24  # cards on one page
LONGEST = 300  # letters of one value in an address
ORDER, SHUFFLES = "order", ("shuffled", "shuffled again")
SHUFFLE, SEED_DIGITS = "shuffled-", 9


@dataclass(frozen=True, eq=False)
class Facet:
    """Something that can be asked of every example.

    Attributes:
        name: in addresses.
        label: for people.
        codes: integers [example], the code of each.
        tables: for each value, which codes count as it: bool [code].
        labels: what people call the values, where that is something else.
    """

    name: str
    label: str
    codes: np.ndarray
    tables: Mapping[str, np.ndarray]
    labels: Mapping[str, str] = field(default_factory=dict)

    def mask(self, value: str) -> np.ndarray:
        """The examples that have a value: bool [example].

        Raises:
            UnknownName: when no example could have it.
        """
        if value not in self.tables:
            known = ", ".join(list(self.tables)[:12])
            raise UnknownName(f"nothing here has the {self.label} {value!r}; there are {known or 'none'}")
        return np.take(self.tables[value], self.codes)

    @cached_property
    def total(self) -> dict[str, int]:
        """Number of examples with each value."""
        return self._counts(self.codes)

    def counts(self, kept: np.ndarray | None) -> dict[str, int]:
        """Count the kept examples with each value, or all examples if `kept` is None."""
        return self.total if kept is None else self._counts(self.codes[kept])

    def _counts(self, codes: np.ndarray) -> dict[str, int]:
        width = max((len(table) for table in self.tables.values()), default=0)
        tally = np.bincount(codes, minlength=width)
        return {value: int(tally[: len(table)][table].sum()) for value, table in self.tables.items()}


@dataclass(frozen=True, eq=False)
class FilterResult:
    """The examples that pass a filter, and the counts for the next choice.

    Attributes:
        kept: bool [example]; None where everything is.
        size: how many remain.
        counts: for each facet, how many would remain with each of its values, all other choices as they are.
        ordered: int64 [example], the numbers of those that remain in another order; None for that of the dataset.
    """

    kept: np.ndarray | None
    size: int
    counts: Mapping[str, Mapping[str, int]]
    ordered: np.ndarray | None = None

    def numbers(self, start: int, stop: int) -> np.ndarray:
        """The numbers of some of those that remain, in order."""
        if self.ordered is not None:
            return self.ordered[start:stop]
        if self.kept is None:
            return np.arange(start, min(stop, self.size))
        return np.flatnonzero(self.kept)[start:stop]


def choose(
    size: int, facets: Sequence[Facet], wanted: Mapping[str, str], also: Iterable[np.ndarray] = ()
) -> FilterResult:
    """The examples that have all the values that are wanted.

    Args:
        size: how many there are.
        facets: what can be asked.
        wanted: the value that is wanted, by the name of the facet; nothing where it is empty or missing.
        also: what else must be so: bool [example] each.

    Raises:
        UnknownName: when a value does not exist.
    """
    masks = {facet.name: facet.mask(wanted[facet.name]) for facet in facets if wanted.get(facet.name)}
    further = _all(list(also))
    kept = _all([*masks.values(), *([] if further is None else [further])])
    counts = {}
    for facet in facets:
        others = [mask for name, mask in masks.items() if name != facet.name]
        rest = kept if facet.name not in masks else _all([*others, *([] if further is None else [further])])
        counts[facet.name] = facet.counts(rest)
    return FilterResult(kept, size if kept is None else int(np.count_nonzero(kept)), counts)


def keep(size: int, facets: Sequence[Facet], wanted: Mapping[str, str], also: Iterable[np.ndarray] = ()) -> np.ndarray:
    """int64 [example]: the numbers of those that `choose` leaves, without counting anything else."""
    masks = [facet.mask(wanted[facet.name]) for facet in facets if wanted.get(facet.name)]
    kept = _all([*masks, *also])
    return np.arange(size) if kept is None else np.flatnonzero(kept)


def _all(masks: Sequence[np.ndarray]) -> np.ndarray | None:
    if not masks:
        return None
    kept = masks[0]
    for mask in masks[1:]:
        kept = kept & mask
    return kept


@dataclass(frozen=True, eq=False)
class Lines:
    """Texts that are searched for words."""

    texts: Sequence[str]

    @cached_property
    def plain(self) -> list[str]:
        """The texts in small letters, a space around every word, nothing else."""
        return [_plain(text) for text in self.texts]

    def having(self, words: str) -> np.ndarray:
        """Return which texts have all of some words, in any order: bool [text].

        Words in double quotes must follow each other.

        Example:
            >>> Lines(["a red circle by a square", "a circle, a red square"]).having('square "red circle"').tolist()
            [True, False]
        """
        pieces = [_plain(quoted or word) for quoted, word in re.findall(r'"([^"]*)"|([^\s"]+)', words)]
        wanted = [piece for piece in pieces if piece.strip()]
        return np.fromiter((all(piece in line for piece in wanted) for line in self.plain), bool, len(self.texts))


def _plain(text: str) -> str:
    words = re.findall(r"[\w'+-]+", text.lower())
    return f" {' '.join(words)} "


def ranges(values: np.ndarray, ends: Sequence[int], *, unit: str = "") -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return tables and labels that group whole numbers, for a `Facet`, without empty groups.

    Args:
        values: the numbers themselves, which are the codes.
        ends: the last number of each group, rising; what is larger is a group, too.
        unit: what the numbers count.
    """
    width = int(values.max(initial=0)) + 1
    present = np.bincount(values, minlength=width) > 0
    tables, labels = {}, {}
    first = 0
    for last in (*ends, width - 1):
        table = np.zeros(width, bool)
        table[first : last + 1] = True
        if first <= last and (table & present).any():
            is_open = last not in ends
            name = str(first) if first == last else f"{first}-" if is_open else f"{first}-{last}"
            said = str(first) if first == last else f"{first} or more" if is_open else f"{first} to {last}"
            tables[name], labels[name] = table, f"{said} {unit}".strip()
        first = last + 1
    return tables, labels


def set_facet(name: str, label: str, values: Sequence[tuple[str, ...]], known: Iterable[str] = ()) -> Facet:
    """Return a facet of which every example has several values, or none.

    Args:
        name: in addresses.
        label: for people.
        values: those of every example.
        known: values that are listed first, in this order, whether or not any example has them.
    """
    sets = {one: place for place, one in enumerate(dict.fromkeys(values))}
    names = dict.fromkeys([*known, *sorted({value for some in sets for value in some})])
    tables = {value: np.array([value in some for some in sets], bool) for value in names if value}
    codes = np.fromiter((sets[one] for one in values), np.int64, len(values))
    return Facet(name, label, codes, tables if sets else {})


# -------------------------------------------------------------------------------- what a page shows


@dataclass(frozen=True)
class Choice:
    """A value that can be chosen, with the number of examples that it would leave, where that is known."""

    value: str
    label: str
    count: int | None = None


@dataclass(frozen=True)
class Field:
    """One field of the form: a list of choices, or a line of text where there are none."""

    name: str
    label: str
    value: str = ""
    choices: tuple[Choice, ...] = ()
    any: str = "any"
    hint: str = ""


@dataclass(frozen=True)
class Chip:
    """A short remark on a card."""

    text: str
    title: str = ""
    kind: Literal["", "good", "bad", "fair"] = ""


@dataclass(frozen=True)
class Card:
    """One example in the gallery."""

    address: str
    text: str
    picture: Markup | None
    chips: tuple[Chip, ...] = ()
    fault: str = ""


@dataclass(frozen=True)
class Listing:
    """One page of a gallery.

    Attributes:
        what: what is shown, in the plural.
        total: how many remain, None where nobody has counted.
        page, pages: which page, and of how many; 0 pages where they are not counted.
        fields: the form.
        cards: the examples.
        note: what else should be said.
        onward: the address of what follows, where pages are not counted.
        is_final: whether the form shows counts; if not, they are being prepared.
        is_waiting: whether what is asked for is still being worked out, so that the page must be asked for again.
    """

    what: str
    fields: tuple[Field, ...]
    cards: tuple[Card, ...]
    total: int | None = None
    page: int = 1
    pages: int = 0
    note: str = ""
    onward: str = ""
    is_final: bool = True
    is_waiting: bool = False


@dataclass(frozen=True)
class PageQuery:
    """The query of an address: values by name, each at most once, and the page."""

    values: Mapping[str, str]
    page: int = 1

    @classmethod
    def of(cls, query: QueryParams) -> PageQuery:
        """Read the query of an address.

        Values that are unknown here are left to others.

        Raises:
            DeixisError: when a value is too long, or the page is no number.
        """
        values = {name: value.strip() for name, value in query.items() if value.strip()}
        for name, value in values.items():
            if len(value) > LONGEST:
                raise DeixisError(f"the value of {name[:40]!r} is longer than {LONGEST} letters")
        return cls(
            {name: value for name, value in values.items() if name not in ("page", "part")}, _page(values.get("page"))
        )

    def get(self, name: str) -> str:
        """A value, empty where nothing is asked for."""
        return self.values.get(name, "")

    @property
    def carried(self) -> str:
        """The filter, as added to the address of an example so that its page can go on within it."""
        values = {name: value for name, value in self.values.items() if value}
        return f"?{urlencode({'in': urlencode(values)})}" if values and "check" not in values else ""

    def address(self, path: str, **changed: str | int) -> str:
        """An address that asks for the same but for some values."""
        values = {**self.values, **{name: str(value) for name, value in changed.items()}}
        query = urlencode({name: value for name, value in values.items() if value})
        return f"{path}?{query}" if query else path


def _page(said: str | None) -> int:
    if said is None:
        return 1
    if not re.fullmatch(r"[0-9]{1,9}", said) or int(said) < 1:
        raise DeixisError(f"pages are numbered from 1, got {said[:20]!r}")
    return int(said)


def page_of(wanted: PageQuery, total: int) -> tuple[int, int, int]:
    """The first and last place of the page that is wanted, and how many pages there are.

    Raises:
        UnknownName: when there are fewer.
    """
    pages = max(1, -(-total // PAGE))
    if wanted.page > pages:
        raise UnknownName(f"there is no page {wanted.page:,}; there are {pages:,}")
    start = (wanted.page - 1) * PAGE
    return start, min(start + PAGE, total), pages


def stretches_of(files: Iterable[Mapping[str, Any]], split: str) -> list[range]:
    """Return the places of the examples of a split among those of all files of a manifest, or of all if it is empty."""
    stretches, start = [], 0
    for file in files:
        if not split or split in names_in_split(file["split"]):
            stretches.append(range(start, start + file["rows"]))
        start += file["rows"]
    return stretches


def places_in(stretches: Iterable[range], start: int, stop: int) -> list[int]:
    """The numbers in some stretches, from one place to another."""
    numbers: list[int] = []
    before = 0
    for stretch in stretches:
        numbers += stretch[max(0, start - before) : max(0, stop - before)]
        before += len(stretch)
    return numbers


def order_field(wanted: PageQuery, sizes: Iterable[str]) -> Field:
    """Return the form field of the order of examples.

    Args:
        wanted: what is asked for.
        sizes: by what they can be sorted.
    """
    ways = [*SHUFFLES, *(way for name in sizes for way in (f"few {name}", f"many {name}"))]
    named = [Choice(way.replace(" ", "-"), way.replace("plan length", "actions")) for way in ways]
    if (seed := _seed_in(wanted.get(ORDER))) is not None:
        named.insert(len(SHUFFLES), Choice(wanted.get(ORDER), f"shuffled with seed {seed}"))
    return Field(ORDER, "order", wanted.get(ORDER), tuple(named), any="as in the dataset")


def next_shuffle(order: str) -> str:
    """Return the order to shuffle anew after one, so that an address always lists the same."""
    seed = _seed_in(order)
    return f"{SHUFFLE}{1 if seed is None else (seed + 1) % 10**SEED_DIGITS}"


def _seed_in(order: str) -> int | None:
    """The seed of an order such as `shuffled-17`."""
    said = order.removeprefix(SHUFFLE)
    is_seed = said != order and said.isascii() and said.isdecimal() and len(said) <= SEED_DIGITS
    return int(said) if is_seed else None


def put_in_order(numbers: np.ndarray, order: str, sizes: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the numbers of examples in an order: shuffled by the seed that it names, or sorted.

    Args:
        numbers: int64 [example].
        order: a value of `order_field`; empty for the order that they have.
        sizes: by name the numbers by which all examples can be sorted.

    Raises:
        UnknownName: when there is no such order.
    """
    if not order:
        return numbers
    shuffles = [way.replace(" ", "-") for way in SHUFFLES]
    seed = shuffles.index(order) if order in shuffles else _seed_in(order)
    if seed is not None:
        salt = np.uint64(seed + len(shuffles) * (order not in shuffles))
        words = mix_words(numbers.astype(np.uint64) + np.uint64(1) + (salt << np.uint64(32)))
        return numbers[np.argsort(words, kind="stable")]
    way, _, name = order.partition("-")
    by = sizes.get(name.replace("-", " "))
    if by is None or way not in ("few", "many"):
        raise UnknownName(f"examples have no order {order[:40]!r}")
    values = by[numbers].astype(np.int64)
    return numbers[np.argsort(values if way == "few" else -values, kind="stable")]


def field_of(facet: Facet, wanted: PageQuery, counts: Mapping[str, int], **more: str) -> Field:
    """Return the form field of a facet, without values that nothing has, except the chosen one."""
    chosen = wanted.get(facet.name)
    choices = tuple(
        Choice(value, facet.labels.get(value, value), counts[value])
        for value in facet.tables
        if counts[value] or value == chosen or facet.total[value]
    )
    return Field(facet.name, facet.label, chosen, choices, **more)


def list_counted(
    what: str,
    wanted: PageQuery,
    found: FilterResult,
    fields: Iterable[Field],
    cards: Callable[[np.ndarray], Iterable[Card]],
) -> Listing:
    """A page of what remains.

    Args:
        what: what is shown, in the plural.
        wanted: the page that is wanted.
        found: what remains.
        fields: the form.
        cards: makes the cards of some numbers.
    """
    start, stop, pages = page_of(wanted, found.size)
    shown = tuple(cards(found.numbers(start, stop)))
    return Listing(what, tuple(fields), shown, total=found.size, page=wanted.page, pages=pages)


def list_uncounted(
    what: str,
    wanted: PageQuery,
    stretches: Sequence[range],
    fields: Iterable[Field],
    cards: Callable[[Sequence[int]], Iterable[Card]],
) -> Listing:
    """List a page of everything or of a split, for which only its examples are read.

    The arguments are those of `list_counted`.
    """
    total = sum(map(len, stretches))
    start, stop, pages = page_of(wanted, total)
    shown = tuple(cards(places_in(stretches, start, stop)))
    return Listing(what, tuple(fields), shown, total=total, page=wanted.page, pages=pages, is_final=False)
