"""Mode shapes and integrals of a beam against high precision, tables and closed forms."""

import mpmath as mp
import numpy as np
import pytest
import scipy.linalg

from flexgen.manipulator.beam import Beam, integrals
from flexgen.manipulator.modes import bending, gauss, points_for, running_integral, torsion

MANY = 24
DIGITS = mp.workdps(60)


@DIGITS
def exact_roots(n):
    guesses = [(k - 0.5) * mp.pi for k in range(1, n + 1)]
    return [mp.findroot(lambda b: mp.cos(b) + mp.sech(b), g) for g in guesses]


@DIGITS
def exact_shape(b, x, derivative):
    s = (mp.sinh(b) - mp.sin(b)) / (mp.cosh(b) + mp.cos(b))
    u = b * mp.mpf(x)
    return (
        b**derivative
        * (
            mp.cosh(u) - mp.cos(u) - s * (mp.sinh(u) - mp.sin(u)),
            mp.sinh(u) + mp.sin(u) - s * (mp.cosh(u) - mp.cos(u)),
            mp.cosh(u) + mp.cos(u) - s * (mp.sinh(u) + mp.sin(u)),
            mp.sinh(u) - mp.sin(u) - s * (mp.cosh(u) + mp.cos(u)),
        )[derivative]
    )


def test_wave_numbers_are_exact_to_rounding():
    found = bending(MANY).b
    expected = [float(b) for b in exact_roots(MANY)]
    np.testing.assert_allclose(found, expected, rtol=2.3e-16)


@pytest.mark.parametrize("derivative", range(4))
def test_shapes_of_high_modes_are_exact(derivative):
    x = [0.0, 1e-9, 0.03, 0.21, 0.5, 0.77, 0.999, 1.0]
    found = bending(MANY)(x, derivative)
    for b, row in zip(exact_roots(MANY), found, strict=True):
        expected = np.array([float(exact_shape(b, point, derivative)) for point in x])
        # an argument b x is rounded, so the error grows with b
        error = np.abs(row - expected) / float(b) ** derivative
        assert error.max() <= 4e-16 * (1.0 + float(b))
        assert abs(row[1] - expected[1]) <= 1e-14 * abs(expected[1])


def test_two_hundred_modes_do_not_overflow():
    found = bending(200)(1.0)[:, 0]
    np.testing.assert_allclose(found, 2.0 * (-1.0) ** np.arange(200), rtol=1e-12)


def test_many_shapes_are_orthogonal():
    x, w = gauss(points_for(50))
    Y = bending(50)(x)
    np.testing.assert_allclose((Y * w) @ Y.T, np.eye(50), atol=1e-12)


def test_running_integral_is_exact_for_waves():
    x, _ = gauss(60)
    found = running_integral(60) @ np.cos(20 * x)
    np.testing.assert_allclose(found, np.sin(20 * x) / 20, atol=1e-14)


# El-Rayyes (1990) uses these shapes; constants to ten digits and more, k = 1..4
TABLE = {
    "root": (1.875104068711961, 4.694091132974175, 7.854757438237613, 10.99554073487547),
    "sigma": (0.7340955137589128, 1.018467318759219, 0.9992244965174283, 1.000033553251713),
    "e": (0.7829917560396, 0.4339358951107, 0.2544252968661, 0.181898021637),
    "eta": (0.5688257437099, 0.09076678688639, 0.03241637436974, 0.01654233502085),
    "b": (0.1773298656901, -0.126201160669, -0.09479627406331, -0.07440667579767),
    "slope": (2.753010969345, -9.561556820423, 15.69733209298, -21.99181934204),
    "stiffness": (12.36236336833, 485.5188185134, 3806.546266391, 14617.27330512),
}
UNIT = Beam(1.0, 1.0, 1.0, 1.0, modes=(0, 4, 0))


