"""Participants of a served study: who may enter, which answer comes next, and what is refused.

Nothing that a browser sends is believed: an answer counts if it comes with the key that its participant was given, is
to the item that is next in the participant's order, and is one of the answers of that item. Participants are known by a
keyed hash of their token, or of the id that Prolific gives them; neither is stored.
"""

from __future__ import annotations

import hmac
import re
from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import sha256
from math import isfinite
from secrets import token_urlsafe
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from deixis._study.journal import Journal
from deixis._study.order import order_for
from deixis._study.rows import MAX_CLICKS, ROW_FORMAT
from deixis.errors import DeixisError


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis._study.design import Study
    from deixis._study.items import Item


TOKEN = re.compile(r"[A-Za-z0-9_-]{8,64}")
MAX_MS = 86_400_000  # a day
MAX_SIDE = 100_000  # pixels
MAX_PARTICIPANTS = 20_000
BURST, PER_SECOND = 20.0, 5.0  # answers of one participant
GUESSES, GUESS_SECONDS = 60, 60.0  # of one address with tokens that are not known
NUMBERS = {"rt": MAX_MS, "time_elapsed": 30 * MAX_MS, "blurs": 10_000}


class Refusal(DeixisError):
    """A request of a participant that is refused, with the status that says so."""

    def __init__(self, status: int, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status, self.more = status, more


@dataclass
class Participant:
    """One participant of a running study.

    Attributes:
        name: the keyed hash under which answers are kept.
        order: the items in this participant's order.
        answered: how many of them are answered.
        is_over: whether the end was reached.
        tokens: how many answers may come at once now, and since when that is so.
    """

    name: str
    order: Sequence[Item]
    answered: int = 0
    is_over: bool = False
    tokens: tuple[float, float] = (BURST, 0.0)
    lock: Lock = field(default_factory=Lock)


class Sessions:
    """All participants of a running study."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.journal = Journal(study.folder / "answers")
        secret = study.secret()
        self._key, self.code = secret["key"].encode(), secret["code"]
        self._links = study.tokens()
        self.items = study.client_items()  # the same for everybody; only their order differs
        self._all: dict[str, Participant] = {}
        self._guesses: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = Lock()

    # ---------------------------------------------------------------------------- entering

    def enter(self, given: Mapping[str, Any], *, address: str) -> dict[str, Any]:
        """Let somebody in, or back in, and return the order of items and how many are answered.

        Args:
            given: the token, or the ids of Prolific, as the address of the page has them.
            address: where the request comes from; it is kept for a minute, to stop guessing, and never stored.
        """
        token = ""
        match self.study.settings.admission:
            case "links":
                token = self._text(given, "token")
                if token not in self._links:
                    self._count_guess(address)
                    raise Refusal(403, "This link is not one of this study. Please use the link that you were sent.")
                said = f"token {token}"
            case "prolific":
                ids = [self._text(given, name) for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")]
                if not all(ids):
                    raise Refusal(403, "Please open this study from Prolific: your participant id is missing.")
                said = f"prolific {ids[0]}"
            case _:
                token = self._text(given, "token") or token_urlsafe(12)
                said = f"token {token}"
        participant = self._participant(self._hash(said)[:32])
        return {
            "participant": participant.name,
            "key": self._session_key(participant.name),
            "order": [item.id for item in participant.order],
            "answered": participant.answered,
            "token": token if self.study.settings.admission == "anyone" else "",
        }

    def _text(self, given: Mapping[str, Any], name: str) -> str:
        value = given.get(name, "")
        if value == "":
            return ""
        if not isinstance(value, str) or not TOKEN.fullmatch(value):
            raise Refusal(422, f"The {name} in the address is none: 8 to 64 letters, digits, - and _ are expected.")
        return value

    def _count_guess(self, address: str) -> None:
        now = monotonic()
        with self._lock:
            times = [one for one in self._guesses.pop(address, []) if now - one < GUESS_SECONDS]
            self._guesses[address] = [*times, now]
            while len(self._guesses) > MAX_PARTICIPANTS:
                self._guesses.popitem(last=False)
        if len(times) >= GUESSES:
            raise Refusal(429, "Too many unknown links came from your address. Please wait a minute.")

    def _hash(self, text: str) -> str:
        return hmac.new(self._key, f"{self.study.digest}/{text}".encode(), sha256).hexdigest()

    def _session_key(self, participant: str) -> str:
        return f"{participant}{self._hash(f'session {participant}')[:32]}"

    def _participant(self, name: str) -> Participant:
        with self._lock:
            found = self._all.get(name)
            if found is None:
                if len(self._all) >= MAX_PARTICIPANTS:
                    raise Refusal(503, "This study has no room for further participants.")
                found = self._all[name] = self._read(name)
            return found

    def _read(self, name: str) -> Participant:
        practice, others = self.study.of_kind("practice"), self.study.of_kind("main", "attention")
        order = [*practice, *order_for(others, seed=self.study.order_seed, participant=name)]
        lines = self.journal.open(name)
        rows = [line for line in lines if "item" in line]
        return Participant(name, order, len(rows), is_over=any(line.get("event") == "end" for line in lines))

    def _find(self, key: object) -> Participant:
        """Return the participant whose key this is."""
        if isinstance(key, str) and len(key) == 64:
            name = key[:32]
            if re.fullmatch(r"[0-9a-f]{64}", key) and hmac.compare_digest(key, self._session_key(name)):
                return self._participant(name)
        raise Refusal(403, "This answer comes without the key of a participant. Please reload the page.")

    # ---------------------------------------------------------------------------- answering

    def answer(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Keep an answer, and return when it is on the disk."""
        participant = self._find(values.get("key"))
        row = values.get("row")
        if not isinstance(row, dict):
            raise Refusal(422, "There is no answer in this.")
        with participant.lock:
            place = row.get("trial_index")
            if type(place) is not int or not 0 <= place < len(participant.order):
                raise Refusal(422, "There is no question of this number.")
            if place < participant.answered:
                raise Refusal(409, "This question was answered before.", next=participant.answered)
            if place > participant.answered:
                raise Refusal(422, "This question is not being asked yet.", next=participant.answered)
            item = participant.order[place]
            kept = self._row(participant, item, place, row)
            self._slow_down(participant)
            self.journal.add(participant.name, kept)
            participant.answered += 1
            return {"next": participant.answered}

    def _row(self, participant: Participant, item: Item, place: int, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row as it is kept: known fields only, each of which was looked at."""
        if row.get("item") != item.id:
            raise Refusal(422, "This answer is to another question than the one that is asked.")
        if not item.accepts(row.get("response")):
            raise Refusal(422, "This is none of the answers to this question.")
        first = row.get("first")
        numbers = {name: row.get(name) for name in NUMBERS} | ({} if first is None else {"first": first})
        for name, value in numbers.items():
            if not _is_number(value) or not 0 <= value <= NUMBERS.get(name, MAX_MS):  # type: ignore[operator]
                raise Refusal(422, f"{name} is not a number that can be.")
        return {
            "format": ROW_FORMAT,
            "study": self.study.digest,
            "form": "served",
            "participant": participant.name,
            "trial_index": place,
            "trial_type": "deixis-typed" if item.is_typed else "deixis-choice",
            "item": item.id,
            "response": row["response"].strip() if item.is_typed else row["response"],
            **{name: round(value) for name, value in numbers.items()},  # type: ignore[arg-type]
            "choices": _choices(row.get("choices"), item),
            "clicks": _clicks(row.get("clicks")),
            "stimulus": [f"images/{part['image']}" for part in item.shown if "image" in part],
            "screen": _sides(row.get("screen")),
            "window": _sides(row.get("window")),
            "pixel_ratio": _ratio(row.get("pixel_ratio")),
        }

    def _slow_down(self, participant: Participant) -> None:
        left, since = participant.tokens
        now = monotonic()
        left = min(BURST, left + PER_SECOND * (now - since)) if since else BURST
        if left < 1:
            raise Refusal(429, "These answers come faster than anybody can give them. Please wait a moment.")
        participant.tokens = left - 1, now

    def finish(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the completion code once everything is answered."""
        participant = self._find(values.get("key"))
        with participant.lock:
            if participant.answered < len(participant.order):
                raise Refusal(422, "Not all questions are answered yet.", next=participant.answered)
            if not participant.is_over:
                self.journal.add(participant.name, {"event": "end", "study": self.study.digest})
                participant.is_over = True
        return {"code": self.code}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _clicks(given: object) -> list[list[float]]:
    """Return the clicks that are some: a time, the number of a picture, and shares of its width and height."""
    if not isinstance(given, list) or len(given) > MAX_CLICKS:
        raise Refusal(422, f"clicks are a list of at most {MAX_CLICKS}.")
    for one in given:
        if (
            not isinstance(one, list)
            or len(one) != 4
            or not all(_is_number(part) and abs(part) <= MAX_MS for part in one)
        ):
            raise Refusal(422, "A click is a time, a picture and two shares.")
    return given


def _choices(given: object, item: Item) -> list[list[Any]]:
    """Return the choices before the answer: a time and an answer each."""
    if not isinstance(given, list) or len(given) > MAX_CLICKS:
        raise Refusal(422, f"choices are a list of at most {MAX_CLICKS}.")
    for one in given:
        is_one = isinstance(one, list) and len(one) == 2 and _is_number(one[0]) and 0 <= one[0] <= MAX_MS
        if not is_one or item.is_typed or not item.accepts(one[1]):
            raise Refusal(422, "A choice is a time and one of the answers.")
    return given


def _sides(given: object) -> list[int]:
    if (
        not isinstance(given, list)
        or len(given) != 2
        or not all(_is_number(one) and 0 <= one <= MAX_SIDE for one in given)
    ):
        raise Refusal(422, "A screen has a width and a height.")
    return [round(one) for one in given]


def _ratio(given: object) -> float:
    if not _is_number(given) or not 0 < given <= 100:  # type: ignore[operator]
        raise Refusal(422, "pixel_ratio is not a number that can be.")
    return round(given, 3)  # type: ignore[call-overload]
