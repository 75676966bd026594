"""The faster routes on a CPU lead to the same numbers."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from deixis.learn._lean import PackedLinear, attend_to_few, can_pack, lean
from tests.models.made import SMALL, some_examples, started


CLOSE = 1e-5


def random_tensor(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("is_masked", [False, True])
def test_attention_to_few_keys_is_attention(is_causal: bool, is_masked: bool) -> None:
    """Products and a softmax give what torch's own attention gives, with padding and without."""
    query, key, value = (random_tensor(3, 7, 4, 16) + number for number in range(3))
    mask = torch.arange(7) < torch.tensor([7, 4, 1])[:, None]
    whole = mask[:, None, None, :] if is_masked else torch.ones(7, 7, dtype=torch.bool)
    whole = whole & torch.ones(7, 7, dtype=torch.bool).tril() if is_causal else whole

    found = attend_to_few(query, key, value, mask if is_masked else None, is_causal=is_causal)

    right = scaled_dot_product_attention(*(part.transpose(1, 2) for part in (query, key, value)), whole)
    assert torch.allclose(found, right.transpose(1, 2).flatten(2), atol=CLOSE)


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
