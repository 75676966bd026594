"""The models as their equations are published: one example, one word, one step and one pair of nodes at a time.

Nothing is batched, padded, masked, joined or taken out of a loop, and everything is in float64. Slow, and meant to be
read beside the papers; the models of `deixis.worlds.grid.models` must give the same scores.
"""

from __future__ import annotations

from math import erf, isqrt, sqrt
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deixis.worlds.grid.models.policy import Batch, Policy


Weights: TypeAlias = dict[str, np.ndarray]


class Task(NamedTuple):
    """One example: the numbers of its words, its grid [cell, channel], and the rows of the actions that are shown."""

    words: list[int]
    grid: np.ndarray
    shown: list[int]


def weights_of(model: Policy) -> Weights:
    """The weights of a model by their names."""
    return {name: weight.detach().double().numpy() for name, weight in model.state_dict().items()}


def tasks_of(model: Policy, batch: Batch) -> Iterator[Task]:
    """The examples of a batch one by one."""
    layout = model.layout
    for words, word_count, grid, _, _, actions, count, _ in zip(*(part.numpy() for part in batch), strict=True):
        shown = [layout.start, *(layout.first + int(action) for action in actions[:count])]
        yield Task([int(word) for word in words[:word_count]], grid.astype(np.float64), shown)


def m_lstm(w: Weights, task: Task) -> np.ndarray:
    """Scores of M-LSTM, [step, row]."""
    command = [w["embedding.weight"][row] for row in (1, *(word + 2 for word in task.words), 2)]
    onward, backward = read_both_ways(w, command)
    words = [left + right for left, right in zip(onward, backward, strict=True)]
    summary = onward[-1] + backward[0]
    cells = look_around(w, task.grid)
    return say(w, words, cells, summary, task.shown, reads_all=True)


def gcn_lstm(w: Weights, task: Task, rounds: int, *, is_scaled: bool = False) -> np.ndarray:
    """Scores of GCN-LSTM, [step, row]."""
    command = [w["embedding.weight"][word + 1] for word in task.words]
    onward, backward = read_both_ways(w, command)
    words = [np.concatenate(pair) for pair in zip(onward, backward, strict=True)]
    summary = np.concatenate((onward[-1], backward[0]))

    nodes = [cell for cell, lit in enumerate(task.grid) if lit.sum() > 0]
    x = {}
    for node in nodes:
        size, shape, color, agent = np.split(task.grid[node], (4, 8, 12))
        parts = [w[f"look.{number}.weight"] @ part for number, part in enumerate((size, shape, color, agent))]
        x[node] = w["messages.node.weight"] @ np.concatenate(parts)
    m = dict.fromkeys(nodes, w["messages.nothing_yet"])
    for number in range(rounds):
        asked = ask(w, words, summary, number)
        m = tell(w, x, m, asked, scale=1 / sqrt(len(asked)) if is_scaled else 1.0)

    canvas = np.zeros((len(task.grid), len(summary)))
    for node in nodes:
        canvas[node] = w["messages.result.weight"] @ np.concatenate((x[node], m[node]))
    return say(w, words, look_around(w, canvas), summary, task.shown, reads_all=False)


def ask(w: Weights, words: list[np.ndarray], summary: np.ndarray, number: int) -> np.ndarray:
    """What the command attends to in a round of messages."""
    wish = np.maximum(w["messages.wish.weight"] @ summary + w["messages.wish.bias"], 0)
    wish = w[f"messages.wish_of_round.{number}.weight"] @ wish
    return weigh([w["messages.relevance.weight"][0] @ (word * wish) for word in words], words)


def tell(
    w: Weights, x: dict[int, np.ndarray], m: dict[int, np.ndarray], asked: np.ndarray, *, scale: float
) -> dict[int, np.ndarray]:
    """What every node has gathered after one more round."""
    sent = w["messages.asked.weight"] @ asked
    meant = w["messages.asked_content.weight"] @ asked
    known = {}
    for node, look in x.items():
        joint = (w["messages.from_node.weight"] @ look) * (w["messages.from_gathered.weight"] @ m[node])
        known[node] = np.concatenate((look, m[node], joint))
    after = {}
    for node in x:
        after[node] = w["messages.keep.weight"] @ m[node]
        others = [other for other in x if other != node]
        if others:
            receiver = w["messages.receiver.weight"] @ known[node]
            fits = [((w["messages.sender.weight"] @ known[other]) * sent) @ receiver * scale for other in others]
            told = [(w["messages.content.weight"] @ known[other]) * meant for other in others]
            after[node] = after[node] + w["messages.add.weight"] @ weigh(fits, told)
    return after


