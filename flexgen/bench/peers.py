"""The other programs by name: each is a few parts that yield candidates or say why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from . import peer_casadi, peer_khalil, peer_mujoco, peer_pinocchio, peer_pinocchio_cpp
from .candidate import Candidate
from .kernels import Workshop
from .problem import Problem

Part = Callable[[Workshop, Problem], Iterator[Candidate]]
NO_WHEEL = ("rbdl", "symoro", "sympybotics", "cppadcodegen", "robcogen", "robotran")


def _without_shop(part: Callable[[Problem], Iterator[Candidate]]) -> Part:
    return lambda shop, p: part(p)


PEERS: Mapping[str, Sequence[Part]] = {
    "pin": (
        _without_shop(peer_pinocchio.one_call),
        _without_shop(peer_pinocchio.batch),
        peer_pinocchio_cpp.scalar,
    ),
    "casadi": (peer_casadi.scalar, peer_casadi.from_python),
    "mujoco": (_without_shop(peer_mujoco.one_call), peer_mujoco.scalar),
    "khalil": (peer_khalil.scalar,),
}
