"""The facade: shapes, batches, frames, and clear complaints."""

import warnings

import numpy as np
import pytest

import flexgen
from flexgen import pipeline
from flexgen.build import CompilerMissing, find_compiler
from flexgen.formulations import kinematics
from flexgen.formulations.routines import ROUTINES
from flexgen.pipeline import CORE
from flexgen.verify import random_states, verify, worst

BACKENDS = [
    "numpy",
    pytest.param("fortran", marks=pytest.mark.skipif(not find_compiler(), reason="no compiler")),
]
N = 4


@pytest.fixture(scope="module", params=BACKENDS)
def model(request):
    return flexgen.build(flexgen.generic_arm(N, seed=2), request.param, passes="none")


@pytest.fixture(scope="module")
def states():
    return random_states(flexgen.generic_arm(N, seed=2), 7)


def arguments(routine, states):
    known = {"q": states.q, "qd": states.qd, "qdd": states.qdd, "wrench": states.wrench}
    known["tau"] = states.qdd
    names = {
        "inverse": "q qd qdd", "direct": "q qd tau", "bias": "q qd", "coriolis": "q qd",
        "inertial": "q qdd", "external": "q wrench",
    }  # fmt: skip
    return [known[name] for name in names.get(routine, "q").split()]


@pytest.mark.parametrize("routine", ROUTINES)
def test_a_batch_is_its_states_one_by_one(model, states, routine):
    batch = arguments(routine, states)
    together = getattr(model, routine)(*batch)
    alone = np.array([getattr(model, routine)(*row) for row in zip(*batch, strict=True)])
    assert together.dtype == np.float64
    assert together.shape == alone.shape
    # vector instructions: other roundings, of the size of the largest terms
    scale = np.abs(alone).max()
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-14 * scale)
    strictly = getattr(model, routine)(*batch, strict=True) if routine != "external" else alone
    np.testing.assert_array_equal(strictly, alone)


def test_lists_integers_and_strided_arrays_are_taken(model):
    q = np.array([1.0, 2.0, 3.0, 4.0])
    expected = model.gravity(q)
    np.testing.assert_array_equal(model.gravity([1, 2, 3, 4]), expected)
    np.testing.assert_array_equal(model.gravity(np.array([4.0, 3, 2, 1])[::-1]), expected)
    by_columns = np.stack([q, q], axis=1).T
    np.testing.assert_array_equal(model.gravity(by_columns, strict=True)[1], expected)
    np.testing.assert_allclose(model.gravity(q.astype(np.float32)), expected, rtol=1e-6)


def test_a_single_state_goes_with_every_member_of_a_batch(model, states):
    spread = np.broadcast_to(states.q[0], states.qd.shape)
    np.testing.assert_array_equal(model.bias(states.q[0], states.qd), model.bias(spread, states.qd))


def test_an_empty_batch_gives_an_empty_result(model):
    assert model.inverse(*np.empty((3, 0, N))).shape == (0, N)
    assert model.inertia(np.empty((0, N))).shape == (0, N, N)


def test_the_base_frame_is_the_tip_frame_turned(model, states):
    arm = flexgen.generic_arm(N, seed=2)
    for q, wrench in zip(states.q, states.wrench, strict=True):
        R, x = kinematics.pose(arm, q)
        pose = model.pose(q)
        np.testing.assert_allclose(pose[:3, :3], R, atol=1e-14)
        np.testing.assert_allclose(pose[:3, 3], x, atol=1e-14)
        turned = np.kron(np.eye(2), R) @ model.jacobian(q)
        np.testing.assert_allclose(model.jacobian(q, frame="base"), turned, atol=1e-13)
        load = model.jacobian(q, frame="base").T @ wrench
        np.testing.assert_allclose(model.external(q, wrench, frame="base"), load, atol=1e-11)
    batch = model.external(states.q, states.wrench, frame="base")
    one = model.external(states.q[2], states.wrench[2], frame="base")
    np.testing.assert_allclose(batch[2], one, rtol=1e-14)
    with pytest.raises(ValueError, match="frame must be"):
        model.jacobian(states.q[0], frame="world")


def test_wrench_closes_the_equation_of_motion(model, states):
    tau = model.inverse(states.q, states.qd, states.qdd, states.wrench, frame="base")
    qdd = model.direct(states.q, states.qd, tau, states.wrench, frame="base")
    assert worst(qdd, states.qdd) < 1e-10


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (np.zeros(N + 1), r"inverse: qd must have shape \(4,\) or \(B, 4\), not \(5,\)"),
        (np.zeros((2, 2, N)), r"inverse: qd must have shape"),
        (0.5, r"inverse: qd must have shape"),
        ("abcd", "inverse: qd must hold real numbers"),
        (np.zeros(N, complex), "inverse: qd must hold real numbers"),
        (np.zeros(N, bool), "inverse: qd must hold real numbers"),
        (None, "inverse: qd must hold real numbers"),
        ([[1.0], [2.0, 3.0]], "inverse: qd must hold real numbers"),
        (np.array([0, 1, np.nan, 2]), "inverse: qd must be finite"),
        ([0, 1, np.inf, 2], "inverse: qd must be finite"),
    ],
)
def test_wrong_arguments_are_named(model, value, reason):
    with pytest.raises(ValueError, match=reason):
        model.inverse(np.zeros(N), value, np.zeros(N))


def test_batches_of_different_length_are_refused(model):
    with pytest.raises(ValueError, match="bias: the batches differ in length"):
        model.bias(np.zeros((3, N)), np.zeros((2, N)))


def test_counts_are_those_of_the_programs(model):
    arm = flexgen.generic_arm(N, seed=2)
    assert set(model.counts) == set(CORE)
    assert model.counts["inverse"] == flexgen.program(arm, "inverse", passes="none").count()


def test_without_a_compiler_numpy_is_used_with_one_warning(monkeypatch):
    def missing(*_, **__):
        raise CompilerMissing("no Fortran compiler")

    monkeypatch.setattr(pipeline, "compile_module", missing)
    arm = flexgen.generic_arm(2)
    with pytest.warns(RuntimeWarning, match="NumPy backend") as seen:
        model = flexgen.build(arm, passes="none")
    assert len(seen) == 1
    assert model.backend == "numpy"
    with pytest.raises(CompilerMissing):
        flexgen.build(arm, backend="fortran", passes="none")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        flexgen.build(arm, backend="numpy", passes="none")


def test_unknown_choices_are_refused():
    arm = flexgen.generic_arm(2)
    with pytest.raises(ValueError, match="backend"):
        flexgen.build(arm, backend="cuda")
    with pytest.raises(ValueError, match="formulation"):
        flexgen.build(arm, backend="numpy", formulation="kane", passes="none")


def test_verify_finds_a_wrong_model():
    arm = flexgen.generic_arm(3)
    other = flexgen.generic_arm(3, seed=9)
    checks = list(verify(arm, flexgen.build(other, backend="numpy", passes="none"), 30))
    assert not all(c.passed for c in checks)
    right = flexgen.build(arm, backend="numpy", passes="none")
    assert all(c.passed for c in verify(arm, right, 30))
