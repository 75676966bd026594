"""How often something is tried that fails for no fault of its own: the only place where these bounds stand.

| what fails | what happens | bound |
|---|---|---|
| a process or a worker is killed | its work is done again by another | `WORK_TRIES` for one piece of work |
| the scheduler of a cluster is lost | it is called again, work is handed out anew | `--cluster-wait`, `WORK_TRIES` |
| storage fails | the same call again, after a pause | `STORAGE_TRIES` for one call, with the pauses `STORAGE_PAUSES` |

After that one line says what failed; what is finished is kept, and the same command goes on from there.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar


if TYPE_CHECKING:
    from collections.abc import Callable


Done = TypeVar("Done")
WORK_TRIES = 3
STORAGE_TRIES = 5
STORAGE_PAUSES = (0.1, 0.4, 1.6, 3.2)  # seconds before the second, third, … try
FINAL = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)


def is_passing(error: BaseException) -> bool:
    """Return whether storage may answer otherwise the next time: not where a file or a permission is lacking."""
    return isinstance(error, OSError) and not isinstance(error, FINAL)


def try_again(call: Callable[[], Done], *, pause: Callable[[float], object] = time.sleep) -> Done:
    """Call storage, and call again after a pause while it fails in passing, `STORAGE_TRIES` times in all."""
    for seconds in STORAGE_PAUSES:
        try:
            return call()
        except Exception as error:
            if not is_passing(error):
                raise
            pause(seconds)
    return call()