def test_table_of_constants():
    shapes, known = bending(4), integrals(UNIT)
    e, eta = known.G[0, 2:6], known.G[1, 2:6]
    found = {
        "root": shapes.b,
        "sigma": shapes.sigma,
        "e": e,
        "eta": eta,
        "b": eta - 0.5 * e,
        "slope": known.slope,
        "stiffness": known.stiffness,
    }
    for name, expected in TABLE.items():
        np.testing.assert_allclose(found[name], expected, rtol=5e-12, err_msg=name)


def pairs_as_matrix(values):
    full = np.zeros((4, 4))
    for (k, m), value in zip(integrals(UNIT).pairs, values, strict=True):
        full[k, m] = full[m, k] = value
    return full


STRETCH = """4.64777831868 -7.37987526966 3.94151548713 -6.59338841823 32.417399028 -22.3524444399
 13.5824713899 77.2988908023 -35.6482696488 142.901848835"""
HUNG = """1.57087818999 -0.422320389109 -1.07208483411 -0.873137719641 8.64714269356 1.89005470803
 -3.64338461229 24.9521133082 8.3382897832 51.4591050756"""
SPUN = """0.407897279111 -0.474695088893 -0.256336803257 -0.109844413683 2.1546535173
 -0.775619469255 -1.09015880547 5.38346322578 -0.894872827577 10.3258357911"""


def test_tables_of_foreshortening():
    known = integrals(UNIT)
    P = known.G[0, 6:]
    for found, text in ((known.t[6:], STRETCH), (P, HUNG), (known.G[1, 6:] - 0.5 * P, SPUN)):
        np.testing.assert_allclose(found, [float(x) for x in text.split()], rtol=1e-11)


def test_foreshortening_diagonals_have_closed_forms():
    n = 12
    known, shapes = integrals(Beam(1.0, 1.0, 1.0, 1.0, modes=(0, n, 0))), bending(n)
    diagonal = [place for place, (k, m) in enumerate(known.pairs) if k == m]
    c = shapes.b * shapes.sigma
    t, P = known.t[2 + n :][diagonal], known.G[0, 2 + n :][diagonal]
    Q = known.G[1, 2 + n :][diagonal] - 0.5 * P
    np.testing.assert_allclose(t, c * c + 2 * c, rtol=1e-12)
    np.testing.assert_allclose(P, c * c / 2 - c + 2, rtol=1e-12)
    np.testing.assert_allclose(Q, c * c / 12 + 0.25, rtol=1e-12)


def test_southwell_coefficients():
    known = integrals(UNIT)
    first = known.G[1, 6:]  # int x S = 1/2 int (1 - x^2) Y'^2
    found = np.diag(pairs_as_matrix(first))
    expected = (1.193336374, 6.478224864, 17.85951988, 36.05538833)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_every_integral_equals_plain_quadrature():
    # nested sums of mpmath shapes, another rule, another precision
    beam = Beam(0.7, 1.3, 2.0, 3.0, modes=(0, 2, 1))
    nodes, weights = np.polynomial.legendre.leggauss(60)
    x, w = (nodes + 1) / 2, weights / 2
    roots = exact_roots(2)

    def shape(k, point, derivative):
        return float(exact_shape(roots[k], point, derivative))

    fields = [np.ones(60), beam.length * x]
    fields += [np.array([shape(k, p, 0) for p in x]) for k in range(2)]
    for k, m in ((0, 0), (0, 1), (1, 1)):
        inner, part = np.polynomial.legendre.leggauss(30)
        values = [
            sum(
                v / 2 * p * shape(k, p * (s + 1) / 2, 1) * shape(m, p * (s + 1) / 2, 1)
                for s, v in zip(inner, part, strict=True)
            )
            for p in x
        ]
        fields.append(np.array(values) / beam.length)
    fields = np.array(fields)
    expected = beam.mass * (fields * w) @ fields.T
    np.testing.assert_allclose(integrals(beam).G, expected, rtol=1e-12, atol=1e-13)


