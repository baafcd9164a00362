"""Routines of a model that are made when they are first called: derivatives, linearisation."""

import numpy as np
import pytest

import flexgen
from flexgen.build import find_compiler
from flexgen.formulations import composite, kinematics, newton_euler, terms
from flexgen.model import Model
from flexgen.pipeline import CORE, DERIVATIVES
from flexgen.verify import random_states

BACKENDS = [
    "numpy",
    pytest.param("fortran", marks=pytest.mark.skipif(not find_compiler(), reason="no compiler")),
]
N, B = 2, 70
STEP = 1e-30
FREE = np.zeros(6)
TWO = ("inverse_derivatives", "linearise")
SHAPES = {
    "inverse_derivatives": ((N, N),) * 2,
    "direct_derivatives": ((N, N),) * 3,
    "linearise": ((2 * N, 2 * N), (2 * N, N)),
    "jacobian_rate": ((6, N),),
}


def arm():
    return flexgen.generic_arm(N, seed=5)


@pytest.fixture(scope="module", params=BACKENDS)
def model(request):
    return flexgen.build(arm(), request.param, passes="none")


@pytest.fixture(scope="module")
def given():
    s = random_states(arm(), B, seed=6)
    return s.q, s.qd, s.qdd


def taken(routine, given):
    return given[:2] if routine == "jacobian_rate" else given


def found(model, routine, *arguments, **options):
    results = getattr(model, routine)(*arguments, **options)
    return results if isinstance(results, tuple) else (results,)


def slopes(function, place, *arguments):
    """Jacobian of a function by complex steps in one argument, columns by its entries."""
    steps = []
    for e in np.eye(N):
        moved = [a + 1j * STEP * e if k == place else a for k, a in enumerate(arguments)]
        steps.append(np.asarray(function(*moved)).imag / STEP)
    return np.stack(steps, axis=-1)


def torques(q, qd, qdd):
    return newton_euler.inverse(arm(), q, qd, qdd, np.asarray(arm().gravity), FREE)


def accelerations(q, qd, tau):
    H = np.asarray(composite.inertia(arm(), q), dtype=complex)
    b = np.asarray(terms.bias(newton_euler.inverse, arm(), q, qd), dtype=complex)
    return np.linalg.solve(H, tau - b)


def close(value, expected):
    np.testing.assert_allclose(value, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_derivatives_of_torques_are_complex_steps(model, given):
    for q, qd, qdd in zip(*(a[:4] for a in given), strict=True):
        by_q, by_qd = model.inverse_derivatives(q, qd, qdd)
        close(by_q, slopes(torques, 0, q, qd, qdd))
        close(by_qd, slopes(torques, 1, q, qd, qdd))


def test_derivatives_of_accelerations_are_complex_steps(model, given):
    for q, qd, tau in zip(*(a[:4] for a in given), strict=True):
        by_q, by_qd, by_tau = model.direct_derivatives(q, qd, tau)
        close(by_q, slopes(accelerations, 0, q, qd, tau))
        close(by_qd, slopes(accelerations, 1, q, qd, tau))
        close(by_tau, np.linalg.inv(composite.inertia(arm(), q).astype(float)))


def test_linearisation_is_made_of_the_derivatives(model, given):
    a, b = model.linearise(*given)
    by_q, by_qd, by_tau = model.direct_derivatives(*given)
    assert not a[:, :N, :N].any() and not b[:, :N].any()
    np.testing.assert_array_equal(a[:, :N, N:], np.tile(np.eye(N), (B, 1, 1)))
    close(a[:, N:, :N], by_q)
    close(a[:, N:, N:], by_qd)
    close(b[:, N:], by_tau)


def test_rate_of_the_jacobian_is_its_complex_step_along_the_motion(model, given):
    for q, qd, _ in zip(*(a[:4] for a in given), strict=True):
        jacobian = np.asarray(kinematics.jacobian(arm(), q + 1j * STEP * qd), dtype=complex)
        close(model.jacobian_rate(q, qd), jacobian.imag / STEP)


@pytest.mark.parametrize("routine", SHAPES)
def test_a_batch_is_its_states_one_by_one(model, given, routine):
    arguments = taken(routine, given)
    strict = found(model, routine, *arguments, strict=True)
    fast = found(model, routine, *arguments)
    turned = found(model, routine, *map(np.asfortranarray, arguments), threads=2)
    assert [x.shape for x in fast] == [(B, *shape) for shape in SHAPES[routine]]
    condition = np.linalg.cond(model.inertia(given[0])).max()
    for one, two, three in zip(strict, fast, turned, strict=True):
        limit = 3e-15 * condition * np.abs(one).max()
        np.testing.assert_allclose(two, one, rtol=0, atol=limit)
        np.testing.assert_array_equal(three, two)
    for k in (0, 63, 64, B - 1):
        alone = found(model, routine, *(a[k] for a in arguments))
        for one, single in zip(strict, alone, strict=True):
            np.testing.assert_array_equal(single, one[k])


@pytest.mark.parametrize("routine", TWO)
def test_each_result_goes_where_it_is_told(model, given, routine):
    expected = getattr(model, routine)(*given)
    out = tuple(np.full(x.shape, np.nan, order=o) for x, o in zip(expected, "CF", strict=True))
    results = getattr(model, routine)(*given, out=out)
    for place, result, value in zip(out, results, expected, strict=True):
        assert result is place
        np.testing.assert_array_equal(place, value)
    with pytest.raises(ValueError, match=f"{routine}: out must be 2 arrays, not 1"):
        getattr(model, routine)(*given, out=out[:1])
    with pytest.raises(ValueError, match=f"{routine}: out must be a float64 array of shape"):
        getattr(model, routine)(*given, out=(out[0], out[1][1:]))


def test_what_is_wrong_is_named_by_the_routine(model):
    good, bad = np.zeros(N), np.full(N, np.nan)
    with pytest.raises(ValueError, match="inverse_derivatives: qd must be finite"):
        model.inverse_derivatives(good, bad, good)
    with pytest.raises(ValueError, match="linearise: tau must be finite"):
        model.linearise(good, good, bad)
    with pytest.raises(ValueError, match=r"jacobian_rate: qd must have shape \(2,\)"):
        model.jacobian_rate(good, np.zeros(3))


@pytest.mark.parametrize("backend", BACKENDS)
def test_counts_of_routines_to_come_are_known_when_they_are_asked_for(backend):
    model = flexgen.build(arm(), backend, passes="none")
    assert set(model.counts) == set(CORE)
    for routine in TWO:
        expected = flexgen.program(arm(), routine, passes="none").count()
        assert model.counts[routine] == expected
    assert set(model.counts) == {*CORE, *TWO}
    with pytest.raises(KeyError, match="nonsense"):
        model.counts["nonsense"]


def test_all_of_them_are_documented_routines():
    assert set(SHAPES) == set(DERIVATIVES)


def test_a_routine_is_made_once():
    whole = flexgen.build(arm(), "numpy", passes="none")
    asked = []

    def more(name):
        asked.append(name)
        return whole._more(name)

    model = Model(arm(), {}, {}, "numpy", "none", None, more)
    q, qd = np.zeros((2, N))
    for _ in range(3):
        model.jacobian_rate(q, qd)
    assert model.counts["jacobian_rate"] == whole.counts["jacobian_rate"]
    assert asked == ["jacobian_rate"]


def test_a_model_without_more_says_which_routine_it_lacks():
    model = Model(arm(), {}, {}, "numpy")
    with pytest.raises(KeyError, match="jacobian_rate"):
        model.jacobian_rate(np.zeros(N), np.zeros(N))
