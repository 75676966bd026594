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


CITATION = "Deixis: the toolkit for reference, and the paper whose measure you use."


class Deixis(evaluate.Metric):  # type: ignore[misc]
    """The metrics of `deixis.bridges.metric_functions` behind the interface of `evaluate`."""

    def _info(self) -> evaluate.MetricInfo:
        from deixis.bridges.metric_functions import known_metrics
        from deixis.errors import UnknownName

        if self.config_name not in known_metrics():
            raise UnknownName(f"unknown configuration {self.config_name!r}; known: {', '.join(known_metrics())}")
        texts = {"predictions": datasets.Value("string"), "references": datasets.Value("string")}
        return evaluate.MetricInfo(
            description=__doc__,
            citation=CITATION,
            inputs_description="predictions and references are lists of texts",
            features=datasets.Features(texts),
        )

    def _compute(self, predictions: Sequence[str], references: Sequence[str], **options: Any) -> dict[str, Any]:
        """The numbers, see the table above."""
        from deixis.bridges.metric_functions import known_metrics

        return known_metrics()[self.config_name](list(predictions), list(references), **options)
