"""Results that the paper reports, to stand beside the measured ones.

Source: P. Tsvilodub and M. Franke, "Evaluating Pragmatic Abilities of Image Captioners on A3DS", ACL 2023 (short
papers), Table 1 and section 3. B is the pretrained captioner, RP and SP the speakers tuned on random and on similar
pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["CHANCE", "FALSE_FEATURES", "HOURS", "TABLE_1"]

CHANCE = 0.5
TABLE_1: Mapping[str, Mapping[str, Mapping[str, float]]] = {  # category -> model -> metric -> value
    "one feature": {
        "B": {
            "discriminativity": 0.999,
            "contrastive_efficiency": 0.198,
            "relevance": 0.150,
            "optimal_discriminativity": 0.014,
            "mentioned_features": 5.880,
        },
        "RP": {
            "discriminativity": 0.822,
            "contrastive_efficiency": 0.879,
            "relevance": 0.668,
            "optimal_discriminativity": 0.457,
            "mentioned_features": 2.944,
            "listener_accuracy": 0.919,
        },
        "SP": {
            "discriminativity": 0.824,
            "contrastive_efficiency": 0.875,
            "relevance": 0.640,
            "optimal_discriminativity": 0.452,
            "mentioned_features": 3.125,
            "listener_accuracy": 0.895,
        },
    },
    "two features": {
        "B": {
            "discriminativity": 0.997,
            "contrastive_efficiency": 0.203,
            "relevance": 0.162,
            "optimal_discriminativity": 0.039,
            "mentioned_features": 5.871,
        },
        "RP": {
            "discriminativity": 0.576,
            "contrastive_efficiency": 0.963,
            "relevance": 0.522,
            "optimal_discriminativity": 0.485,
            "mentioned_features": 2.950,
            "listener_accuracy": 0.887,
        },
        "SP": {
            "discriminativity": 0.586,
            "contrastive_efficiency": 0.955,
            "relevance": 0.521,
            "optimal_discriminativity": 0.476,
            "mentioned_features": 3.133,
            "listener_accuracy": 0.900,
        },
    },
    "three features": {
        "B": {
            "discriminativity": 0.984,
            "contrastive_efficiency": 0.251,
            "relevance": 0.149,
            "optimal_discriminativity": 0.148,
            "mentioned_features": 5.876,
        },
        "RP": {
            "discriminativity": 0.527,
            "contrastive_efficiency": 0.856,
            "relevance": 0.684,
            "optimal_discriminativity": 0.335,
            "mentioned_features": 2.955,
            "listener_accuracy": 0.862,
        },
        "SP": {
            "discriminativity": 0.541,
            "contrastive_efficiency": 0.875,
            "relevance": 0.665,
            "optimal_discriminativity": 0.367,
            "mentioned_features": 3.135,
            "listener_accuracy": 0.860,
        },
    },
}
FALSE_FEATURES: Mapping[str, float] = {"B": 0.720, "RP": 0.139, "SP": 0.316}  # section 3
HOURS: Mapping[str, float] = {"B": 10, "RP": 20, "SP": 20}  # of training on one A40, about; section 2.3, footnote 4
