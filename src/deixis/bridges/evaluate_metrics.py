"""Our metrics for Hugging Face's `evaluate`: `evaluate.load(evaluate_module(), "exact_match")`, without a network.

| configuration | predictions | references | further arguments of `compute` |
|---|---|---|---|
| `exact_match` | plans | plans | |
| `navigation` | plans | ids of examples | `data`, `split` |
| `pragmatic` | captions | `TARGET/DISTRACTOR`, numbers of images | |
| `localisation` | `IMAGE/OBJECT`, or empty for *not there* | ids of examples | `data`, `split`, `setting` |

`evaluate` copies this file and runs the copy, so it says all it needs by full names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import datasets
import evaluate


if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["CONFIGURATIONS", "Deixis"]

CONFIGURATIONS = ("exact_match", "navigation", "pragmatic", "localisation")
CITATION = "Deixis: the toolkit for reference, and the paper whose measure you use."


class Deixis(evaluate.Metric):  # type: ignore[misc]
    """The metrics of `deixis.bridges.metric_functions` behind the interface of `evaluate`."""

    def _info(self) -> evaluate.MetricInfo:
        from deixis.errors import UnknownName

        if self.config_name not in CONFIGURATIONS:
            raise UnknownName(f"unknown configuration {self.config_name!r}; known: {', '.join(CONFIGURATIONS)}")
        texts = {"predictions": datasets.Value("string"), "references": datasets.Value("string")}
        return evaluate.MetricInfo(
            description=__doc__,
            citation=CITATION,
            inputs_description="predictions and references are lists of texts",
            features=datasets.Features(texts),
        )

    def _compute(self, predictions: Sequence[str], references: Sequence[str], **options: Any) -> dict[str, Any]:
        """The numbers, see the table above."""
        from deixis.bridges import metric_functions
        from deixis.errors import SchemaError

        if self.config_name == "exact_match":
            return metric_functions.exact_match(predictions, references)
        if self.config_name == "pragmatic":
            pairs = [text.split("/") for text in references]
            if not all(len(pair) == 2 and all(part.strip().isdigit() for part in pair) for pair in pairs):
                raise SchemaError("references must be TARGET/DISTRACTOR, the numbers of two images")
            targets, distractors = ([int(pair[place]) for pair in pairs] for place in (0, 1))
            return metric_functions.pragmatic(predictions, targets, distractors)
        if "data" not in options:
            raise SchemaError(f"{self.config_name} needs the dataset: compute(..., data=PATH, split=NAME)")
        if self.config_name == "navigation":
            return metric_functions.navigation(list(predictions), ids=list(references), **options)
        answers: Any = dict(zip(references, predictions, strict=True))
        return metric_functions.localisation(answers, **options)
