"""The colours of charts by role, on a light and on a dark page, without any drawing library.

Okabe and Ito's blue, orange, green, purple, vermilion, sky, yellow and black can be told apart with any colour vision;
they are darker on white and lighter on black.
"""

from __future__ import annotations

from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Sequence


PAPER, INK, SOFT, LINE = ("#FFFFFF", "#161A23"), ("#1F2430", "#E8EBF2"), ("#59627A", "#AEB7C9"), ("#D5DAE3", "#363D4C")
SERIES = {
    "d0": ("#0067A6", "#56A8E8"),
    "d1": ("#C77700", "#F2AE3D"),
    "d2": ("#00805C", "#36C99B"),
    "d3": ("#A8467F", "#E08CC0"),
    "d4": ("#B84700", "#FF8A4F"),
    "d5": ("#3387B8", "#8FD0F5"),
    "d6": ("#7A6C00", "#E3D24F"),
    "d7": ("#4B5162", "#C4CBDA"),
}
MAX_DATASETS = len(SERIES)  # that can be told apart by colour
ROLES: dict[str, tuple[str, str]] = {  # role -> colour on a light and on a dark page
    **SERIES,
    "neutral": ("#8A93A6", "#9AA4B8"),
    "published": SOFT,  # hatched or dashed
    "step0": ("#E9A26B", "#C9763A"),  # nothing at all, then from few to many
    "step1": ("#CFE3F2", "#27405A"),
    "step2": ("#8FBFE0", "#33628C"),
    "step3": ("#4590C4", "#4A8FC6"),
    "step4": ("#00588F", "#9AD0FA"),
    "kind0": ("#0067A6", "#4A9BE0"),
    "kind1": ("#E9A26B", "#C9763A"),
    "kind2": ("#B9C2D0", "#596377"),
    "kind3": ("#B84A52", "#B0474F"),
}
DARK_OF = dict((*ROLES.values(), INK, SOFT, LINE))  # light -> dark
MODE_ROLES = {"released": "neutral", "compatible": "d0", "corrected": "d1", "every-word": "d2"}
PATTERN_ROLES = {"p1": "d0", "p2": "d1", "p3": "d2", "p4": "d3", "chain": "d4"}
PATTERN_WORDS = {
    "p1": "no clause",
    "p2": "one clause",
    "p3": "two clauses",
    "p4": "three clauses",
    "chain": "clause in a clause",
}


def role_of(place: int) -> str:
    """The colour role of the series at this place."""
    return f"d{place % len(SERIES)}"


def color_pair(place: int) -> tuple[str, str]:
    """The colour of the series at this place, on a light and on a dark page."""
    return ROLES[role_of(place)]


def dataset_roles(names: Sequence[str]) -> list[str]:
    """A colour role for each dataset: making modes always have the same, others follow the order of the names."""
    if any(name in MODE_ROLES for name in names):
        free = [role for role in SERIES if role not in {MODE_ROLES.get(name) for name in names}]
        return [MODE_ROLES[name] if name in MODE_ROLES else free.pop(0) for name in names]
    return [role_of(place) for place in range(len(names))]


def pattern_role(name: str) -> str:
    """The colour role of a pattern, the same in all charts."""
    return PATTERN_ROLES.get(name, "d5")


def pattern_words(name: str) -> str:
    """The name of a pattern with a description, if it has one."""
    return f"{name}: {PATTERN_WORDS[name]}" if name in PATTERN_WORDS else name


def palette_rules() -> str:
    """Style rules that define every role as a CSS variable and a class."""
    colors = "".join(f"--{role}:light-dark({light},{dark});" for role, (light, dark) in ROLES.items())
    classes = "".join(f".{role}{{--tone:var(--{role})}}" for role in ROLES)
    return f":root{{{colors}}}\n{classes}\n"
