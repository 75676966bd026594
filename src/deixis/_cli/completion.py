"""`deixis completion`: let the shell complete verbs and options."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from deixis._cli.options import Count, Json, Seed
from deixis._cli.printing import print_json


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(name="SHELL")],
    /,
    *,
    install: bool = False,
    seed: Seed | None = None,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Print or install completions of verbs, options and files.

    To try it: eval "$(deixis completion bash)".

    Args:
        shell: Which one: bash, zsh or fish.
        install: Write the script where the shell looks for it, and name it in the shell's start-up file where needed.
        seed: Accepted by every verb; nothing is random here.
        workers: Accepted by every verb; this one runs in one process.
        as_json: Print JSON instead of text.
    """
    from deixis._cli.app import command_line

    del seed, workers
    app = command_line()
    if install:
        path = app.install_completion(shell=shell)
        if as_json:
            print_json({"shell": shell, "path": str(path)})
        else:
            print(f"Wrote {path}; open a new {shell} to use it.")
        return 0
    script = app.generate_completion(shell=shell)
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        print(script)
    return 0