def test_first_order_drops_what_is_of_higher_order_only():
    beam = Beam(0.7, 1.3, 2.0, 3.0, modes=(0, 2, 2))
    full, first = integrals(beam).G, integrals(beam, "first-order").G
    assert np.array_equal(first[:4, :4], full[:4, :4])
    assert np.array_equal(first[:2], full[:2])
    assert not np.any(first[2:, 4:])
    assert len(integrals(beam, "off").G) == 4


def test_torsion_shapes_and_integrals():
    beam = Beam(0.8, 1.0, 1.0, 1.0, GJ=30.0, polar_inertia=0.02, modes=(4, 0, 0))
    known = integrals(beam)
    k = np.arange(1, 5)
    wave = (2 * k - 1) * np.pi / 2
    np.testing.assert_allclose(known.stiffness, 30.0 * wave**2 / (2 * 0.8), rtol=1e-14)
    np.testing.assert_allclose(known.polar_moment, 0.02 * 0.8 / wave, rtol=1e-13)
    np.testing.assert_allclose(known.polar_mass, 0.02 * 0.8 / 2 * np.eye(4), rtol=1e-14)
    assert list(known.twist) == [1.0, -1.0, 1.0, -1.0]


def test_integrals_of_loaded_torsion_shapes_equal_quadrature():
    polar = 0.02 * 0.8
    beam = Beam(
        0.8,
        1.0,
        1.0,
        1.0,
        GJ=30.0,
        polar_inertia=0.02,
        modes=(3, 0, 0),
        shape="clamped-mass",
        boundary_polar=0.3 * polar,
    )
    known, X = integrals(beam), torsion(3, 0.3)
    x, w = gauss(60)
    np.testing.assert_allclose(known.polar_moment, polar * X(x) @ w, rtol=1e-12)
    np.testing.assert_allclose(known.polar_mass, polar * (X(x) * w) @ X(x).T, rtol=1e-12)
    np.testing.assert_allclose(known.stiffness, 30.0 / 0.8 * (X(x, 1) ** 2 @ w), rtol=1e-12)
    np.testing.assert_allclose(known.twist, X(1.0)[:, 0], rtol=1e-14)


@pytest.mark.parametrize(
    ("mass", "inertia"),
    [(1.0, 0.0), (0.0, 1.0), (12.0, 5.35), (1e3, 1e-3), (1e-6, 1e-6), (1e4, 1e4)],
)
def test_no_mode_of_a_loaded_beam_is_missed(mass, inertia):
    # against cubic finite elements, which bound frequencies from above
    found = bending(5, mass, inertia)
    elements = 60
    h = 1.0 / elements
    size = 2 * (elements + 1)
    K, M = np.zeros((size, size)), np.zeros((size, size))
    k = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]]) / h**3
    m = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]]) * (
        h / 420
    )
    scale = np.diag([1, h, 1, h])
    for e in range(elements):
        at = slice(2 * e, 2 * e + 4)
        K[at, at] += scale @ k @ scale
        M[at, at] += scale @ m @ scale
    M[-2, -2] += mass
    M[-1, -1] += inertia
    values = scipy.linalg.eigh(K[2:, 2:], M[2:, 2:], eigvals_only=True)[:5]
    np.testing.assert_allclose(found.b, values**0.25, rtol=2e-6)


@pytest.mark.parametrize(("mass", "inertia"), [(1.0, 0.0), (0.0, 0.4), (12.0, 5.35)])
def test_loaded_shapes_are_orthogonal_and_fulfil_the_conditions_at_the_tip(mass, inertia):
    Y = bending(6, mass, inertia)
    x, w = gauss(points_for(6))
    tip, slope, bend, shear = (Y(1.0, d)[:, 0] for d in range(4))
    gram = (Y(x) * w) @ Y(x).T + mass * np.outer(tip, tip) + inertia * np.outer(slope, slope)
    np.testing.assert_allclose(gram, np.eye(6), atol=1e-12)
    np.testing.assert_allclose(shear / Y.b**3, -Y.b * mass * tip, atol=1e-13)
    np.testing.assert_allclose(bend / Y.b**2, Y.b**2 * inertia * slope, atol=1e-12)
    curved = (Y(x, 2) * w) @ Y(x, 2).T
    np.testing.assert_allclose(curved, np.diag(Y.b**4), atol=1e-10 * Y.b[-1] ** 4)


