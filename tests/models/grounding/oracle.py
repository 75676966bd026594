"""Regions that look like all that is recorded of them, and a tree model that was told what to look at."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
import torch

from deixis.worlds.photos._models.regions import RegionTable
from deixis.worlds.photos._models.tree import TreeGrounder, TreeGrounderSettings
from deixis.worlds.photos.data._programs import RELATION, ProgramWords
from deixis.worlds.photos.scene.vocabulary import SAME


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.schema import Schema
    from deixis.worlds.photos.scene.graph import GraphScene


LINKS = 18  # of one relation in one image, at most
SURE = 40.0  # log-odds


def words_of(schema: Schema) -> ProgramWords:
    """All that can be said."""
    values = [(attribute.name, value) for attribute in schema.attributes for value in attribute.values]
    relations = [(RELATION, relation.name) for relation in schema.relations if relation.name not in SAME]
    return ProgramWords((*values, *relations))


def looks(scene: GraphScene, words: ProgramWords) -> np.ndarray:
    """A bit for each value that an object has, for each link that leaves it, and for each that leads to it."""
    values = [word for word in words.words if word[0] != RELATION]
    relations = [word[1] for word in words.words if word[0] == RELATION]
    units = len(relations) * LINKS
    bits = np.zeros((len(scene), len(values) + 2 * units), np.float32)
    for number, (attribute, value) in enumerate(values):
        bits[:, number] = [value in scene.values(index, attribute) for index in range(len(scene))]
    for number, relation in enumerate(relations):
        links = sorted(link for link in scene.links if link[0] == relation)
        for unit, (_, index, other) in enumerate(links, start=len(values) + number * LINKS):
            bits[index, unit] = bits[other, unit + units] = 1
    return bits


def table_of(scenes: Sequence[GraphScene], words: ProgramWords) -> RegionTable:
    """The regions of scenes; beside every bit stands its opposite, so that all are of one length."""
    bits = torch.from_numpy(np.concatenate([looks(scene, words) for scene in scenes]))
    sizes = torch.tensor([len(scene) for scene in scenes])
    count = len(bits)
    boxes = torch.tensor([(*box, scene.width, scene.height) for scene in scenes for box in scene.boxes])
    x, y, w, h, width, height = boxes.T
    pooled = torch.cat((bits, 1 - bits), dim=1)
    return RegionTable(
        low=torch.zeros(count, 1, 1),
        high=pooled[..., None],
        pooled=pooled,
        place=torch.stack((x / width, y / height, (x + w) / width, (y + h) / height, w * h / width / height), dim=1),
        alike=torch.zeros(count, 5, 5),
        near=torch.full((count, 5), -1),
        near_places=torch.zeros(count, 5, 5),
        category=torch.zeros(count, dtype=torch.int64),
        image=torch.repeat_interleave(torch.arange(len(scenes)), sizes),
        first=torch.nn.functional.pad(sizes.cumsum(0), (1, 0)),
    )


@torch.no_grad()
def told_model(words: ProgramWords) -> TreeGrounder:
    """A model that sees the bits of `looks` and is sure of what they mean."""
    values = [word for word in words.words if word[0] != RELATION]
    relations = [word for word in words.words if word[0] == RELATION]
    pair = len(relations) * LINKS
    bits = len(values) + 2 * pair
    model = TreeGrounder(
        TreeGrounderSettings(low=1, high=2 * bits, width=bits, pair=pair), len(words), words.values
    ).eval()
    for weight in model.parameters():
        weight.zero_()
    model.high.size.fill_(sqrt(bits))
    model.region.weight[:, 1 : 1 + bits] = torch.eye(bits)
    model.look.weight.copy_(torch.eye(bits))
    model.one.weight[:, len(values) : len(values) + pair] = torch.eye(pair)
    model.other.weight[:, len(values) + pair :] = torch.eye(pair)
    model.other.bias.fill_(-1)  # both ends of a link, not one of them
    model.word_bias.weight.fill_(-SURE)
    model.relation_bias.weight.fill_(-SURE)
    for number, word in enumerate(values):
        model.word.weight[words.numbers[word], number] = 2 * SURE * sqrt(bits)
    for number, word in enumerate(relations):
        model.relation.weight[words.numbers[word], number * LINKS : (number + 1) * LINKS] = 2 * SURE * sqrt(pair)
    return model
