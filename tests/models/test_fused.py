"""The kernels for a GPU compute what the plain path computes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.models.made import PUBLISHED
from tests.models.paths import LOOKS, Look, compare_attention, compare_paths


needs_triton = pytest.mark.skipif(find_spec("triton") is None, reason="triton is not installed")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
CLOSE = 1e-4
CLOSE_ENOUGH = 1e-3  # on a GPU, where sums of thousands are taken in another order
ROUGHLY = 3  # the fused path also reads commands in bfloat16, the plain one in float32
ROOT = Path(__file__).parents[2]


def in_the_interpreter(precision: str) -> list[dict[str, Any]]:
    """What `paths` finds; the interpreter must be chosen before triton is imported."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.models.paths", "cpu", precision],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@needs_triton
def test_the_fused_path_agrees_with_the_plain_one_in_the_interpreter() -> None:
    """Losses, gradients and all shapes of attention are the same by either path, to the precision of float32."""
    found = in_the_interpreter("float32")

    assert [entry["what"] for entry in found] == [*PUBLISHED, *map(str, LOOKS)]
    assert all(entry["fused"] < CLOSE for entry in found), found
    for look, entry in zip(LOOKS, found[len(PUBLISHED) :], strict=True):
        assert entry["dropped"] == pytest.approx(look.dropout, abs=0.1)  # of some hundred weights
        assert entry["choices"] > (14 if look.dropout else 0)  # of 28 places or more


@needs_triton
@pytest.mark.slow
def test_the_fused_path_is_about_as_precise_in_bfloat16() -> None:
    """In bfloat16 the fused path strays from float32 as the plain one does, give or take a factor."""
    found = in_the_interpreter("bfloat16")

    assert [entry["what"] for entry in found] == ["m-lstm", "gcn-lstm"]
    assert all(entry["fused"] < ROUGHLY * entry["plain"] for entry in found), found


@needs_triton
@needs_gpu
@pytest.mark.gpu
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_fused_path_agrees_with_the_plain_one_on_a_gpu(name: str) -> None:
    """Compiled, and at the published sizes, loss and all gradients are the same by either path."""
    found = compare_paths(PUBLISHED[name], "cuda", torch.float32, 64, 20, 25)

    assert found.fused < CLOSE_ENOUGH, found


@needs_triton
@needs_gpu
@pytest.mark.gpu
@pytest.mark.parametrize("look", LOOKS)
def test_small_attention_agrees_with_its_definition_on_a_gpu(look: Look) -> None:
    """Compiled, attention and its gradients are those of the definition, with the same weights dropped."""
    found = compare_attention(look, "cuda", examples=64, heads=8)

    assert found.fused < CLOSE
    assert found.dropped == pytest.approx(look.dropout, abs=0.01)


@needs_triton
@needs_gpu
@pytest.mark.gpu
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_fused_path_is_about_as_precise_in_bfloat16_on_a_gpu(name: str) -> None:
    """Compiled, with the quick tanh of the hardware, the fused path strays about as far as the plain one."""
    found = compare_paths(PUBLISHED[name], "cuda", torch.bfloat16, 64, 20, 25)

    assert found.fused < ROUGHLY * found.plain, found


@needs_triton
@pytest.mark.parametrize("blocks", [1, 2, 4])
def test_padding_a_weight_keeps_every_block_in_front(blocks: int) -> None:
    """A pad_blocks matrix has its blocks where kernels look for them, and zeros between."""
    from deixis.learn._fused import pad_blocks, padded_width

    weight = torch.arange(1.0, blocks * 5 * 3 + 1).reshape(blocks * 5, 3)

    wide = pad_blocks(weight, blocks, 1)

    assert wide.shape == (blocks * padded_width(5), padded_width(3))
    apart = wide.reshape(blocks, padded_width(5), padded_width(3))
    assert torch.equal(apart[:, :5, :3].flatten(0, 1), weight)
    assert int(wide.count_nonzero()) == weight.numel()
