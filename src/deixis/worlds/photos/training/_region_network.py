"""A network that tells categories and attributes of regions, and the encoder that is left of it once it has learnt.

The paper's regions come from a detector that learnt categories and attributes on other photographs and stayed as it
was. This is the same for pictures of any dataset: EfficientNet-Lite0 with its weights from ImageNet, or the small
network of `tiny`, learns to tell every region's category and attributes from what is late in it, pooled over the box.
Then what tells them is dropped, and regions are seen by the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.learn._checkpoints import Kind, read_bundle
from deixis.worlds.photos.data._photographs import files_of_pictures
from deixis.worlds.photos.training._lite0 import HIGH, LOW, EfficientNetLite0, find_weights, read_weights
from deixis.worlds.photos.training._tiny import Eyes, TinyEyes, TinySettings, tiny_encoder


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from torch import Tensor

    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.training._looking import RegionEncoder


NETWORK = "network"  # the only model of a checkpoint
ENCODER = "region-encoder"
STRIDE = 32  # of the late map of Lite0
MOST_TOLD = 8192  # names or words


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionNetworkSettings:
    """The size of the network.

    Attributes:
        lite0: whether it is EfficientNet-Lite0, else the small network.
        side: pixels of the square that pictures are shrunk to.
        low, high: channels of the early and the late map; those of Lite0 are its own.
        grid: cells of a region, across and down.
        names, words: how many categories and attributes are told.
    """

    lite0: bool = True
    side: int = 320
    low: int = LOW
    high: int = HIGH
    grid: int = 3
    names: int = 1
    words: int = 1

    def __post_init__(self) -> None:
        if not all(type(count) is int and 1 <= count <= MOST_TOLD for count in (self.names, self.words)):
            raise RecipeError(f"1 to {MOST_TOLD:,} categories and attributes are told, not {self.names}, {self.words}")
        if self.lite0 and ((self.low, self.high) != (LOW, HIGH) or self.side % STRIDE):
            raise RecipeError(
                f"Lite0 has {LOW} and {HIGH} channels and sees squares of a multiple of {STRIDE} pixels, "
                f"not {self.low} and {self.high} channels and {self.side} pixels"
            )

    def eyes(self) -> TinySettings:
        """The sizes of what sees."""
        return TinySettings(side=self.side, low=self.low, high=self.high, grid=self.grid)


class Lite0Eyes(Eyes):
    """EfficientNet-Lite0 on squares; its norms stay as they were on ImageNet, whatever is learnt."""

    def __init__(self, settings: TinySettings) -> None:
        super().__init__()
        self.settings = settings
        self.net = EfficientNetLite0()

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """The early and the late map of pictures uint8 [picture, side, side, 3]."""
        early, late = self.net(pictures.permute(0, 3, 1, 2).contiguous().float())
        return early, late

    def train(self, mode: bool = True) -> Lite0Eyes:
        """Learn or not; means and spreads of the norms are not learnt anew."""
        super().train(mode)
        for part in self.modules():
            if isinstance(part, nn.BatchNorm2d):
                part.eval()
        return self


class RegionNetwork(nn.Module):
    """What sees, and what tells categories and attributes from what is late in it."""

    def __init__(self, settings: RegionNetworkSettings) -> None:
        super().__init__()
        self.settings = settings
        self.eyes = Lite0Eyes(settings.eyes()) if settings.lite0 else TinyEyes(settings.eyes())
        self.category = nn.Linear(settings.high, settings.names)
        self.attributes = nn.Linear(settings.high, settings.words)

    def forward(self, pooled: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of categories and of attributes from float [region, channel]."""
        return self.category(pooled), self.attributes(pooled)


def build_network(name: str, settings: Mapping[str, Any], _words: Iterable[str] = ()) -> nn.Module:
    """A network with fresh weights.

    Raises:
        BrokenCheckpoint: when it is no such network, or cannot have these sizes.
    """
    if name != NETWORK:
        raise BrokenCheckpoint(f"there is no model {name[:40]!r}; known: {NETWORK}")
    try:
        return RegionNetwork(RegionNetworkSettings(**settings))
    except (TypeError, ValueError, RecipeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:160]
        raise BrokenCheckpoint(f"the {name} cannot be built: {reason}") from error


REGION_ENCODERS = Kind(ENCODER, "region encoder", build_network)


def fresh_network(settings: RegionNetworkSettings) -> RegionNetwork:
    """A network to begin with: Lite0 with the weights of its package, all else at random."""
    network = RegionNetwork(settings)
    if isinstance(network.eyes, Lite0Eyes):
        network.eyes.net.load_state_dict(read_weights(find_weights()).state_dict())
    return network


def learnt_encoder(path: Path, device: torch.device, *, grid: int = 3) -> RegionEncoder:
    """Regions as the network of a checkpoint sees them, with any number of cells.

    Raises:
        BrokenCheckpoint: when the checkpoint is missing, damaged or of another kind.
    """
    found = read_bundle(path, REGION_ENCODERS)
    network = found.model(NETWORK, device)
    assert isinstance(network, RegionNetwork)
    eyes = network.eyes
    eyes.settings = replace(eyes.settings, grid=grid)
    learnt_from = frozenset(str(found.data[name]) for name in ("digest", "pictures") if found.data.get(name))
    return replace(tiny_encoder(eyes, ENCODER), learnt_from=learnt_from)


def digest_of_pictures(dataset: CopsRef) -> str:
    """Return what the pictures of a dataset are known by, whatever is said of them."""
    return sha256(files_of_pictures(dataset).encode()).hexdigest()


def demand_other_pictures(encoder: RegionEncoder, dataset: CopsRef) -> None:
    """Raise `RecipeError` where an encoder has learnt from the pictures of the dataset that it is to look at."""
    if {dataset.dataset.digest, digest_of_pictures(dataset)} & encoder.learnt_from:
        raise RecipeError(
            f"the region encoder has learnt what is in the pictures of {dataset.path.name}; train it on others, such "
            "as imagined ones of another seed"
        )
