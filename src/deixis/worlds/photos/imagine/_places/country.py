"""Parks, beaches, farms, the wild, and sports fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.photos.imagine._cast import Grip, hold, person, reach, seat, stand_on_board
from deixis.worlds.photos.imagine._kinds import KINDS
from deixis.worlds.photos.imagine._places.props import (
    bench,
    boat,
    busy_person,
    carry,
    fence,
    fill,
    fly_kite,
    hands_are_full,
    in_the_sky,
    on_the_ground,
    range_of_hills,
    rider,
)
from deixis.worlds.photos.imagine._places.town import house
from deixis.worlds.photos.imagine._placing import backdrop, float_on, lay, stand


if TYPE_CHECKING:
    from deixis.worlds.photos.imagine._stage import Stage, Thing


WILD = ("elephant", "giraffe", "zebra", "bear")
PROPS = {
    "baseball": ("bat", "glove", "bag"),
    "tennis": ("racket", "bag"),
    "frisbee": ("dog", "cone"),
    "skating": ("skateboard", "backpack"),
}


def park(stage: Stage, most: float) -> None:
    """Furnish a park: grass, trees, benches, people at leisure."""
    sky = backdrop(stage, "sky", 0.0, 0.5)
    grass = backdrop(stage, "grass", 0.46, 1.0)
    stage.perspective(0.46, 40, 82)
    if stage.chance.happens(0.4):
        range_of_hills(stage, 0.47)
    if stage.chance.happens(0.35):
        fence(stage, grass, stage.chance.between(0.475, 0.51) * stage.height)
    held = ("frisbee", "ball", "umbrella", "bag", "backpack", "phone", "flower", "apple", "hot dog", "kite")
    about = (
        *("flower", "rock", "ball", "frisbee", "trash can", "street light", "sign", "basket", "statue", "bike"),
        *("tent", "backpack", "log"),
    )
    fill(
        stage,
        most,
        (
            3.4,
            lambda: stand(stage, stage.pick(("tree", "bush", "flower", "rock"), again=0.4), grass, depth=(0.06, 0.55)),
        ),
        (4.6, lambda: busy_person(stage, grass, held, depth=(0.3, 0.95))),
        (1.8, lambda: bench(stage, grass, (0.3, 0.85))),
        (2.2, lambda: on_the_ground(stage, grass, ("dog", "bird", "duck", "cat"), (0.35, 0.96))),
        (3.0, lambda: on_the_ground(stage, grass, about, (0.3, 0.97))),
        (0.9, lambda: rider(stage, grass, ("bike", "horse"), depth=(0.3, 0.9))),
        (1.0, lambda: fly_kite(stage, grass, sky)),
        (1.2, lambda: in_the_sky(stage, sky, ("cloud", "bird", "kite", "airplane"))),
    )


def beach(stage: Stage, most: float) -> None:
    """Furnish a beach: sand, sea, parasols, surfers."""
    sky = backdrop(stage, "sky", 0.0, 0.36)
    sea = backdrop(stage, stage.pick(("ocean", "water")), 0.34, 0.58)
    sand = backdrop(stage, "sand", 0.56, 1.0)
    stage.perspective(0.36, 34, 88)
    about = ("rock", "dog", "bird", "ball", "bag", "surfboard", "bucket", "log", "cart", "bottle")
    fill(
        stage,
        most,
        (1.4, lambda: boat(stage, sea, (0.1, 0.55))),
        (1.4, lambda: _surfer(stage, sea)),
        (4.0, lambda: _bather(stage, sand)),
        (1.6, lambda: _sunbather(stage, sand)),
        (1.6, lambda: stand(stage, stage.pick(("umbrella", "chair", "tent"), again=0.4), sand, depth=(0.15, 0.85))),
        (3.0, lambda: on_the_ground(stage, sand, about, (0.25, 0.97))),
        (1.0, lambda: stand(stage, "palm tree", sand, depth=(0.02, 0.3))),
        (1.4, lambda: in_the_sky(stage, sky, ("cloud", "bird", "kite", "sun", "airplane"))),
    )


def farm(stage: Stage, most: float) -> None:
    """Furnish a farm: cattle on a meadow, a house, fences."""
    chance = stage.chance
    sky = backdrop(stage, "sky", 0.0, 0.46)
    field = backdrop(stage, stage.pick(("grass", "field")), 0.42, 1.0)
    stage.perspective(0.42, 34, 82)
    if chance.happens(0.6):
        range_of_hills(stage, 0.43)
    if chance.happens(0.6):
        house(
            stage, chance.between(0.02, 0.6) * stage.width, 0.5 * stage.height, chance.between(0.26, 0.4) * stage.width
        )
    if chance.happens(0.55):
        fence(stage, field, chance.between(0.44, 0.47) * stage.height)
    herd = stage.pick(("cow", "sheep", "horse"))
    about = ("rock", "hay", "log", "truck", "bucket", "cart", "pole", "flower", "sign", "ladder")
    fill(
        stage,
        most,
        (4.5, lambda: _graze(stage, field, herd)),
        (1.6, lambda: _graze(stage, field, stage.pick(("cow", "sheep", "horse", "dog", "bird", "duck")))),
        (1.8, lambda: busy_person(stage, field, ("bucket", "bag", "phone", "apple", "basket"), depth=(0.25, 0.9))),
        (1.2, lambda: rider(stage, field, ("horse",), depth=(0.25, 0.85), names=("man", "woman"))),
        (2.4, lambda: stand(stage, stage.pick(("tree", "bush", "flower")), field, depth=(0.05, 0.6))),
        (2.6, lambda: on_the_ground(stage, field, about, (0.15, 0.95))),
        (1.0, lambda: in_the_sky(stage, sky, ("cloud", "bird", "sun"))),
    )


def savanna(stage: Stage, most: float) -> None:
    """Furnish a savanna: wild animals among trees and rocks, perhaps at a pool."""
    sky = backdrop(stage, "sky", 0.0, 0.46)
    ground = backdrop(stage, stage.pick(("ground", "dirt", "grass", "field")), 0.42, 1.0)
    stage.perspective(0.42, 26, 66)
    deep = 0.95
    if stage.chance.happens(0.3):
        backdrop(stage, "water", 0.8, 1.0)
        deep = 0.62
    if stage.chance.happens(0.5):
        range_of_hills(stage, 0.43)
    herd = stage.pick(WILD)
    fill(
        stage,
        most,
        (4.0, lambda: _graze(stage, ground, herd, (0.15, deep))),
        (2.4, lambda: _graze(stage, ground, stage.pick(WILD), (0.15, deep))),
        (3.2, lambda: stand(stage, stage.pick(("tree", "bush"), again=0.3), ground, depth=(0.04, 0.55))),
        (2.6, lambda: stand(stage, stage.pick(("rock", "log", "flower"), again=0.4), ground, depth=(0.2, deep))),
        (0.5, lambda: rider(stage, ground, ("elephant",), depth=(0.2, 0.6), names=("man", "woman"))),
        (1.2, lambda: stand(stage, "bird", ground, depth=(0.3, deep), state="standing", size="large")),
        (1.0, lambda: in_the_sky(stage, sky, ("cloud", "bird", "sun"))),
    )


def sports_field(stage: Stage, most: float) -> None:
    """Furnish a sports field: players with bats, rackets, balls and frisbees."""
    chance = stage.chance
    backdrop(stage, "sky", 0.0, 0.38)
    field = backdrop(stage, stage.pick(("grass", "field", "dirt")), 0.36, 1.0)
    stage.perspective(0.34, 46, 96)
    fence(stage, field, 0.42 * stage.height, boards=chance.count(1, 3))
    game = chance.choice(tuple(PROPS))
    if game == "tennis":
        stand(stage, "net", field, depth=(0.25, 0.4))
    if game == "baseball":
        lay(stage, "home plate", field, depth=(0.5, 0.9))
    about = (*PROPS[game], "bottle", "bucket", "cone", "sign", "trash can", "tree", "dog", "box")
    fill(
        stage,
        most,
        (5.0, lambda: _player(stage, field, game)),
        (1.6, lambda: stand(stage, "frisbee" if game == "frisbee" else "ball", field, depth=(0.3, 0.97))),
        (2.4, lambda: on_the_ground(stage, field, about, (0.12, 0.95))),
        (1.0, lambda: bench(stage, field, (0.12, 0.3))),
        (1.2, lambda: busy_person(stage, field, ("bag", "phone", "cup", "umbrella", "hot dog"), depth=(0.08, 0.3))),
    )


def _graze(stage: Stage, ground: Thing, name: str, depth: tuple[float, float] = (0.18, 0.95)) -> None:
    """Put down an animal, perhaps with its mouth in the grass."""
    poses = tuple(state for state in KINDS[name].states if state != "flying")
    state = stage.chance.choice((*poses, "standing" if "standing" in poses else poses[0]))
    animal = stand(stage, name, ground, depth=depth, state=state)
    if animal is not None and state == "eating":
        animal.words.append("grazing")
        stage.link(animal, "grazing on", ground)
        if ground.name in ("grass", "field"):
            stage.link(animal, "eating", ground)


def _player(stage: Stage, field: Thing, game: str) -> None:
    """Put down a person at a game, with the things it is played with."""
    chance = stage.chance
    if game == "skating":
        rider(stage, field, ("skateboard",), depth=(0.25, 0.95), names=("boy", "man", "girl"))
        return
    pose = chance.choose_weighted(("swinging", "running", "standing"), (3, 2, 1))
    player = person(stage, field, "player", pose, depth=(0.2, 0.95))
    if player is None or pose == "running":
        return
    swings = pose == "swinging"
    if game == "tennis":
        hold(stage, player, "racket", Grip(0.42, 0.5, 0.88), verb="swinging" if swings else "holding")
    elif game == "baseball" and swings:
        hold(stage, player, "bat", Grip(0.5, 0.5, 0.9), verb="swinging")
    elif game == "baseball":
        hold(stage, player, "glove", Grip(0.16, 0.5, 0.5), verb="wearing")
    elif chance.happens(0.6):
        reach(stage, player, 0.25, 0.68)
        hold(stage, player, "frisbee", Grip(0.08, 0.15, 0.6))


def _bather(stage: Stage, sand: Thing) -> None:
    somebody = busy_person(stage, sand, ("ball", "frisbee", "bag", "umbrella", "bucket", "hot dog"), depth=(0.12, 0.9))
    if somebody is not None and stage.chance.happens(0.3) and not hands_are_full(stage, somebody):
        carry(stage, somebody, "surfboard")


def _sunbather(stage: Stage, sand: Thing) -> None:
    towel = lay(stage, "towel", sand, depth=(0.4, 0.95), measure=(2.1, 0.55))
    if towel is not None:
        seat(stage, stage.pick(("man", "woman", "dog")), towel, "lying")


def _surfer(stage: Stage, sea: Thing) -> None:
    board = stand(stage, "surfboard", sea, depth=(0.3, 0.85), measure=(1.9, 0.34))
    if board is not None:
        float_on(stage, board, sea)
        stand_on_board(stage, stage.pick(("man", "woman", "boy")), board).words.append("surfing")
