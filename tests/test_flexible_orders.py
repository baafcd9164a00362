"""In which order of the deflections the models of flexible links differ from one another."""

from dataclasses import replace

import numpy as np
import pytest
from flexible_arms import (
    CONSISTENT,
    FIRST_ORDER,
    KING,
    UNCOUPLED,
    WITHOUT_SHORTENING,
    any_arm,
    beam_link,
    large_state,
    point,
)

from flexgen.formulations import book, flexible_composite, king, terms

FREE, STILL = np.zeros(6), np.zeros(3)
SIZES = np.array([1e-3, 3e-4, 1e-4, 3e-5])


def order(error):
    """Power of the deflection that an error grows with."""
    return np.polyfit(np.log(SIZES), np.log([error(size) for size in SIZES]), 1)[0]


def planar(arm):
    """The same beams in a plane."""
    links = tuple(
        beam_link(replace(link.beam, modes=(0, 2, 0)), tip=point(0.5, (0.0, 0.0, 0.02)))
        for link in arm.links
    )
    return replace(arm, links=links, gravity=(1.0, -5.0, 0.0))


def scaled_state(arm, size, slow):
    """Deflections of this size; their rates too if they are slow, else of order one."""
    q, qd, qdd, _ = large_state(arm, 0, 1.0)
    modal = slice(arm.n_joints, None)
    q[modal] *= size
    if slow:
        qd[modal] *= size
        qdd[modal] *= size
    return q, qd, qdd


def model(arm, name, state):
    """Forces without the elastic ones, which all models share."""
    inverse = book.inverse if name == "book" else king.inverse
    arm = replace(arm, assumptions=UNCOUPLED if name == "exact" else KING)
    return inverse(arm, *state, np.asarray(arm.gravity), FREE, elastic=0.0)


ORDERS = [  # models, slow rates, order of the joint rows, of the modal rows, of those in a plane
    ("king", "book", True, 2, 1, 1),
    ("king", "exact", True, 2, 1, 2),
    ("book", "exact", True, 2, 1, 1),
    ("king", "book", False, 0, 0, 0),
    ("king", "exact", False, 1, 1, 1),
    ("book", "exact", False, 0, 0, 0),
]


@pytest.mark.parametrize(("one", "two", "slow", "joint", "modal", "modal_in_plane"), ORDERS)
def test_orders_in_which_the_models_differ(one, two, slow, joint, modal, modal_in_plane):
    for arm, expected in (
        (any_arm("FFF", KING), (joint, modal)),
        (planar(any_arm("FFF", KING)), (joint, modal_in_plane)),
    ):
        rows = (slice(0, arm.n_joints), slice(arm.n_joints, None))
        for part, power in zip(rows, expected, strict=True):

            def error(size, arm=arm, part=part):
                state = scaled_state(arm, size, slow)
                return np.abs(model(arm, one, state) - model(arm, two, state))[part].max()

            assert abs(order(error) - power) < 0.1


def test_orders_in_which_the_inertia_matrices_differ():
    def error(arm, other, rows, columns):
        def at(size):
            q = scaled_state(arm, size, True)[0]
            H = terms.inertia(king.inverse, arm, q)
            if other == "book":
                return np.abs(H - terms.inertia(book.inverse, arm, q))[rows, columns].max()
            exact = replace(arm, assumptions=UNCOUPLED)
            return np.abs(H - flexible_composite.inertia(exact, q))[rows, columns].max()

        return at

    joints, modes, everything = slice(0, 3), slice(3, None), slice(None)
    arm, flat = any_arm("FFF", KING), planar(any_arm("FFF", KING))
    for other in ("book", "exact"):
        assert abs(order(error(arm, other, joints, joints)) - 2) < 0.1
        assert abs(order(error(arm, other, modes, everything)) - 1) < 0.1
    assert abs(order(error(flat, "exact", modes, everything)) - 2) < 0.1


@pytest.mark.parametrize(("slow", "power"), [(True, 2), (False, 1)])
def test_order_of_the_power_that_king_loses(slow, power):
    arm = any_arm("FFF", KING)

    def error(size):
        q, qd, _ = scaled_state(arm, size, slow)
        H = flexible_composite.inertia(arm, q + 1e-30j * qd)
        lost = qd @ terms.coriolis(king.inverse, arm, q, qd) - 0.5 * qd @ H.imag @ qd / 1e-30
        return abs(lost) / (0.5 * qd @ H.real @ qd)

    assert abs(order(error) - power) < 0.1


@pytest.mark.parametrize("slow", [True, False])
def test_first_order_shortening_errs_one_order_higher_than_none(slow):
    arm = any_arm("FFR", CONSISTENT)

    def error(assumptions):
        def at(size):
            state = scaled_state(arm, size, slow)
            other = replace(arm, assumptions=assumptions)
            exact = king.inverse(arm, *state, STILL, FREE)
            return np.abs(king.inverse(other, *state, STILL, FREE) - exact)[arm.n_joints :].max()

        return at

    expected = 2 if slow else 1
    assert abs(order(error(FIRST_ORDER)) - expected) < 0.1
    assert abs(order(error(WITHOUT_SHORTENING)) - (expected - 1)) < 0.1
