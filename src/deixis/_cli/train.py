"""`deixis train MODEL`: a model of any world, with the options of that model.

The commands are made when they are asked for, so that no world is imported to show which models there are.
"""

from __future__ import annotations

from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import App

from deixis._cli.compose import homes_of, join
from deixis._cli.options import Above, Count, Json, Place
from deixis._cli.places import at_hand
from deixis._cli.printing import print_json
from deixis._cli.progress import Stages
from deixis._options import names_in
from deixis.errors import RecipeError, SchemaError
from deixis.learn.run import recording_to
from deixis.worlds.registry import parts_of, world_of


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.learn.run import Model, Run


PREFIX = "train_"
ABOUT = (
    "Train a model of any world.\n\n"
    "Each has options of its own: `deixis train MODEL --help`. A run that was stopped goes on with the same command."
)


def train_app() -> App:
    """Build `deixis train` with a command for every model of the registered worlds."""
    app = App(name="train", help=ABOUT)
    for name, world in homes_of("models").items():
        home = f"{__name__}:{PREFIX}{name}"
        app.command(home, name=name, help=world.models[name], group=f"Models of {world.name}")
    return app


def models_with(flag: str | None) -> list[str]:
    """The models that have an option, as it is typed."""
    option = (flag or "").removeprefix("--").replace("-", "_")
    homes = homes_of("models")
    return [
        name
        for world, part in parts_of("models")
        for name, model in part.models.items()
        if homes.get(name) is world and option in signature(model.options).parameters
    ]


def name_of_today(flag: str | None) -> str:
    """Return the present name of an option of earlier versions, as it is typed, or an empty text if it has none."""
    option = (flag or "").removeprefix("--").replace("-", "_")
    for _, part in parts_of("models"):
        for model in part.models.values():
            if found := getattr(model.options, "earlier", {}).get(option):
                return f"--{found.replace('_', '-')}"
    return ""


def __getattr__(name: str) -> Callable[..., int]:
    """The command that trains the model of a name; cyclopts asks for it when it is given."""
    called = name.removeprefix(PREFIX)
    world = homes_of("models").get(called) if called != name else None
    if world is None:
        raise AttributeError(f"there is no model {name!r}")
    known = world.part("models").models
    if called not in known:
        raise SchemaError(f"the models of {world.name} lack {called!r}, which the world lists")
    model: Model = known[called]

    def with_data(
        how: Any,
        *,
        data: Place,
        out: Path,
        minutes: Above | None = None,
        log: str = "",
        device: str = "auto",
        workers: Count | None = None,
        as_json: Json = False,
    ) -> int:
        """Train on a dataset.

        Args:
            how: The settings of the model.
            data: The dataset folder to learn from, or an address such as s3://bucket/folder.
            out: The folder for the run: checkpoints, log.jsonl and run.json.
            minutes: Stop after this many; the same command resumes, to the same weights, as after Ctrl-C.
            log: Record the log in further ways, separated by commas: tensorboard, wandb.
            device: auto (a GPU where there is one), cpu, cuda, cuda:1.
            workers: How many threads on a CPU, one per core by default.
            as_json: Print JSON instead of text.
        """
        folder = at_hand(data)
        found = world_of(folder)
        if found.name != world.name:
            raise RecipeError(f"{called} learns from datasets of {world.name}; {data} is of {found.name}")
        _use_threads(workers)
        with recording_to(*names_in(log)), Stages() as progress:
            run = model.train(how, folder, out, device=device, progress=progress, stop_after=minutes and 60 * minutes)
        _print_run(run, as_json=as_json)
        return 0

    def without_data(
        how: Any,
        *,
        out: Path,
        minutes: Above | None = None,
        log: str = "",
        device: str = "auto",
        workers: Count | None = None,
        as_json: Json = False,
    ) -> int:
        """Train on what the world makes itself.

        Args:
            how: The settings of the model.
            out: Where the run goes: a folder for checkpoints, log.jsonl and run.json, or the file of an encoder.
            minutes: Stop after this many; the same command resumes, to the same weights, as after Ctrl-C.
            log: Record the log in further ways, separated by commas: tensorboard, wandb.
            device: auto (a GPU where there is one), cpu, cuda, cuda:1.
            workers: How many threads on a CPU, one per core by default.
            as_json: Print JSON instead of text.
        """
        _use_threads(workers)
        with recording_to(*names_in(log)), Stages() as progress:
            run = model.train(how, None, out, device=device, progress=progress, stop_after=minutes and 60 * minutes)
        _print_run(run, as_json=as_json)
        return 0

    return join(with_data if model.needs_data else without_data, model.options, into="how")


def _use_threads(workers: int | None) -> None:
    if workers is not None and find_spec("torch"):
        from deixis.learn.devices import use_threads

        use_threads(workers)


def _print_run(run: Run, *, as_json: bool) -> None:
    if as_json:
        print_json({"path": str(run.path), **run.facts, "finished": run.is_finished, "was finished": run.was_finished})
        return
    if run.was_finished:
        taken = f": {run.facts['steps']:,} steps" if "steps" in run.facts else ""
        print(f"{run.path} is already trained{taken} with the same settings; nothing to do.")
        return
    for line in run.lines:
        print(line)
    if not run.is_finished:
        left = run.facts.get("steps_wanted", 0) - run.facts.get("steps", 0)
        print(f"{f'{left:,}' if left > 0 else 'Some'} steps are left; the same command goes on.")
    for number, command in enumerate(run.following):
        print(f"{'Next:' if not number else '  or:'} {command}")
