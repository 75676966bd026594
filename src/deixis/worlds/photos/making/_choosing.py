"""The choice of what is said, among expressions all of whose words are needed.

Forms that can seldom be said so are taken where they can, others fill what is left, so that the forms come out as near
to the shares that are wanted as what there is allows. Expressions whose words mean the same in every order are kept
few: a reader who does not know the order finds their targets.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from deixis.seeds import derive


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.worlds.photos.engine.settings import Form
    from deixis.worlds.photos.localise import Example


SCARCE = 0.5  # of the share that is wanted
KEPT_FREE = 0.05  # of all that is said: room for scarce forms whose words mean the same in every order


def choose_said(
    examples: Sequence[Example],
    has_order: Sequence[bool],
    shares: Mapping[Form, float],
    *,
    per_image: int,
    per_target: int,
    unordered: float,
    seed: int,
) -> list[int]:
    """Return the numbers of the examples that are kept, ascending.

    Args:
        examples: all that can be said, of any images.
        has_order: of each, whether another order of its words leads elsewhere.
        shares: of the forms.
        per_image: at most so many of one image.
        per_target: at most so many of one object.
        unordered: the largest share of expressions whose words mean the same in every order.
        seed: of the order in which images are served.
    """
    by_image: dict[str, list[int]] = {}
    for number, example in enumerate(examples):
        by_image.setdefault(example.image_id, []).append(number)
    counts: Counter[str] = Counter()
    kept: list[int] = []
    loose = 0
    left = {image: list(some) for image, some in by_image.items()}
    taken: Counter[tuple[str, str]] = Counter()

    wanted: dict[str, float] = {form: share for form, share in shares.items()}  # noqa: C416 (names of forms as any text)

    def is_scarce(form: str) -> bool:
        return counts[form] < SCARCE * wanted.get(form, 0.0) * len(kept)

    order = sorted(left, key=lambda image: derive(seed, "choose", image))
    for _ in range(per_image):
        for image in order:
            room = unordered * (len(kept) + 1) - loose
            allowed = [
                n
                for n in left[image]
                if taken[image, examples[n].object_id] < per_target
                and (has_order[n] or room >= (1 if is_scarce(examples[n].form) else 1 + KEPT_FREE * len(kept)))
            ]
            if not allowed:
                continue
            best = min(
                allowed, key=lambda n: (counts[examples[n].form] / max(wanted.get(examples[n].form, 0.0), 1e-6), n)
            )
            left[image].remove(best)
            kept.append(best)
            counts[examples[best].form] += 1
            loose += not has_order[best]
            taken[image, examples[best].object_id] += 1
    return sorted(kept)