def test_a_heavy_tip_leaves_a_massless_spring():
    # omega^2 = 3 EI / (m a^3)
    np.testing.assert_allclose(bending(1, 1e8).b ** 4, 3e-8, rtol=1e-7)


def test_loaded_torsion_shapes_are_orthogonal():
    X = torsion(5, 0.3)
    x, w = gauss(points_for(5))
    tip = X(1.0)[:, 0]
    gram = (X(x) * w) @ X(x).T + 0.3 * np.outer(tip, tip)
    np.testing.assert_allclose(gram, np.eye(5) / 2, atol=1e-13)
    np.testing.assert_allclose(X(1.0, 1)[:, 0], X.b**2 * 0.3 * tip, atol=1e-12)


# De Luca and Siciliano (1991), two-link arm: frequency, tip deflection, tip slope, int phi,
# int eta phi per link and mode; normalised to the mass of the beam, 0.1 kg
LINKS = {
    1: (
        (1.2, 0.133833),
        ((0.48, 0.1859, 0.6571, 0.0066, 0.0024), (1.80, 0.2151, -0.5604, 0.0131, 0.0045)),
    ),
    2: (
        (0.1, 5e-4),
        ((2.18, 0.8833, 2.6413, 0.0333, 0.0122), (15.91, -0.0693, -10.8526, 0.0544, 0.0156)),
    ),
}


@pytest.mark.parametrize("link", [1, 2])
def test_published_constants_of_a_loaded_beam(link):
    (mass, inertia), rows = LINKS[link]
    beam = Beam(
        0.5,
        0.1,
        1.0,
        1.0,
        modes=(0, 2, 0),
        shape="clamped-mass",
        boundary_mass=mass,
        boundary_inertia=inertia,
    )
    known = integrals(beam)
    for k, (frequency, tip, slope, moment, first) in enumerate(rows):
        hertz = np.sqrt(known.stiffness[k] / 0.1) / (2 * np.pi)
        np.testing.assert_allclose(hertz, frequency, atol=5e-3)
        np.testing.assert_allclose(known.t[2 + k], tip, atol=5.1e-5)
        np.testing.assert_allclose(known.slope[k], slope, atol=5.1e-5)
        np.testing.assert_allclose(known.G[0, 2 + k], moment, atol=5.1e-5)
        np.testing.assert_allclose(known.G[1, 2 + k], first, atol=5.1e-5)


def test_cantilever_frequencies():
    # L = 1 m, 0.3137 kg/m, EI = 10.178 N m^2: exact formula evaluated to seven digits
    known = integrals(Beam(1.0, 0.3137, 10.178, 10.178, modes=(0, 3, 0)))
    found = np.sqrt(known.stiffness / 0.3137) / (2 * np.pi)
    np.testing.assert_allclose(found, (3.18746, 19.97548, 55.93191), rtol=2e-6)


@pytest.mark.parametrize(
    "wrong",
    [
        {"length": 0.0},
        {"mass": -1.0},
        {"modes": (1, 0, 0)},
        {"modes": (0, -1, 0)},
        {"EIz": 0.0, "modes": (0, 1, 0)},
        {"boundary_mass": 1.0},
        {"damping_ratio": -0.1},
    ],
)
def test_a_beam_that_cannot_be_is_refused(wrong):
    good = {"length": 1.0, "mass": 1.0, "EIy": 1.0, "EIz": 1.0}
    with pytest.raises(ValueError, match=r"beam|boundary"):
        Beam(**(good | wrong))
