from __future__ import annotations

import errno

import pytest

from deixis._cli.failures import in_one_line
from deixis.errors import DeixisError


def system_error(number: int, place: str = "somewhere") -> OSError:
    return OSError(number, "as the system says it", place)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EACCES, "not allowed to use somewhere"),
        (errno.EROFS, "not allowed to use somewhere"),
        (errno.ENOENT, "no file or folder somewhere"),
        (errno.EISDIR, "somewhere is a folder"),
        (errno.ENOTDIR, "somewhere cannot be a folder"),
        (errno.EIO, "as the system says it: somewhere"),
    ],
)
def test_errors_of_the_system_name_the_place(number, said):
    """What the system refuses is told with the file or folder it is about."""
    assert said in in_one_line(system_error(number))


def test_a_file_is_called_as_it_was_asked_for():
    """The hidden name that a file has while it is written is told to nobody."""
    error = system_error(errno.ENOENT, "/nowhere/.plan.svg.19465.tmp")

    assert in_one_line(error) == "there is no file or folder /nowhere/plan.svg"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_says_whether_work_is_lost(number):
    """A verb that resumes promises it; another one asks to be tried again."""
    assert "the same command goes on" in in_one_line(system_error(number), resumes=True)
    assert "try again" in in_one_line(system_error(number))


def test_a_full_disk_behind_an_error_of_ours_is_seen():
    """A writer that wraps the error of the system does not hide that the disk is full."""
    error = DeixisError("out.txt cannot be written")
    error.__cause__ = system_error(errno.ENOSPC)

    assert "no space left" in in_one_line(error)


def test_messages_stay_on_one_line():
    """Line breaks and long values in a message do not get through."""
    assert in_one_line(DeixisError("first\nsecond")) == "first second"
    assert len(in_one_line(DeixisError("x" * 10_000))) <= 600


def test_a_fault_of_ours_is_called_one():
    """An error that no user can cause says so, and how to see more."""
    said = in_one_line(ZeroDivisionError("division by zero"))

    assert "fault in deixis" in said
    assert "DEIXIS_DEBUG=1" in said
