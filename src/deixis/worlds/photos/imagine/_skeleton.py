"""Poses of people: the places of their joints.

Units are shares of the standing height, x forwards and y upwards from the ground (from the seat for `riding`). What
people wear and hold is drawn from the same joints, so that it fits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from deixis.worlds.photos.imagine._pen import XY


@dataclass(frozen=True, slots=True, kw_only=True)
class Skeleton:
    """The joints of a person, with `near` limbs on the side of the viewer.

    Attributes:
        head: the middle of the head.
        tilt: 0 for an upright body, 1 for one that lies.
        is_child: whether the head is large for the body.
    """

    head: XY
    neck: XY
    hip: XY
    near_arm: tuple[XY, XY, XY]  # shoulder, elbow, hand
    far_arm: tuple[XY, XY, XY]
    near_leg: tuple[XY, XY, XY]  # hip, knee, foot
    far_leg: tuple[XY, XY, XY]
    radius: float = 0.085
    tilt: float = 0.0
    is_child: bool = False

    @property
    def hand(self) -> XY:
        """The place of the near hand."""
        return self.near_arm[2]


_STANDING = Skeleton(
    head=(0.0, 0.905),
    neck=(0.0, 0.81),
    hip=(0.0, 0.47),
    near_arm=((-0.115, 0.765), (-0.165, 0.61), (-0.15, 0.46)),
    far_arm=((0.115, 0.765), (0.165, 0.61), (0.15, 0.46)),
    near_leg=((-0.055, 0.46), (-0.065, 0.25), (-0.07, 0.03)),
    far_leg=((0.055, 0.46), (0.065, 0.25), (0.07, 0.03)),
)
POSES: dict[str, Skeleton] = {
    "standing": _STANDING,
    "walking": replace(
        _STANDING,
        near_arm=((-0.07, 0.765), (-0.15, 0.62), (-0.11, 0.48)),
        far_arm=((0.09, 0.765), (0.14, 0.62), (0.21, 0.5)),
        near_leg=((-0.02, 0.46), (0.08, 0.27), (0.15, 0.03)),
        far_leg=((0.02, 0.46), (-0.03, 0.25), (-0.17, 0.05)),
    ),
    "running": replace(
        _STANDING,
        head=(0.06, 0.895),
        neck=(0.04, 0.805),
        near_arm=((-0.05, 0.765), (-0.18, 0.66), (-0.12, 0.53)),
        far_arm=((0.1, 0.765), (0.2, 0.65), (0.28, 0.76)),
        near_leg=((-0.01, 0.46), (0.15, 0.37), (0.2, 0.14)),
        far_leg=((0.02, 0.46), (-0.1, 0.29), (-0.27, 0.2)),
    ),
    "swinging": replace(
        _STANDING,
        near_arm=((-0.08, 0.765), (0.1, 0.69), (0.23, 0.74)),
        far_arm=((0.1, 0.765), (0.2, 0.66), (0.24, 0.71)),
        near_leg=((-0.04, 0.46), (-0.12, 0.25), (-0.18, 0.03)),
        far_leg=((0.05, 0.46), (0.13, 0.26), (0.16, 0.03)),
    ),
    "sitting": replace(
        _STANDING,
        head=(-0.03, 0.715),
        neck=(-0.03, 0.62),
        hip=(-0.03, 0.3),
        near_arm=((-0.07, 0.575), (-0.07, 0.43), (0.09, 0.38)),
        far_arm=((0.05, 0.575), (0.08, 0.43), (0.17, 0.39)),
        near_leg=((-0.03, 0.29), (0.19, 0.3), (0.19, 0.03)),
        far_leg=((0.0, 0.3), (0.22, 0.31), (0.24, 0.05)),
    ),
    "riding": replace(
        _STANDING,
        head=(0.0, 0.46),
        neck=(-0.01, 0.37),
        hip=(0.0, 0.04),
        near_arm=((-0.05, 0.325), (0.02, 0.19), (0.18, 0.17)),
        far_arm=((0.06, 0.325), (0.12, 0.2), (0.22, 0.19)),
        near_leg=((0.0, 0.03), (0.15, -0.06), (0.09, -0.27)),
        far_leg=((0.02, 0.03), (0.17, -0.04), (0.12, -0.25)),
    ),
    "lying": replace(
        _STANDING,
        head=(-0.42, 0.13),
        neck=(-0.32, 0.1),
        hip=(0.0, 0.09),
        near_arm=((-0.28, 0.09), (-0.16, 0.045), (-0.02, 0.05)),
        far_arm=((-0.28, 0.13), (-0.17, 0.18), (-0.05, 0.17)),
        near_leg=((0.0, 0.08), (0.22, 0.07), (0.45, 0.05)),
        far_leg=((0.0, 0.1), (0.2, 0.2), (0.38, 0.07)),
        tilt=1.0,
    ),
}


def with_hand_at(skeleton: Skeleton, x: float, y: float) -> Skeleton:
    """Return the same person with the near hand elsewhere."""
    shoulder = skeleton.near_arm[0]
    elbow = ((shoulder[0] + x) / 2 - 0.02, (shoulder[1] + y) / 2 - 0.07)
    return replace(skeleton, near_arm=(shoulder, elbow, (x, y)))
