"""Flexible arms that the tests share: a fixture with printed numbers, and arms of any kind."""

from dataclasses import replace

import numpy as np

from flexgen.manipulator.angles import angle
from flexgen.manipulator.arm import CONSISTENT, DH, KING, NOTHING, Link, Manipulator, body_about_com
from flexgen.manipulator.beam import Beam

WITHOUT_SHORTENING = replace(CONSISTENT, foreshortening="off")
FIRST_ORDER = replace(CONSISTENT, foreshortening="first-order")
UNCOUPLED = replace(WITHOUT_SHORTENING, torsion_coupling=False)
LINEAR_SHORTENED = replace(KING, foreshortening="full")
MODELS = {
    "king": KING,
    "consistent": CONSISTENT,
    "without shortening": WITHOUT_SHORTENING,
    "first order": FIRST_ORDER,
    "uncoupled": UNCOUPLED,
    "shortened, uncoupled": replace(CONSISTENT, torsion_coupling=False),
}


BOUNDARY = ("boundary_mass", "boundary_inertia", "boundary_polar")


def point(mass, inertia=(0.0, 0.0, 0.0)):
    return body_about_com(mass, np.zeros(3), np.diag(inertia))


def beam_link(beam, alpha=0.0, d=0.0, tip=NOTHING, hub=NOTHING, theta=0.0):
    dh = DH(beam.length, angle(alpha), d, angle(theta))
    return Link("revolute", dh, hub, beam=beam, tip=tip)


def printed_arm(assumptions):
    """Three links, two of them flexible; forces at one state are printed in the tests."""
    one = Beam(0.8, 1.2, 40.0, 60.0, 30.0, 0.02, (1, 1, 1))
    two = Beam(0.6, 0.9, 25.0, 35.0, 20.0, 0.01, (1, 2, 1))
    body = body_about_com(0.5, np.array([-0.1, 0.02, 0.03]), np.diag([0.004, 0.006, 0.005]))
    links = (
        beam_link(one, 0.5, 0.1, point(0.7, (0.01, 0.02, 0.015))),
        beam_link(two, -0.9, -0.05, point(0.4)),
        Link("revolute", DH(0.3, angle(1.1), 0.2, angle(0.0)), body),
    )
    return Manipulator("printed", links, assumptions=assumptions)


def any_body(rng, size=1.0):
    A = rng.normal(size=(3, 3))
    mass, com = size * (0.3 + rng.random()), 0.3 * rng.normal(size=3)
    return body_about_com(mass, com, 0.05 * size * A @ A.T)


def any_link(rng, kind):
    a, d, alpha, theta = rng.uniform(0.5, 1.0), rng.normal() * 0.2, rng.normal(), rng.normal()
    if kind == "W":  # of a wrist: axes that meet
        return Link("revolute", DH(0.0, angle(alpha), 0.0, angle(theta)), any_body(rng, 2.0))
    if kind in "RP":
        dh = DH(a, angle(alpha), d, angle(theta))
        return Link("prismatic" if kind == "P" else "revolute", dh, any_body(rng, 2.0))
    kinds = {"F": (1, 2, 1), "G": (1, 1, 2), "B": (0, 1, 1), "T": (1, 1, 1), "M": (2, 2, 1)}
    stiffness = rng.uniform(20.0, 60.0, 3)
    beam = Beam(a, 1 + rng.random(), *stiffness, 0.02 + 0.02 * rng.random(), kinds[kind])
    if kind == "M":
        load = dict(zip(BOUNDARY, rng.uniform(0.02, 0.5, 3), strict=True))
        beam = replace(beam, shape="clamped-mass", **load)
    return beam_link(beam, alpha, d, any_body(rng, 0.4), any_body(rng, 0.6), theta)


def any_arm(kinds, assumptions, seed=0):
    """An arm with nothing special: F, G, T, B, M flexible; R, P and W rigid links."""
    rng = np.random.default_rng(seed)
    links = tuple(any_link(rng, kind) for kind in kinds)
    return Manipulator(kinds, links, gravity=tuple(5 * rng.normal(size=3)), assumptions=assumptions)


def large_state(arm, seed=0, deflection=0.15):
    """Angles, rates and accelerations of order one; tip rotations up to about one radian."""
    rng = np.random.default_rng(seed + 100)
    q, qd, qdd = rng.normal(size=(3, arm.n))
    q[arm.n_joints :] *= deflection
    return q, qd, qdd, rng.normal(size=6)
