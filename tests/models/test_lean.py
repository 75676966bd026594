"""The faster routes on a CPU lead to the same numbers."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from deixis._kernels import attention
from deixis.learn import _lean
from deixis.learn._lean import PackedLinear, attend_to_few, can_pack, lean
from tests.models.made import SMALL, some_examples, started


if TYPE_CHECKING:
    from collections.abc import Iterator

CLOSE = 1e-5


def random_tensor(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1))


SIZE = st.integers(1, 40)


@settings(max_examples=60)
@given(
    examples=st.integers(1, 20),
    places=SIZE,
    others=SIZE,
    part=st.sampled_from([8, 16]),
    seed=SIZE,
    threads=st.integers(1, 3),
)
@pytest.mark.parametrize("is_masked", [False, True])
def test_attention_to_few_keys_is_attention(
    is_masked: bool, examples: int, places: int, others: int, part: int, seed: int, threads: int
) -> None:
    """The kernel, and the products for heads of other widths, give what torch's own attention gives."""
    source = torch.Generator().manual_seed(seed)
    query = torch.randn(examples, places, 3, part, generator=source)
    key, value = (3 * torch.randn(examples, others, 3, part, generator=source) for _ in range(2))
    mask = torch.rand(examples, others, generator=source) < (0.5 if is_masked else 2)
    mask[:, -1] = True

    with torch_threads(threads):
        found = attend_to_few(query, key, value, mask if is_masked else None, is_causal=False)

    assert torch.allclose(found, by_torch(query, key, value, mask[:, None, None, :]), atol=CLOSE)


@settings(max_examples=20)
@given(places=SIZE, part=st.sampled_from([8, 16]), seed=SIZE)
def test_each_place_sees_none_after_it(places: int, part: int, seed: int) -> None:
    """Causal attention is torch's, too."""
    source = torch.Generator().manual_seed(seed)
    query, key, value = (torch.randn(2, places, 3, part, generator=source) for _ in range(3))
    seen = torch.ones(places, places, dtype=torch.bool).tril()

    assert torch.allclose(
        attend_to_few(query, key, value, None, is_causal=True), by_torch(query, key, value, seen), atol=CLOSE
    )


@pytest.mark.parametrize("size", [1e-3, 1.0, 80.0])
def test_scores_of_any_size_have_weights_that_sum_to_one(size: float) -> None:
    """Where all values are one, so is what is found, also for scores whose exponentials leave float32."""
    query, key = size * random_tensor(2, 5, 2, 16), size * random_tensor(2, 9, 2, 16)

    found = attend_to_few(query, key, torch.ones_like(key), None, is_causal=False)

    assert torch.allclose(found, torch.ones_like(found), atol=CLOSE)


def by_torch(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
    """Attention as torch computes it, the heads joined again."""
    found = scaled_dot_product_attention(query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2), seen)
    return found.transpose(1, 2).flatten(2)


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Let torch use so many threads meanwhile."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def test_packed_products_are_products() -> None:
    """A packed layer gives what the layer gives, for any number of rows."""
    layer = torch.nn.Linear(128, 48)
    if not can_pack(layer):
        pytest.skip("this torch has no oneDNN to pack for")
    packed = PackedLinear(layer)

    with torch.inference_mode():
        for shape in ((128,), (1, 128), (5, 3, 128), (2, 0, 128)):
            x = random_tensor(*shape)
            assert torch.allclose(packed(x), layer(x), atol=CLOSE)


@pytest.mark.parametrize("name", [name for name in SMALL if "transformer" in name])
def test_a_lean_transformer_scores_the_same(name: str) -> None:
    """With every option, scores by the faster routes are those of the plain model."""
    model = started(SMALL[name])
    batch = some_examples(5, channels=25, seed=3)
    shown = model.layout.teach(batch.actions, batch.action_count)[0]

    with torch.inference_mode():
        plain = model(batch.words, batch.word_count, batch.grid, shown)
        with lean(model):
            fast = model(batch.words, batch.word_count, batch.grid, shown)

    assert torch.allclose(plain, fast, atol=1e-4)


def test_the_kernel_is_made_for_heads_of_the_width_that_is_sent_to_it():
    """The models know the width without loading the compiler."""
    assert _lean.PART == attention.PART
