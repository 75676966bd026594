"""Scores of captions of rooms."""

from __future__ import annotations

from pathlib import Path

from deixis.worlds.world import Option


__all__ = ["EVALUATE"]

EVALUATE = (
    Option(
        name="count",
        help="Pairs in each test set, 7,500 as published; or how many pictures or pairs are captioned.",
        kind=int,
    ),
    Option(
        name="decoding",
        help="How captions are decoded; greedy by default.",
        choices=("greedy", "sampled", "top-k", "beam"),
    ),
    Option(name="temperature", help="Sampling temperature; 1 by default.", kind=float),
    Option(name="k", help="Number of words for top-k; 20 by default.", kind=int),
    Option(name="width", help="Beam width; 5 by default.", kind=int),
    Option(
        name="thinking",
        help="Pragmatic decoding: none (the default), choosing among proposed captions (rerank), or word by word "
        "(reason).",
        choices=("none", "rerank", "reason"),
    ),
    Option(name="alpha", help="Weight of the listener in pragmatic decoding; 1 by default.", kind=float),
    Option(name="cost", help="Cost of a word in nats, in pragmatic decoding; 0 by default.", kind=float),
    Option(name="candidates", help="Number of captions that rerank chooses from; 20 by default.", kind=int),
    Option(
        name="fluency",
        help="Weight of the speaker's own probability in pragmatic decoding.",
        kind=float,
    ),
    Option(
        name="listener",
        help="A checkpoint or run with another listener than the one that the speaker played with.",
        kind=Path,
    ),
    Option(
        name="pictures",
        help="Pictures for a speaker to caption: an .npz file, 3dshapes.h5, or a folder of PNG "
        "files, 64 by 64 pixels each. Where their factors are known, captions are scored.",
        kind=Path,
    ),
    Option(
        name="pairs",
        help="Which of the pictures to show together: CSV or JSON Lines with the columns target "
        "and distractor, which name pictures by their files, by the numbers of images, or by "
        "their places in an .npz file from 0.",
        kind=Path,
    ),
    Option(
        name="encoder",
        help="Image encoder that the speaker was trained with: rooms (comes with deixis), "
        "factors, or a file with weights.",
    ),
    Option(
        name="cache",
        help="For checkpoints: a folder for what images look like, so that it is computed once.",
        kind=Path,
    ),
    Option(
        name="mode",
        help="Read captions cleanly (by default), or as the script released with the paper does, with its faults.",
        choices=("clean", "paper"),
    ),
    Option(
        name="denominator",
        help="Of contrastive efficiency: z as in the published table (by default), k as printed in the paper.",
        choices=("z", "k"),
    ),
    Option(
        name="contrast",
        help="Whether features contrast by their labels (by default) or by the expressions that "
        "captions have for them.",
        choices=("label", "expression"),
    ),
    Option(name="mend", help="Bugs of the released scorer to fix in paper mode, e.g. sticky_color,substrings."),
    Option(
        name="surface",
        help="Also compare the first so many captions of each set with the 20 exhaustive ones (BLEU, ROUGE, CIDEr …).",
        kind=int,
    ),
)
