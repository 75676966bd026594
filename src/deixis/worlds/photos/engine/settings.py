"""Settings of the engine, with the choices that Cops-Ref left open."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.errors import RecipeError
from deixis.worlds.photos.language._words import style_named


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.worlds.photos.resolution.unknowns import Unknowns


__all__ = ["FORMS", "PRIORITY", "REMOVED", "Engine", "Form"]

Form: TypeAlias = Literal["chain", "and", "or", "order", "same", "not"]
FORMS: tuple[Form, ...] = ("chain", "and", "or", "order", "same", "not")
PRIORITY: tuple[Form, ...] = ("not", "same", "or", "order", "and", "chain")  # the first that is used names it
REMOVED = frozenset(("cloud", "clouds", "sky"))  # hard to bound by a box: Cops-Ref section 3.3
_SHARES: dict[Form, float] = {"chain": 0.35, "order": 0.2, "or": 0.175, "and": 0.125, "same": 0.125, "not": 0.025}


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Settings of the expression engine.

    Attributes:
        seed: of all chance; every image has a stream of its own.
        per_image, per_target: at most so many expressions.
        shares: of the forms. By default those of a sample of the release.
        attempts: how often to try for one expression.
        hops: how often chains have one, two and three relations (those of a sample of the release).
        target_attribute: whether targets of chain, and, or and order must have an attribute that is said, as all of the
            release have.
        related_attribute: how often an attribute is said of a related object that has one.
        composition: how often a form is joined with another.
        least_area: the smallest share of the image that a target covers.
        removed: names that are no targets.
        spatial_only: `release` drops expressions that say nothing but left and right; `strict` drops those whose
            relations are all simple spatial ones, attributes or not; `keep` drops none.
        alternatives: whether `or` has `exactly one` true branch, as in the release, or at least one (`inclusive`).
        false_first: how often the false branch is said first.
        same: whether the value that is shared must be held by the `pair` alone, as in the paper, or whether it is
            enough that nothing else of the target's name shares `any`.
        rank_readings: what happens to ranks that pick another object when counted among fewer ('the first glass from
            the left that is clear' as the first of the clear ones): `reject` or `flag`.
        most_counted: the longest row that ranks are counted in.
        guarded: whether `not` needs evidence: another value of the same kind, or any relation told of the target.
        unknowns: where given, the target must be the only possible referent, not only the only recorded one.
        loose_sides: whether nothing else in the image may fit with left and right as people see them, either; see
            `left_right.loosened`.
        style: the wording; see `worlds.photos.language`.
        variety: how often a variant of the wording is used.
        synonyms: how often a noun or adjective is said by another word.
        words: whether only `listed` words are chosen, those that are known to make English, or `all`.
    """

    seed: int = 0
    per_image: int = 4
    per_target: int = 2
    shares: Mapping[Form, float] = field(default_factory=_SHARES.copy)
    attempts: int = 20
    hops: tuple[float, float, float] = (0.76, 0.19, 0.05)
    target_attribute: bool = True
    related_attribute: float = 0.9
    composition: float = 0.1
    least_area: float = 0.01
    removed: frozenset[str] = REMOVED
    spatial_only: Literal["release", "strict", "keep"] = "release"
    alternatives: Literal["exactly one", "inclusive"] = "exactly one"
    false_first: float = 1.0
    same: Literal["pair", "any"] = "any"
    rank_readings: Literal["reject", "flag"] = "reject"
    most_counted: int = 6
    guarded: bool = True
    unknowns: Unknowns | None = None
    loose_sides: bool = True
    style: str = "english"
    variety: float = 0.2
    synonyms: float = 0.1
    words: Literal["listed", "all"] = "listed"

    def __post_init__(self) -> None:
        style_named(self.style)
        for name in ("per_image", "per_target", "attempts"):
            if getattr(self, name) < 1:
                raise RecipeError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("related_attribute", "composition", "least_area", "false_first", "variety", "synonyms"):
            if not 0 <= getattr(self, name) <= 1:
                raise RecipeError(f"{name} is a share from 0 to 1, got {getattr(self, name)}")
        if unknown := set(self.shares) - set(FORMS):
            raise RecipeError(f"unknown form {min(unknown)!r}; known: {', '.join(FORMS)}")
        if not sum(self.shares.values()) > 0 or min(self.shares.values()) < 0:
            raise RecipeError("the shares of the forms must be numbers from 0, and not all 0")
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                raise RecipeError(f"{name} is one of {', '.join(known)}, not {getattr(self, name)!r}")


_CHOICES = {
    "spatial_only": ("release", "strict", "keep"),
    "alternatives": ("exactly one", "inclusive"),
    "same": ("pair", "any"),
    "rank_readings": ("reject", "flag"),
    "words": ("listed", "all"),
}
