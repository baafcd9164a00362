"""Shapes of a pinned root: closed forms, the energies, and frequencies on paper."""

from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
import scipy.linalg
from conftest import CASES, read_quietly
from energy_oracle import Oracle
from flexible_arms import MODELS, any_arm, beam_link, large_state, point

from flexgen.formulations import book, flexible_composite, king, terms
from flexgen.geometry import centrelines, frames
from flexgen.manipulator import load
from flexgen.manipulator.arm import Manipulator
from flexgen.manipulator.beam import Beam, integrals
from flexgen.manipulator.modes import gauss, pinned, points_for
from flexgen.modal.links import link_frequencies

MANY = 24
DIGITS = mp.workdps(60)
FREE = np.zeros(6)


@DIGITS
def exact_roots(n):
    guesses = [(k + 0.25) * mp.pi for k in range(1, n + 1)]
    return [mp.findroot(lambda b: mp.sin(b) - mp.tanh(b) * mp.cos(b), g) for g in guesses]


@DIGITS
def exact_shape(b, x, derivative):
    r, u, scale = mp.sin(b) / mp.sinh(b), b * mp.mpf(x), -1 / abs(mp.sin(b))
    values = (
        mp.sin(u) + r * mp.sinh(u) - (1 + r) * u,
        mp.cos(u) + r * mp.cosh(u) - (1 + r),
        -mp.sin(u) + r * mp.sinh(u),
        -mp.cos(u) + r * mp.cosh(u),
    )
    return scale * b**derivative * values[derivative]


def test_wave_numbers_are_exact_to_rounding():
    found = pinned(MANY).b
    np.testing.assert_allclose(found, [float(b) for b in exact_roots(MANY)], rtol=2.3e-16)
    np.testing.assert_allclose(found[:2], (3.926602, 7.068583), atol=5e-7)  # Blevins (1979)


@pytest.mark.parametrize("derivative", range(4))
def test_shapes_of_high_modes_are_exact(derivative):
    x = [0.0, 1e-9, 0.03, 0.21, 0.5, 0.77, 0.999, 1.0]
    found = pinned(MANY)(x, derivative)
    for b, row in zip(exact_roots(MANY), found, strict=True):
        expected = np.array([float(exact_shape(b, point, derivative)) for point in x])
        # an argument b x is rounded, so the error grows with b
        error = np.abs(row - expected) / float(b) ** derivative
        assert error.max() <= 4e-16 * (1.0 + float(b))
        assert abs(row[1] - expected[1]) <= 1e-14 * abs(expected[1])


def test_the_root_rests_without_moment_and_the_tip_is_free():
    Y = pinned(6)
    assert not Y(0.0).any() and not Y(0.0, 1).any() and not Y(0.0, 2).any()
    assert (Y(0.0, 3) > 0.0).all()
    for derivative in (2, 3):
        np.testing.assert_allclose(Y(1.0, derivative)[:, 0] / Y.b**derivative, 0.0, atol=1e-14)
    assert np.isfinite(pinned(300)([0.0, 0.5, 1.0])).all()


def test_curvatures_are_orthogonal():
    Y = pinned(20)
    x, w = gauss(points_for(20))
    curved = (Y(x, 2) * w) @ Y(x, 2).T / np.outer(Y.b, Y.b) ** 2
    np.testing.assert_allclose(curved, np.eye(20), atol=1e-12)


def test_every_integral_equals_plain_quadrature():
    beam = Beam(0.7, 1.3, 2.0, 3.0, modes=(0, 2, 1), shape="pinned-free")
    nodes, weights = np.polynomial.legendre.leggauss(60)
    x, w = (nodes + 1) / 2, weights / 2
    roots = exact_roots(2)

    def shape(k, points, derivative):
        return np.array([float(exact_shape(roots[k], p, derivative)) for p in points])

    fields = [np.ones(60), beam.length * x, shape(0, x, 0), shape(1, x, 0)]
    inner, part = np.polynomial.legendre.leggauss(24)
    slopes = [[shape(k, p * (inner + 1) / 2, 1) for p in x] for k in range(2)]
    for k, m in ((0, 0), (0, 1), (1, 1)):
        sums = [part / 2 @ (a * b) for a, b in zip(slopes[k], slopes[m], strict=True)]
        fields.append(x * np.array(sums) / beam.length)
    fields = np.array(fields)
    known = integrals(beam)
    expected = beam.mass * (fields * w) @ fields.T
    np.testing.assert_allclose(known.G, expected, rtol=1e-12, atol=1e-13)
    bent = [w @ shape(k, x, 2) ** 2 / beam.length**3 for k in range(2)]
    stiffness = [beam.EIz * bent[0], beam.EIz * bent[1], beam.EIy * bent[0]]
    np.testing.assert_allclose(known.stiffness, stiffness, rtol=1e-12)
    tip = [shape(k, [1.0], 0)[0] for k in range(2)]
    np.testing.assert_allclose(known.t[2:4], tip, rtol=1e-13)
    slope = [shape(k, [1.0], 1)[0] / beam.length for k in range(2)]
    np.testing.assert_allclose(known.slope, slope, rtol=1e-13)


def on_pins(arm):
    """The same arm with these shapes."""
    beams = [link.beam and replace(link.beam, shape="pinned-free") for link in arm.links]
    links = [replace(link, beam=beam) for link, beam in zip(arm.links, beams, strict=True)]
    return replace(arm, links=tuple(links))


