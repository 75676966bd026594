from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis._cli.compose import join
from deixis.errors import RecipeError
from deixis.settings import Setting, Settings, add_options, merge_settings, read_toml, settings_table
from deixis.worlds.grid.training.settings import Training
from deixis.worlds.photos.training.settings import Grounding
from deixis.worlds.rooms.training.settings import Augmentation, Captioning, Encoding, Game


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting(Settings):
    """A record of its own, as a plug-in would write one."""

    lr: Annotated[float, Setting("learning rate", above=0, most=10, was="rate")] = 1e-3
    steps: Annotated[int, Setting("optimizer steps", least=1, most=1000, was="updates", may_change=True)] = 100
    beads: Annotated[int, Setting("how many beads to count", least=1, most=20)] = 4  # the setting that is one line
    way: Annotated[Literal["up", "down"], Setting("which way to count")] = "up"
    fast: Annotated[bool, Setting("count fast")] = False
    betas: Annotated[tuple[float, float], Setting("betas of Adam", least=0, below=1, is_option=False)] = (0.9, 0.99)
    names: Annotated[tuple[str, ...], Setting("names of beads", is_option=False)] = ()
    sizes: Annotated[Mapping[str, Any], Setting("sizes of the model", is_option=False)] = field(default_factory=dict)
    limit: Annotated[int | None, Setting("last number", least=1)] = None

    def demand_sense(self) -> None:
        """Counting down needs a limit."""
        if self.way == "down" and self.limit is None:
            raise RecipeError("counting down needs a limit")


def test_a_setting_of_one_line_is_found_everywhere(tmp_path):
    """In validation, TOML, the digest, `--help` and the table of the docs."""
    file = tmp_path / "counting.toml"
    file.write_text("beads = 7\n", encoding="utf-8")

    @add_options(Counting)
    def counting(given: Mapping[str, Any], *, settings: str = "") -> Counting:
        """Count.

        Args:
            given: What was given.
            settings: A TOML file.
        """
        return Counting.read(given)

    command = join(lambda how: how, counting, into="how")
    parameter = inspect.signature(command).parameters["beads"]
    about = next(one for one in parameter.annotation.__metadata__ if hasattr(one, "validator"))

    assert Counting.read(read_toml(file)).beads == 7
    with pytest.raises(RecipeError, match="beads must be a whole number from 1 to 20, got 21"):
        Counting(beads=21)
    assert Counting(beads=5).digest != Counting().digest
    assert about.help == "How many beads to count. [default: 4]"
    assert command(beads=3, settings="") == Counting(beads=3)
    assert "| `--beads` | a whole number from 1 to 20 | `4` | how many beads to count |" in settings_table(Counting)
    assert "| `betas` | a list of numbers |" in settings_table(Counting)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"bead": 3}, "there is no setting 'bead'; did you mean 'beads'"),
        ({"beads": 0}, "beads must be a whole number from 1 to 20, got 0"),
        ({"beads": True}, "beads must be a whole number from 1 to 20, got True"),
        ({"beads": 2.0}, "beads must be a whole number"),
        ({"lr": 0}, "lr must be a number above 0 and up to 10, got 0"),
        ({"lr": float("inf")}, "lr must be a number above 0"),
        ({"lr": "fast"}, "lr must be a number above 0"),
        ({"way": "sideways"}, "unknown way 'sideways'; known: up, down"),
        ({"way": ["up"]}, "unknown way"),
        ({"fast": 1}, "fast must be true or false, got 1"),
        ({"betas": [0.9]}, "betas must be a list of 2 numbers"),
        ({"betas": [0.9, 1.0]}, "betas must be a number of at least 0 and below 1, got 1.0"),
        ({"names": "ruby"}, "names must be a list of names"),
        ({"names": [3]}, "names must be a text, got 3"),
        ({"sizes": [1]}, "sizes must be a table of names and values"),
        ({"limit": 0}, "limit must be a whole number of at least 1, got 0"),
        ({"way": "down"}, "counting down needs a limit"),
    ],
)
def test_impossible_values_are_refused_in_one_line(values, complaint):
    """Each with its name, what it may be and what it was."""
    with pytest.raises(RecipeError, match=complaint) as caught:
        Counting.read(values)
    assert "\n" not in str(caught.value)


def test_names_of_earlier_versions_are_read_and_keep_their_digest():
    """Files from before the renaming mean the same, and runs that were begun then go on."""
    assert Counting.read({"rate": 0.1, "updates": 7}) == Counting(lr=0.1, steps=7)
    assert Counting.rename({"rate": 0.1, "other": 1}) == {"lr": 0.1, "other": 1}
    assert "rate" in Counting().digest_values()
    assert "lr" not in Counting().digest_values()


@given(st.integers(1, 20), st.floats(0.001, 10), st.sampled_from(["up", "down"]), st.integers(1, 99))
def test_a_record_survives_being_written_down(beads, lr, way, limit):
    """As JSON and back, with the same digest."""
    made = Counting(beads=beads, lr=lr, way=way, limit=limit, betas=(0.5, 0.6), names=("a",), sizes={"width": 3})
    again = Counting.read(json.loads(json.dumps(made.to_dict())))

    assert again == made
    assert again.digest == made.digest


def test_the_digest_leaves_out_what_may_change():
    """A run can be resumed with more steps, and with nothing else changed."""
    assert Counting(steps=7).digest == Counting().digest
    assert Counting(lr=0.5).digest != Counting().digest
    assert Counting(lr=0.5, steps=7).differences(Counting().to_dict()) == {"lr": (1e-3, 0.5)}


def test_a_setting_that_earlier_versions_had_not_leaves_their_digest_as_it_was():
    """At its default it is no part of the digest, so their runs go on; with another value it is."""

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Before(Settings):
        beads: Annotated[int, Setting("how many beads to count")] = 4

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Today(Settings):
        beads: Annotated[int, Setting("how many beads to count")] = 4
        loud: Annotated[float | None, Setting("how loud to count", least=0, is_later=True)] = None

    assert Today(beads=5).digest == Before(beads=5).digest
    assert len({Today().digest, Today(loud=0.0).digest, Today(loud=1.0).digest}) == 3


def test_options_override_a_file(tmp_path):
    """And a file about another model is refused."""
    file = tmp_path / "some.toml"
    file.write_text('model = "abacus"\nbeads = 7\nlr = 0.5\n', encoding="utf-8")

    assert merge_settings(file, {"lr": 0.1}, model="abacus") == {"beads": 7, "lr": 0.1}
    with pytest.raises(RecipeError, match="is about another model than counter"):
        merge_settings(file, {}, model="counter")


def test_a_field_that_says_nothing_is_a_fault_of_the_record():
    """It is told when the record is first used."""

    @dataclass(frozen=True, kw_only=True)
    class Silent(Settings):
        beads: int = 3

    with pytest.raises(TypeError, match=r"Silent\.beads has no Setting"):
        Silent()


@pytest.mark.parametrize("record", [Training, Grounding, Captioning, Game, Encoding, Augmentation])
def test_every_setting_says_what_it_is(record):
    """One line each, without a full stop, under the field's names."""
    table = settings_table(record)
    names = [line.split("`")[1].removeprefix("--").replace("-", "_") for line in table.splitlines()[2:]]

    assert not {"rate", "batch", "updates", "look_every"} & set(names)
    assert all(line.split(" | ")[-1].rstrip(" |") for line in table.splitlines()[2:])
    assert not any(line.rstrip(" |").endswith(".") for line in table.splitlines()[2:])