def say(
    w: Weights,
    words: list[np.ndarray],
    cells: list[np.ndarray],
    summary: np.ndarray,
    shown: list[int],
    *,
    reads_all: bool,
) -> np.ndarray:
    """The decoder of both LSTM models, step by step."""
    word_keys = [w["decoder.word_key.weight"] @ word for word in words]
    cell_keys = [w["decoder.cell_key.weight"] @ cell for cell in cells]
    state = carried = np.tanh(w["decoder.start.weight"] @ summary + w["decoder.start.bias"])
    scores = []
    for row in shown:
        token = w["decoder.embedding.weight"][row]
        query = w["decoder.word_query.weight"] @ state
        said = weigh([w["decoder.word_energy.weight"][0] @ np.tanh(query + key) for key in word_keys], word_keys)
        wish = np.tanh(w["decoder.wish.weight"] @ np.concatenate((state, said)) + w["decoder.wish.bias"])
        query = w["decoder.cell_query.weight"] @ wish
        seen = weigh([w["decoder.cell_energy.weight"][0] @ np.tanh(query + key) for key in cell_keys], cell_keys)
        given = np.concatenate((token, said, seen))
        state, carried = lstm_cell(w, "decoder.lstm", "", given, state, carried)
        read = state
        if reads_all:
            read = w["decoder.mix.weight"] @ np.concatenate((token, state, said, seen))
        scores.append(w["decoder.output.weight"] @ read)
    return np.array(scores)


