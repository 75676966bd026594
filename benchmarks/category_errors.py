"""How often features of regions name another category than the right one, on images that were not learnt from.

Run as `python -m benchmarks.category_errors DATA --features lite0 oracle:0.5`, where the number is the noise on
categories. A linear classifier learns categories from the regions of some images of the split train, and is asked about
those of val and test: the same for all features, so that noise can be chosen that is as bad as pictures are.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch

from deixis.worlds.photos.data._region_arrays import RegionArrays, region_arrays
from deixis.worlds.photos.data.store import CopsRef, open_copsref
from deixis.worlds.photos.training._encoders import Noise, find_region_encoder
from deixis.worlds.photos.training._features import region_features


SHRUNKEN = 0.1  # how much of the mean variance is added to each
CPU = torch.device("cpu")


def are_learnt_from(dataset: CopsRef, regions: RegionArrays) -> np.ndarray:
    """Return which regions are of images of the split train: bool [region]."""
    learnt = {example.image_id for example in dataset.examples("train")}
    return np.array([name in learnt for name in regions.image_ids])[regions.image]


def learn_categories(seen: np.ndarray, category: np.ndarray, kinds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights and biases of a linear discriminant of categories (Fisher 1936), with its covariance shrunken.

    Shapes:
        seen: float [region, channel]. category: int [region]. Returns float [channel, category] and [category].
    """
    count = np.bincount(category, minlength=kinds)
    means = np.zeros((kinds, seen.shape[1]))
    np.add.at(means, category, seen)
    means /= np.maximum(count, 1)[:, None]
    rest = seen - means[category]
    spread = rest.T @ rest / len(seen)
    spread += SHRUNKEN * np.trace(spread) / len(spread) * np.eye(len(spread))
    weights = np.linalg.solve(spread, means.T)
    often = np.log(np.maximum(count, 1) / len(seen)) - 1e9 * (count == 0)
    return weights, often - (means.T * weights).sum(0) / 2


def category_errors(dataset: CopsRef, features: str, cache: Path | None = None) -> tuple[float, float]:
    """Return the shares of regions, of images learnt from and of others, whose category is told wrong."""
    name, _, noise = features.partition(":")
    regions = region_arrays(dataset.scenes)
    on_categories = Noise(categories=float(noise)) if noise else Noise()
    encoder = find_region_encoder(name, CPU, regions=regions, noise=on_categories)
    found = region_features(regions, encoder, CPU, dataset=dataset, cache=cache)
    parts = [found.high] if encoder.is_one else [found.low, found.high]
    seen = np.concatenate([part.astype(np.float32).mean(2) for part in parts], axis=1)
    is_learnt = are_learnt_from(dataset, regions)
    weights, biases = learn_categories(seen[is_learnt], regions.category[is_learnt], len(regions.names))
    wrong = (seen @ weights + biases).argmax(1) != regions.category
    return float(wrong[is_learnt].mean()), float(wrong[~is_learnt].mean())


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.category_errors", description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--features", nargs="+", default=["lite0"])
    parser.add_argument("--cache", type=Path, help="a folder for what regions look like")
    options = parser.parse_args()
    dataset = open_copsref(options.data)
    print("| features | wrong, images learnt from | wrong, other images | CPU seconds |\n|---|---:|---:|---:|")
    for features in options.features:
        start = time.process_time()
        learnt, other = category_errors(dataset, features, options.cache)
        spent = time.process_time() - start
        print(f"| {features} | {100 * learnt:.1f} % | {100 * other:.1f} % | {spent:.0f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
