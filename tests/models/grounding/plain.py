"""The models of grounding as they are published: one text and one region at a time, in float64.

Nothing is batched, padded, split or taken out of an attention; meant to be read beside the papers.
"""

from __future__ import annotations

from math import isqrt
from typing import TypeAlias

import numpy as np

from tests.models.plain import Weights, affine, run_lstm


Region: TypeAlias = dict[str, np.ndarray]


def phrase_grounder(w: Weights, words: list[int], region: Region, *, sees: tuple[str, ...]) -> float:
    """GroundeR's fit; `sees` names what it has of a region besides what is pooled late."""
    said = run_lstm(w, "lstm", [w["word.weight"][word] for word in words])[-1]
    parts = {"early": region["low"].mean(1), "place": region["place"]}
    seen = np.concatenate((region["pooled"], *(parts[name] for name in sees)))
    both = np.concatenate((norm(w, "said_norm", said), norm(w, "seen_norm", seen)))
    return float(affine(w, "score", relu(affine(w, "joint", both)))[0])


def modular(w: Weights, words: list[int], region: Region) -> float:
    """MattNet's fit."""
    shares, (subject, location, relationship) = hear(w, words, None)
    places = np.concatenate((rescaled(w, "place", region["place"]), rescaled(w, "alike", region["alike"].reshape(-1))))
    related = []
    for near, place, is_near in zip(region["near"], region["near_places"], region["is_near"], strict=True):
        seen = np.concatenate((rescaled(w, "near", near), rescaled(w, "near_place", place)))
        fit = matched(w, "relationship_matching", affine(w, "relationship", seen), relationship)
        related.append(fit if is_near else 0.0)
    fits = (
        matched(w, "subject.matching", look(w, region, subject), subject),
        matched(w, "location_matching", affine(w, "location", places), location),
        max(related),
    )
    return float(np.dot(shares, fits))


def erasing(w: Weights, words: list[int], region: Region, whole: np.ndarray) -> float:
    """The fit of CM-Att-Erase."""
    shares, (subject, location, relationship) = hear(w, words, glimpse(w, whole))
    places = [relu(affine(w, "place_embed", rescaled(w, "place", region["place"])))]
    places += [relu(affine(w, "alike_embed", rescaled(w, "alike", place))) for place in region["alike"]]
    phrase = rescaled(w, "location_phrase", location)
    names = ["place_attention"] + ["alike_attention"] * 5
    energies = [energy(w, name, place, phrase) for name, place in zip(names, places, strict=True)]
    place = softmax(np.array(energies)) @ np.array(places)

    phrase = rescaled(w, "relationship_phrase", relationship)
    around = [
        affine(w, "relationship", np.concatenate((rescaled(w, "near", near), rescaled(w, "near_place", where))))
        for near, where in zip(region["near"], region["near_places"], strict=True)
    ]
    related = softmax(np.array([energy(w, "near_attention", one, phrase) for one in around])) @ np.array(around)
    fits = (
        matched(w, "subject.matching", look(w, region, subject), subject),
        matched(w, "location_matching", place, location),
        matched(w, "relationship_matching", related, relationship),
    )
    return float(np.dot(shares, fits))


def hear(w: Weights, words: list[int], first: np.ndarray | None) -> tuple[np.ndarray, list[np.ndarray]]:
    """How much each module counts, and its phrase."""
    heard = [relu(affine(w, "language.embed", w["language.word.weight"][word])) for word in words]
    given = heard if first is None else [first, *heard]
    onward = run_lstm(w, "language.lstm.onward", given)
    backward = run_lstm(w, "language.lstm.backward", given[::-1])
    states = [np.concatenate(pair) for pair in zip(onward, backward[::-1], strict=True)][-len(words) :]
    shares = softmax(affine(w, "language.weight", np.concatenate((onward[-1], backward[-1]))))
    energies = np.array([affine(w, "language.attention", state) for state in states])  # [word, module]
    return shares, [softmax(of_module) @ np.array(heard) for of_module in energies.T]


def look(w: Weights, region: Region, phrase: np.ndarray) -> np.ndarray:
    """The cells of a region, weighted by an attention that the phrase leads."""
    cells = []
    for low, high in zip(region["low"].T, region["high"].T, strict=True):
        high = rescaled(w, "subject.high", high)  # noqa: PLW2901
        both = np.concatenate((rescaled(w, "subject.low", low), high))
        looks = relu(norm(w, "subject.fuse_norm", affine(w, "subject.fuse", both)))
        cells.append(np.concatenate((high, rescaled(w, "subject.look", looks))))
    phrase = rescaled(w, "subject.phrase", phrase)
    return softmax(np.array([energy(w, "subject.attention", cell, phrase) for cell in cells])) @ np.array(cells)


def glimpse(w: Weights, whole: np.ndarray) -> np.ndarray:
    """What is read before the words."""
    side = isqrt(whole.shape[1])
    x = whole.reshape(-1, side, side)
    for layer, norm_layer in ((0, 1), (3, 4), (6, 7)):
        x = convolved(x, w[f"glimpse.layers.{layer}.weight"], w[f"glimpse.layers.{layer}.bias"])
        x = norm(w, f"glimpse.layers.{norm_layer}", x.transpose(1, 2, 0)).transpose(2, 0, 1)
        x = relu(x) if layer < 6 else x
    return affine(w, "glimpse.out", (x + whole.reshape(-1, side, side)).mean((1, 2)))


def convolved(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """A convolution with zeros around: [channel, row, column]."""
    reach = weight.shape[2] // 2
    wide = np.pad(x, ((0, 0), (reach, reach), (reach, reach)))
    out = np.empty((len(weight), *x.shape[1:]))
    for row, column in np.ndindex(*x.shape[1:]):
        window = wide[:, row : row + weight.shape[2], column : column + weight.shape[3]]
        out[:, row, column] = (weight * window).sum((1, 2, 3)) + bias
    return out


def energy(w: Weights, name: str, seen: np.ndarray, phrase: np.ndarray) -> float:
    """How much a vector asks to be looked at."""
    bent = np.tanh(affine(w, f"{name}.joint", np.concatenate((seen, phrase))))
    return float(affine(w, f"{name}.energy", bent)[0])


def matched(w: Weights, name: str, seen: np.ndarray, said: np.ndarray) -> float:
    """The cosine of both sides."""
    return float(np.dot(side(w, f"{name}.seen", seen), side(w, f"{name}.said", said)))


def side(w: Weights, name: str, x: np.ndarray) -> np.ndarray:
    hidden = relu(norm(w, f"{name}.first_norm", affine(w, f"{name}.first", x)))
    return unit(norm(w, f"{name}.second_norm", affine(w, f"{name}.second", hidden)))


def norm(w: Weights, name: str, x: np.ndarray) -> np.ndarray:
    """Batch normalisation by what was seen in training."""
    scaled = (x - w[f"{name}.running_mean"]) / np.sqrt(w[f"{name}.running_var"] + 1e-5)
    return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]


def rescaled(w: Weights, name: str, x: np.ndarray) -> np.ndarray:
    return unit(x) * w[f"{name}.size"]


def unit(x: np.ndarray) -> np.ndarray:
    return x / max(float(np.sqrt((x * x).sum())), 1e-12)


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


def softmax(x: np.ndarray) -> np.ndarray:
    shares = np.exp(x - x.max())
    return shares / shares.sum()
