"""Errors in one line that says what to do."""

from __future__ import annotations

import errno
import os
import re

from deixis.errors import DeixisError


FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
EXTRAS = {
    "pyarrow": "data",
    "PIL": "data",
    "matplotlib": "report",
    "h5py": "shapes",
    "jinja2": "report",
    "starlette": "studio",
    "uvicorn": "studio",
    "torch": "train",
    "safetensors": "train",
    "dask": "cluster",
    "dask_jobqueue": "cluster",
    "distributed": "cluster",
    "fsspec": "cluster",
    "s3fs": "cluster",
    "gymnasium": "environments",
    "pettingzoo": "environments",
    "datasets": "hf",
    "evaluate": "hf",
    "mlcroissant": "hf",
    "inspect_ai": "llm",
    "lm_eval": "llm",
}  # package -> the extra that installs it
LONGEST = 600
DRAFT = re.compile(r"(^|[/\\])\.([^/\\]+)\.\d+\.tmp$")  # a file on its way to the name that was asked for
PATH = re.compile(r"\[?(?:Posix|Windows)Path\('([^']*)'\)\]?")  # as a parser of options shows it


def in_one_line(error: BaseException, *, resumes: bool = False) -> str:
    """An error as one line without a traceback.

    Args:
        error: what was raised.
        resumes: whether the command, given again, would go on where it stopped.
    """
    text = " ".join(_message(error, resumes=resumes).split()).rstrip(",")  # which a list of commands ends with
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _message(error: BaseException, *, resumes: bool) -> str:
    from cyclopts import CycloptsError

    match error:
        case DeixisError():
            return _of_cause(error, resumes=resumes) or str(error)
        case CycloptsError():
            return PATH.sub(r"\1", str(error)).rstrip(". \n")
        case BrokenPipeError():
            return "what was being written to was closed before everything was written"
        case OSError():
            return _system(error, resumes=resumes)
        case ImportError():
            return _missing(error)
        case MemoryError():
            return "there is not enough memory; use fewer --workers or check a smaller part"
    return f"this is a fault in deixis: {type(error).__name__}: {error} (DEIXIS_DEBUG=1 shows where)"


def _of_cause(error: DeixisError, *, resumes: bool) -> str:
    """What the system said, where a full disk is behind an error of ours."""
    cause = error.__cause__
    return _system(cause, resumes=resumes) if isinstance(cause, OSError) and _is_full(cause) else ""


def _is_full(error: OSError) -> bool:
    return error.errno in FULL or os.strerror(errno.ENOSPC) in str(error)


def _system(error: OSError, *, resumes: bool) -> str:
    name = DRAFT.sub(r"\1\2", str(error.filename or error.filename2 or ""))
    where = f" {name}" if name else ""
    if _is_full(error):
        again = "nothing that was finished is lost, the same command goes on" if resumes else "then try again"
        return f"there is no space left on the disk{' for' + where if where else ''}; free some space: {again}"
    if error.errno in FORBIDDEN:
        return f"it is not allowed to use{where or ' a file or folder'}; choose another or change its permissions"
    match error:
        case FileNotFoundError():
            return f"there is no file or folder{where}"
        case IsADirectoryError():
            return f"{where.strip() or 'it'} is a folder, but a file is needed"
        case NotADirectoryError() | FileExistsError():
            return f"{where.strip() or 'it'} cannot be a folder: it, or something above it, is a file"
    return f"{error.strerror or error}{':' + where if where else ''}"


def _missing(error: ImportError) -> str:
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return f"a package cannot be imported: {error}"
    extra = EXTRAS[package]
    command = f"python -m pip install 'deixis[{extra}]'"
    return f"this needs {package}, which is not installed; install it with: {command} (in a checkout '.[{extra}]')"
