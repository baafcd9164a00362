"""Arms, states and references that the tests of the classic generator share."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from flexgen.formulations import newton_euler
from flexgen.legacy import evaluate
from flexgen.manipulator.angles import angle
from flexgen.manipulator.arm import DH, Link, Manipulator, body_about_com
from flexgen.manipulator.case import read_case

ROOT = Path(__file__).resolve().parent.parent
CASE = ROOT / "cases" / "stanford_thesis.toml"
RTOL = 1e-10
QUARTER = math.pi / 2


def first(arm, n):
    return replace(arm, links=arm.links[:n])


def arm_of(rows, com=(0.1, 0.2, 0.3), inertia=None, gravity=(0.0, 0.0, -9.81)):
    """An arm from rows of joint, a, alpha, d, theta."""
    tensor = np.diag([0.4, 0.5, 0.6]) if inertia is None else inertia
    links = tuple(
        Link(
            joint,
            DH(a, angle(alpha), d, angle(theta)),
            body_about_com(1.0 + 0.3 * i, np.array(com) * (1 + i), tensor * (1 + 0.1 * i)),
        )
        for i, (joint, a, alpha, d, theta) in enumerate(rows)
    )
    return Manipulator("made", links, gravity=gravity)


STANFORD = read_case(CASE).manipulator
FULL = np.array([[0.5, 0.02, -0.03], [0.02, 0.6, 0.04], [-0.03, 0.04, 0.7]])
GENERIC = arm_of(
    [
        ("revolute", 0.3, 0.4, 0.2, 0.7),
        ("prismatic", 0.15, -1.1, 0.25, 0.3),
        ("revolute", 0.2, QUARTER, 0.1, QUARTER),
        ("revolute", -0.1, 0.9, 0.3, -QUARTER),
    ],
    inertia=FULL,
    gravity=(1.0, -2.0, -9.0),
)
PLANAR = arm_of(
    [("revolute", 0.5, alpha, 0.0, 0.0) for alpha in (math.pi, 0.0, math.pi, 0.0)],
    gravity=(0.0, -9.81, 0.0),
)
# what the published Puma counts imply: a2, d2, d4, d6 not zero, a3 = d1 = d3 = 0
PUMA = arm_of(
    [
        ("revolute", 0.0, -QUARTER, 0.0, 0.0),
        ("revolute", 0.4318, 0.0, 0.15, 0.0),
        ("revolute", 0.0, QUARTER, 0.0, 0.0),
        ("revolute", 0.0, -QUARTER, 0.4318, 0.0),
        ("revolute", 0.0, QUARTER, 0.0, 0.0),
        ("revolute", 0.0, 0.0, 0.056, 0.0),
    ]
)
ARMS = {"stanford": STANFORD, "generic": GENERIC, "planar": PLANAR, "puma": PUMA}


def state(arm, seed=1):
    rng = np.random.default_rng(seed)
    names = {"TH": arm.n, "THD": arm.n, "THDD": arm.n, "LD": 6}
    return {name: rng.uniform(-2.0, 2.0, size) for name, size in names.items()}


def inverse(arm, at, qd=True, qdd=True, gravity=True, load=True):
    """The independent reference; the load is what the arm exerts on the environment."""
    zero = np.zeros(arm.n)
    return newton_euler.inverse(
        arm,
        at["TH"],
        at["THD"] if qd else zero,
        at["THDD"] if qdd else zero,
        np.array(arm.gravity) if gravity else np.zeros(3),
        -at["LD"] if load else np.zeros(6),
    )


def reference(arm, program, payload, at):
    """The outputs of a program, flat and in its order."""

    def unit(key, size, j):
        return {**at, key: np.eye(size)[j]}

    def inertia():
        columns = [
            inverse(arm, unit("THDD", arm.n, j), qd=False, gravity=False, load=False)
            for j in range(arm.n)
        ]
        return np.array(columns).T.ravel()

    bias = inverse(arm, at, qdd=False, load=payload)
    found = {
        "NEDYN": lambda: inverse(arm, at, load=payload),
        "BVECT": lambda: bias,
        "HTERM": lambda: inverse(arm, at, qd=False, gravity=False, load=False),
        "CTERM": lambda: inverse(arm, at, qdd=False, gravity=False, load=False),
        "GTERM": lambda: inverse(arm, at, qd=False, qdd=False, load=False),
        "KTERM": lambda: inverse(arm, at, qd=False, qdd=False, gravity=False),
        "HMAT": inertia,
        "HBMAT": lambda: np.concatenate([inertia(), bias]),
        "JACOB": lambda: np.concatenate(
            [inverse(arm, unit("LD", 6, i), qd=False, qdd=False, gravity=False) for i in range(6)]
        ),
    }
    return found[program]()


def assert_equal(program, at, expected):
    found = np.array(list(evaluate(program, at).values()))
    np.testing.assert_allclose(found, expected, rtol=RTOL, atol=RTOL * np.abs(expected).max())


def splits(report):
    return [(row.counts.mul, row.counts.add) for row in report.rows]
