"""Location of the metrics for Hugging Face's `evaluate`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from deixis.errors import DeixisError


__all__ = ["evaluate_module"]


def evaluate_module() -> str:
    """Return the file to hand to `evaluate.load` with the name of a configuration (see `_evaluate_metrics`).

    Raises:
        DeixisError: when `evaluate` is not installed.

    Example:
        >>> import evaluate  # doctest: +SKIP
        >>> metric = evaluate.load(evaluate_module(), "exact_match")  # doctest: +SKIP
        >>> metric.compute(predictions=["LWW"], references=["LWW"])["exact_match"]  # doctest: +SKIP
        1.0
    """
    if find_spec("evaluate") is None:
        raise DeixisError("metrics for `evaluate` need the package; install it with: pip install 'deixis[hf]'")
    return str(Path(__file__).with_name("_evaluate_metrics.py"))