@pytest.mark.parametrize("name", ["consistent", "without shortening", "first order"])
@pytest.mark.parametrize("kinds", ["FG", "BRB"])
def test_forces_are_those_of_the_energies(kinds, name):
    arm = on_pins(any_arm(kinds, MODELS[name]))
    q, qd, qdd, _ = large_state(arm)
    oracle = Oracle(arm)
    found = king.inverse(arm, q, qd, qdd, np.asarray(arm.gravity), FREE)
    expected = oracle.inverse(q, qd, qdd)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())
    H = oracle.inertia(q)
    found = flexible_composite.inertia(arm, q)
    np.testing.assert_allclose(found, H, rtol=0.0, atol=1e-10 * np.abs(H).max())


def test_the_other_recursion_agrees_under_its_assumptions():
    arm = on_pins(any_arm("FG", MODELS["king"]))
    q, qd, qdd, _ = large_state(arm)
    expected = Oracle(arm).inverse(q, qd, qdd)
    found = book.inverse(arm, q, qd, qdd, np.asarray(arm.gravity), FREE)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())


def test_centrelines_end_at_the_tips():
    arm = on_pins(any_arm("FG", MODELS["consistent"]))
    q = large_state(arm)[0]
    np.testing.assert_allclose(centrelines(arm, q)[:, -1], frames(arm, q)[:, :3, 3], atol=1e-12)


def squares(arm, q, moving=slice(None)):
    slope = [terms.gravity(king.inverse, arm, q + 1e-30j * e).imag / 1e-30 for e in np.eye(arm.n)]
    H = flexible_composite.inertia(arm, q)
    K = np.array(slope).T
    return scipy.linalg.eigh(K[moving, moving], H[moving, moving], eigvals_only=True)


def single(modes, shape="pinned-free"):
    beam = Beam(1.0, 1.0, 1.0, 1.0, modes=(0, modes, 0), shape=shape)
    return Manipulator("single", (beam_link(beam),), gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("modes", [1, 2, 5])
def test_a_link_on_a_free_joint_has_exact_frequencies_with_any_number_of_modes(modes):
    found = squares(single(modes), np.zeros(1 + modes))
    expected = [0.0, *(float(b) ** 4 for b in exact_roots(modes))]
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-9)
    # clamped shapes lie above
    assert squares(single(modes, "clamped-free"), np.zeros(1 + modes))[-1] > 1.02 * expected[-1]


def test_a_locked_joint_comes_down_to_the_clamped_frequencies():
    exact = np.array([1.8751040687119611, 4.694091132974175]) ** 4
    errors = []
    for modes in (2, 4, 8, 16):
        found = squares(single(modes), np.zeros(1 + modes), slice(1, None))[:2]
        errors.append(found / exact - 1.0)
    assert (np.array(errors) > 0.0).all()
    assert (np.diff(errors, axis=0) < 0.0).all()
    # a moment at the root that every shape lacks: the error goes with 1 / modes
    np.testing.assert_allclose(errors[-1] / errors[-2], 0.5, atol=0.06)


def test_links_alone_are_clamped():
    beam = Beam(1.0, 1.0, 1.0, 1.0, modes=(0, 6, 0), shape="pinned-free")
    arm = Manipulator("single", (beam_link(beam, tip=point(0.2)),), gravity=(0.0, 0.0, 0.0))
    (alone,) = link_frequencies(arm)
    found = np.sqrt(squares(arm, np.zeros(7), slice(1, None))) / (2 * np.pi)
    np.testing.assert_allclose(alone.clamped_hz, found, rtol=1e-10)
    own = [float(b) ** 2 / (2 * np.pi) for b in exact_roots(6)]
    np.testing.assert_allclose(alone.shapes_hz, own, rtol=1e-12)


def test_a_double_pendulum_converges_faster():
    # its lowest elastic frequencies with joints free, hanging, against eight clamped modes
    arm = read_quietly(CASES / "level_pendulum.toml").manipulator

    def lowest(base, modes):
        beams = [replace(link.beam, modes=(0, modes, 0)) for link in base.links]
        links = [replace(x, beam=b) for x, b in zip(base.links, beams, strict=True)]
        bent = replace(base, links=tuple(links))
        return squares(bent, np.array([-np.pi / 2, *np.zeros(bent.n - 1)]))[2:6]

    exact = lowest(arm, 8)
    clamped, pins = lowest(arm, 2) / exact - 1.0, lowest(on_pins(arm), 2) / exact - 1.0
    assert (pins > 0.0).all() and (pins < 0.5 * clamped).all()
    assert (pins[2:] < 0.05 * clamped[2:]).all()


def test_a_case_file_may_ask_for_it(tmp_path):
    text = (CASES / "level_pendulum.toml").read_text()
    text = text.replace("modes = { y = 2 }", 'modes = { y = 2 }\nshape = "pinned-free"')
    path = tmp_path / "arm.toml"
    path.write_text(text)
    assert [link.beam.shape for link in load(path).links] == ["pinned-free"] * 2


def test_it_carries_nothing_at_the_tip():
    with pytest.raises(ValueError, match="clamped-mass"):
        Beam(1.0, 1.0, 1.0, 1.0, shape="pinned-free", boundary_mass=0.1)