def read_both_ways(w: Weights, command: list[np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The states of two LSTMs beside each word, from the left and from the right."""
    onward = run_lstm(w, "encoder.onward", command)
    backward = run_lstm(w, "encoder.backward", command[::-1])
    return onward, backward[::-1]


def run_lstm(w: Weights, name: str, given: list[np.ndarray]) -> list[np.ndarray]:
    state = carried = np.zeros(w[f"{name}.weight_hh_l0"].shape[1])
    states = []
    for one in given:
        state, carried = lstm_cell(w, name, "_l0", one, state, carried)
        states.append(state)
    return states


def lstm_cell(
    w: Weights, name: str, ending: str, given: np.ndarray, state: np.ndarray, carried: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    gates = w[f"{name}.weight_ih{ending}"] @ given + w[f"{name}.bias_ih{ending}"]
    gates = gates + w[f"{name}.weight_hh{ending}"] @ state + w[f"{name}.bias_hh{ending}"]
    let_in, keep, new, let_out = np.split(gates, 4)
    carried = sigmoid(keep) * carried + sigmoid(let_in) * np.tanh(new)
    return sigmoid(let_out) * np.tanh(carried), carried


def look_around(w: Weights, grid: np.ndarray) -> list[np.ndarray]:
    """What three sizes of squares around each cell of a grid [cell, channel] hold; nothing stands beyond the edge."""
    side = isqrt(len(grid))
    features = []
    for row in range(side):
        for column in range(side):
            seen = [convolve(w, number, grid, row, column) for number in range(3)]
            features.append(np.maximum(np.concatenate(seen), 0))
    return features


def convolve(w: Weights, number: int, grid: np.ndarray, row: int, column: int) -> np.ndarray:
    kernel, total = w[f"grid.scales.{number}.weight"], w[f"grid.scales.{number}.bias"]
    reach, side = kernel.shape[2] // 2, isqrt(len(grid))
    for there in range(max(row - reach, 0), min(row + reach + 1, side)):
        for across in range(max(column - reach, 0), min(column + reach + 1, side)):
            total = total + kernel[:, :, there - row + reach, across - column + reach] @ grid[there * side + across]
    return total


def transformer(
    w: Weights,
    task: Task,
    heads: int,
    *,
    padded_to: int = 0,
    layer: Callable[..., np.ndarray] | None = None,
    rounds: int = 1,
) -> np.ndarray:
    """Scores of the transformer, [step, row].

    Args:
        w: its weights.
        task: the example.
        heads: of every attention.
        padded_to: how many places the decoder finds words in, where it looks at the padding, too.
        layer: what a layer does, `norm_last` as published or `norm_first`.
        rounds: how often all blocks are gone through.
    """
    layer, w = layer or norm_last, taken_apart(w)
    side = isqrt(len(task.grid))
    rows = [3, *(word + 3 for word in task.words), 2]
    real = len(rows)
    rows += [0] * (padded_to - real)
    text = np.array([placed(w, "words", row, place) for place, row in enumerate(rows)])
    lights = [np.ones(task.grid.shape[1]), *task.grid]
    places = [(-1.0, -1.0), *((float(row), float(column)) for row in range(side) for column in range(side))]
    cells = np.array([cell(w, lit, place) for lit, place in zip(lights, places, strict=True)])
    for number in [*count_names(w, "blocks")] * rounds:
        to_cells, to_words, among_words, among_cells = (
            f"blocks.{number}.{name}" for name in ("to_cells", "to_words", "among_words", "among_cells")
        )
        text, cells = (
            layer(w, to_cells, text, cells, heads, norm_of_others=to_words),
            layer(w, to_words, cells, text[:real], heads, norm_of_others=to_cells),
        )
        text = layer(w, among_words, text, text[:real], heads, norm_of_others=among_words)
        cells = layer(w, among_cells, cells, cells, heads, norm_of_others=among_cells)
    if layer is norm_first:
        text, cells = norm(w, "words_last", text), norm(w, "cells_last", cells)
    memory = np.concatenate((text, cells))
    x = np.array([placed(w, "actions", row, place) for place, row in enumerate(task.shown)])
    for number in count_names(w, "decoder"):
        x = say_more(w, f"decoder.{number}", x, memory, heads, is_norm_first=layer is norm_first)
    if layer is norm_first:
        x = norm(w, "actions_last", x)
    return affine(w, "output", x)


def taken_apart(w: Weights) -> Weights:
    """The weights with queries, keys and values of every attention apart; the model has them one below another."""
    layers = count_names(w, "decoder")
    apart = dict(w)
    for kind in ("weight", "bias"):
        for key in [key for key in w if key.endswith(f".ask.{kind}")]:
            name = key.removesuffix(f".ask.{kind}")
            rest = w.get(f"{name}.offer.{kind}", np.zeros((0, *w[key].shape[1:])))
            parts = np.split(np.concatenate((w[key], rest)), (len(w[key]) + len(rest)) // len(w[f"{name}.out.bias"]))
            apart |= {f"{name}.{part}.{kind}": x for part, x in zip(("query", "key", "value"), parts, strict=False)}
        for number, pair in zip(layers, np.split(w[f"offer.{kind}"], len(layers)), strict=True):
            key, value = np.split(pair, 2)
            apart |= {f"decoder.{number}.other.key.{kind}": key, f"decoder.{number}.other.value.{kind}": value}
    return apart


def norm_last(
    w: Weights, name: str, x: np.ndarray, others: np.ndarray, heads: int, *, norm_of_others: str
) -> np.ndarray:
    """One layer of an encoder, in which each row of x looks at the others, as published."""
    x = norm(w, f"{name}.norm", x + attend(w, f"{name}.attention", x, others, heads))
    hidden = np.maximum(affine(w, f"{name}.first", x), 0)
    return norm(w, f"{name}.last_norm", x + affine(w, f"{name}.second", hidden))


def norm_first(
    w: Weights, name: str, x: np.ndarray, others: np.ndarray, heads: int, *, norm_of_others: str
) -> np.ndarray:
    """The same with norms before what they are for; every stream has its own."""
    others = norm(w, f"{norm_of_others}.norm", others)
    x = x + attend(w, f"{name}.attention", norm(w, f"{name}.norm", x), others, heads)
    hidden = np.maximum(affine(w, f"{name}.first", norm(w, f"{name}.last_norm", x)), 0)
    return x + affine(w, f"{name}.second", hidden)


def say_more(
    w: Weights, name: str, x: np.ndarray, memory: np.ndarray, heads: int, *, is_norm_first: bool
) -> np.ndarray:
    """One layer of the decoder."""
    if is_norm_first:
        normed = norm(w, f"{name}.own_norm", x)
        x = x + attend(w, f"{name}.own", normed, normed, heads, only_back=True)
        x = x + attend(w, f"{name}.other", norm(w, f"{name}.other_norm", x), memory, heads)
        return x + affine(w, f"{name}.second", gelu(affine(w, f"{name}.first", norm(w, f"{name}.last_norm", x))))
    x = norm(w, f"{name}.own_norm", x + attend(w, f"{name}.own", x, x, heads, only_back=True))
    x = norm(w, f"{name}.other_norm", x + attend(w, f"{name}.other", x, memory, heads))
    return norm(w, f"{name}.last_norm", x + affine(w, f"{name}.second", gelu(affine(w, f"{name}.first", x))))


def attend(
    w: Weights, name: str, x: np.ndarray, others: np.ndarray, heads: int, *, only_back: bool = False
) -> np.ndarray:
    """What each row of x finds among the others, head by head; with `only_back` nobody looks at those behind it."""
    queries, keys, values = (
        affine(w, f"{name}.query", x),
        affine(w, f"{name}.key", others),
        affine(w, f"{name}.value", others),
    )
    part = x.shape[1] // heads
    found = np.zeros_like(x)
    for row, query in enumerate(queries):
        seen = range(row + 1) if only_back else range(len(others))
        for head in range(heads):
            mine = slice(head * part, (head + 1) * part)
            fits = [query[mine] @ (keys[other] + distance(w, name, other - row))[mine] / sqrt(part) for other in seen]
            found[row, mine] = weigh(fits, [values[other, mine] for other in seen])
    return affine(w, f"{name}.out", found)


def distance(w: Weights, name: str, steps: int) -> np.ndarray:
    """What a key gains by standing so many steps onward, or back; nothing where only places count."""
    table = w.get(f"{name}.distances.vectors.weight")
    if table is None:
        return np.zeros_like(w[f"{name}.out.bias"])
    longest = len(table) // 2
    return table[longest + max(-longest, min(longest, steps))]


def placed(w: Weights, name: str, row: int, place: int) -> np.ndarray:
    where = w[f"{name}.place.weight"][place] if f"{name}.place.weight" in w else 0.0
    return norm(w, f"{name}.norm", w[f"{name}.row.weight"][row] + where)


def cell(w: Weights, lit: np.ndarray, place: tuple[float, float]) -> np.ndarray:
    if "place.rows.weight" in w:
        row, column = (int(number) + 1 for number in place)
        where = w["place.rows.weight"][row] + w["place.columns.weight"][column]
    else:
        where = affine(w, "place", np.array(place))
    return norm(w, "cell_norm", affine(w, "cell", lit) + where)


def affine(w: Weights, name: str, x: np.ndarray) -> np.ndarray:
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def norm(w: Weights, name: str, x: np.ndarray) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    return centred / spread * w[f"{name}.weight"] + w[f"{name}.bias"]


def weigh(scores: Sequence[float], vectors: Sequence[np.ndarray]) -> np.ndarray:
    """The mean of some vectors, weighted by the softmax of their scores."""
    highest = max(scores)
    shares = [np.exp(score - highest) for score in scores]
    return sum((share * vector for share, vector in zip(shares, vectors, strict=True)), np.zeros(())) / sum(shares)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def gelu(x: np.ndarray) -> np.ndarray:
    """The exact one, not the approximation by tanh."""
    return x * 0.5 * (1 + np.vectorize(erf)(x / sqrt(2)))


def count_names(w: Weights, name: str) -> range:
    """The numbers of the parts of that name."""
    return range(1 + max(int(key.split(".")[1]) for key in w if key.startswith(f"{name}.")))
