"""Machine code that was made from other sources is not run."""

from __future__ import annotations

import pytest

from deixis._kernels import discard_stale_code


@pytest.fixture
def kernels(tmp_path):
    """A folder with two kernel files and the machine code of one of them."""
    (tmp_path / "caller.py").write_text("import called", encoding="utf-8")
    (tmp_path / "called.py").write_text("answer = 1", encoding="utf-8")
    discard_stale_code(tmp_path)
    (tmp_path / "__pycache__" / "caller.nbi").write_bytes(b"index")
    return tmp_path


def test_code_of_the_same_sources_is_kept(kernels):
    """As long as no file changes, machine code stays."""
    discard_stale_code(kernels)

    assert (kernels / "__pycache__" / "caller.nbi").exists()


@pytest.mark.parametrize("name", ["caller.py", "called.py", "new.py"])
def test_code_is_thrown_away_when_any_file_changes(kernels, name):
    """A change of a file that a kernel only calls into is noticed too."""
    (kernels / name).write_text("answer = 2", encoding="utf-8")

    discard_stale_code(kernels)

    assert not (kernels / "__pycache__" / "caller.nbi").exists()


def test_code_of_unknown_sources_is_thrown_away(kernels):
    """Where no note says what the code was made from, it is not trusted."""
    (kernels / "__pycache__" / "kernels.sha256").unlink()

    discard_stale_code(kernels)

    assert not (kernels / "__pycache__" / "caller.nbi").exists()
