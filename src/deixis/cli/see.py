"""`deixis see`: an encoder of pictures of rooms, for speakers and listeners."""

from __future__ import annotations

from pathlib import Path

from deixis.cli.options import Count, Json, Seed
from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages
from deixis.cli.rooms import Above


__all__ = ["see"]


def see(
    *,
    out: Path,
    pictures: Count = 30_000,
    judged: Count = 20_000,
    updates: Count = 6000,
    batch: Count = 256,
    rate: Above = 1e-3,
    data_seed: Seed = 42,
    device: str = "auto",
    seed: Seed = 0,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Train an encoder of pictures: it learns to tell the six factors of rooms that are drawn for it.

    One comes with deixis, as --encoder rooms; this is how it was made. Only pictures for pretraining are learnt from.

    Args:
        out: The file for the encoder, which --encoder of other verbs then names.
        pictures: How many pictures to learn from, at most 30,000.
        judged: By how many validation pictures it is judged, at most 20,000.
        updates: How many updates of the weights.
        batch: How many pictures each is made with.
        rate: The learning rate at the start; it falls evenly to nothing.
        data_seed: Which images are for what, as in `deixis make a3ds --seed`; 42 by default.
        device: auto (a GPU where there is one), cpu, cuda, cuda:1.
        seed: Weights and order follow from it; 0 by default.
        workers: How many threads on a CPU, one per core by default.
        as_json: Print JSON instead of text.
    """
    from deixis.training.devices import use_threads
    from deixis.training.rooms.encoder import Encoding, learn_to_see

    if workers is not None:
        use_threads(workers)
    how = Encoding(
        seed=seed, data_seed=data_seed, pictures=pictures, judged=judged, updates=updates, batch=batch, rate=rate
    )
    with Stages() as progress:
        told = learn_to_see(how, out, device=device, progress=progress)
    if as_json:
        print_json({"path": str(out), "told": told})
        return 0
    rows = [(factor.replace("_", " "), f"{100 * share:.2f}") for factor, share in told.items()]
    print_table(("factor", "told of validation pictures, %"), rows, numbers=[1])
    print(f"Next: deixis pretrain --encoder {out} --out RUN")
    return 0
