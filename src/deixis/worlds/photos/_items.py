"""Part `items` of photographs: their pictures as tensors, and the metric of localising.

With pictures, PyTorch is given `pictures`: those of all images shown, the right one first, where they are kept.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis.data._example_rows import no_columns, open_rows
from deixis.errors import BrokenDataset, SchemaError
from deixis.judge._lists import demand_data, predictions_by_id
from deixis.worlds.photos._judging.grounding import evaluate_answers
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.localise import SETTINGS, Answer


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deixis.data._stored_paths import AnyPath
    from deixis.judge._lists import Numbers


def columns(path: AnyPath, *, pictures: bool) -> Callable[[Any], dict[str, Any]]:
    """Return the pictures of the images of rows, where they are wanted."""
    if isinstance(path, Path):
        open_copsref(path)
    return _Pictures(path).columns if pictures else no_columns


class _Pictures:
    """The pictures of a dataset by the ids of their images."""

    def __init__(self, path: AnyPath) -> None:
        self.rows = open_rows(path, table="images")
        self._numbers: dict[str, int] | None = None

    def columns(self, table: Any) -> dict[str, Any]:
        """The pictures of some rows, as files; rows that are images have their own."""
        if "distractor_image" not in table.column_names:
            return {}
        shown = zip(table.column("image").to_pylist(), table.column("distractor_image").to_pylist(), strict=True)
        return {"pictures": [[self.find(image) for image in dict.fromkeys((own, *rest))] for own, rest in shown]}

    def find(self, image: str) -> bytes:
        """Return the bytes of a picture."""
        if self._numbers is None:
            names = chain.from_iterable(self.rows.read_column(group, "image") for group in self.rows.groups)
            self._numbers = {name: number for number, name in enumerate(names)}
        if image not in self._numbers:
            raise BrokenDataset(f"{self.rows.path.name} keeps no picture of the image {image!r}")
        found: bytes = self.rows.take([self._numbers[image]]).column("picture").to_pylist()[0]["bytes"]
        return found


# -------------------------------------------------------------------------------- metrics


def localisation(
    predictions: Mapping[int, str] | Sequence[str],
    data: Path | str,
    *,
    split: str = "test",
    setting: str = "Full",
    ids: Sequence[int | str] | None = None,
) -> Numbers:
    """Count the expressions whose object a model finds.

    Args:
        predictions: `IMAGE/OBJECT`, or an empty text for *not there*: by the id of the example, or a list.
        data: the dataset of expressions about photographs.
        split: which split; examples without a prediction count as wrong.
        setting: which images were shown, one of `SETTINGS`.
        ids: the examples that a list answers; without them, all of the split in their order.

    Returns:
        `accuracy` over expressions that fit something, `denied` over those that fit nothing, `chance`, `unparsable`,
        `unanswered` and `examples`; None where there are no such expressions.

    Raises:
        BrokenDataset: when the dataset cannot be read, or not one prediction is to one of its examples.
        SchemaError: when there is no such setting.
    """
    if setting not in SETTINGS:
        raise SchemaError(f"unknown setting {setting!r}; known: {', '.join(SETTINGS)}")
    opened = open_copsref(Path(data))
    examples = list(opened.examples(split))
    said = predictions_by_id(predictions, [one.id for one in examples] if ids is None else ids)
    answers = [_answer(number, text, setting) for number, text in said.items()]
    evaluation, verdicts = evaluate_answers(examples, answers, opened.scenes)
    settled = next((found for name, found in evaluation.settings.items() if name == setting), None)
    denied = next((found for name, found in evaluation.absent.items() if name == setting), None)
    return {
        "accuracy": None if settled is None else settled.accuracy.mean,
        "denied": None if denied is None else denied.mean,
        "chance": None if settled is None else settled.chance,
        "unparsable": sum(verdict.outcome == "unparsable" for verdict in verdicts),
        "unanswered": sum(verdict.outcome == "unanswered" for verdict in verdicts),
        "examples": len(verdicts),
    }


def _answer(number: int, text: Any, setting: Any) -> Answer:
    if not isinstance(text, str):
        return Answer(number, setting, fault="it is not IMAGE/OBJECT")
    image, slash, name = text.strip().partition("/")
    if not text.strip():
        return Answer(number, setting, is_absent=True)
    if not slash or not image or not name:
        return Answer(number, setting, fault="it is not IMAGE/OBJECT")
    return Answer(number, setting, image_id=image, object_id=name)


def _localisation(predictions: Sequence[str], references: Sequence[str], **options: Any) -> Numbers:
    demand_data(options, "localisation")
    answers: Any = dict(zip(references, predictions, strict=True))
    return localisation(answers, **options)


metrics: Mapping[str, Callable[..., Numbers]] = {"localisation": _localisation}
