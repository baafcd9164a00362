"""Direct dynamics in one program: elimination and articulated bodies against H qdd = tau - b."""

from functools import cache

import numpy as np
import pytest
from conftest import FLEXIBLE, RIGID, SHIPPED, read_quietly

from flexgen import pipeline
from flexgen.acceleration import BY_BODIES, BY_ELIMINATION, eliminated, recursive
from flexgen.formulations import flexible_kinematics, kinematics
from flexgen.formulations.solve import factorise, solve, substitute
from flexgen.formulations.terms import FREE
from flexgen.graph.evaluate import evaluate
from flexgen.graph.node import const, symbol
from flexgen.graph.program import Input, Output, Program
from flexgen.verify import random_states

LIMIT = 1e-9  # of the largest acceleration; the worst inertia matrix loses seven digits
COUNT = 4
WAYS = ("forward", "backward", "bodies")


@cache
def direct(path):
    return pipeline.program(read_quietly(path).manipulator, "direct", passes="none")


@cache
def way(path, name):
    if name == "bodies":
        return recursive(read_quietly(path).manipulator)
    return eliminated(direct(path), backward=name == "backward")


def states(path):
    s = random_states(read_quietly(path).manipulator, COUNT, seed=17)
    return s.q, s.qd, s.qdd


def close(found, expected):
    scale = np.abs(expected).max(axis=-1, keepdims=True)
    assert (np.abs(found - expected) <= LIMIT * scale).all()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
@pytest.mark.parametrize("name", WAYS)
def test_accelerations_solve_the_equation_of_motion(path, name):
    q, qd, tau = states(path)
    H, b = evaluate(direct(path), q, qd)
    qdd, pivots, *_ = evaluate(way(path, name), q, qd, tau)
    close(qdd, np.linalg.solve(H, (tau - b)[..., None])[..., 0])
    assert (pivots > 0.0).all()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_the_pivots_have_the_determinant_of_the_inertia_matrix(path):
    q, qd, tau = states(path)
    H, _ = evaluate(direct(path), q, qd)
    sign, expected = np.linalg.slogdet(H)
    assert (sign == 1.0).all()
    for name in WAYS:
        _, pivots, *diagonal = evaluate(way(path, name), q, qd, tau)
        np.testing.assert_allclose(np.log(pivots).sum(axis=-1), expected, rtol=0, atol=1e-8)
        for entries in diagonal:
            np.testing.assert_array_equal(entries, np.diagonal(H, axis1=1, axis2=2))
            assert (pivots <= entries * (1 + 1e-12)).all()


@pytest.mark.parametrize("path", [RIGID[0], FLEXIBLE[0]], ids=lambda p: p.stem)
def test_a_wrench_acts_by_the_transposed_jacobian(path):
    arm = read_quietly(path).manipulator
    s = random_states(arm, COUNT, seed=5)
    bodies = flexible_kinematics if arm.flexible else kinematics
    J = np.array([bodies.jacobian(arm, q) for q in s.q])
    moved = s.qdd + np.einsum("bki,bk->bi", J, s.wrench)
    free, *_ = evaluate(way(path, "forward"), s.q, s.qd, moved)
    loaded = pipeline.program(arm, "direct", passes="none", wrench=True)
    for program in (eliminated(loaded), eliminated(loaded, True), recursive(arm, wrench=True)):
        assert [i.name for i in program.inputs] == ["q", "qd", "tau", "wrench"]
        found, *_ = evaluate(program, s.q, s.qd, s.qdd, s.wrench)
        close(found, free)
        without, *_ = evaluate(program, s.q, s.qd, moved, np.tile(FREE, (COUNT, 1)))
        close(without, free)


@pytest.mark.parametrize("name", ["scara", "fixture", "puma560"])
def test_the_pipeline_takes_the_cheapest_way(name):
    path = next(p for p in SHIPPED if p.stem == name)
    arm = read_quietly(path).manipulator
    found = pipeline.program(arm, "acceleration", passes="none")
    least = min(way(path, w).count().total for w in WAYS)
    assert found.count().total == least
    assert found.notes[-1] in (BY_ELIMINATION, BY_BODIES)


def test_a_formulation_or_method_that_is_asked_for_is_kept_to():
    arm = read_quietly(next(p for p in RIGID if p.stem == "stanford")).manipulator
    for chosen in ({"method": 2}, {"method": 3}):
        found = pipeline.program(arm, "acceleration", passes="none", **chosen)
        assert BY_ELIMINATION in found.notes


# the elimination itself


def symmetric(n, seed=2):
    A = np.random.default_rng(seed).normal(size=(n, n))
    return A @ A.T + n * np.eye(n)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("n", range(1, 9))
def test_elimination_solves(n, backward):
    H, x = symmetric(n), np.arange(1.0, n + 1.0)
    found, pivots = solve(H, H @ x, backward)
    np.testing.assert_allclose(found.astype(float), x, rtol=1e-13)
    assert np.prod(pivots) == pytest.approx(np.linalg.det(H), rel=1e-12)
    first = -1 if backward else 0
    assert pivots[first] == H[first, first]


def test_factors_give_the_matrix_back_from_one_triangle():
    H = symmetric(5)
    lower = np.where(np.tri(5, dtype=bool), H, np.nan)
    L, d, e = factorise(lower)
    L, d = L.astype(float), np.array(d, dtype=float)
    np.testing.assert_allclose(L @ np.diag(d) @ L.T, H, rtol=1e-13)
    np.testing.assert_array_equal(np.triu(L, 1), 0.0)
    np.testing.assert_array_equal(np.array(e, dtype=float), 1.0 / d)
    r = np.arange(5.0)
    x = np.array(substitute(L, e, r), dtype=float)
    np.testing.assert_allclose(H @ x, r, atol=1e-13)


def count_of(nonzero, backward=False):
    """Operations of H x = r with these entries of H below the diagonal."""
    n = len(nonzero)
    H = [
        [symbol("h", n * i + j) if nonzero[i][j] else const(0.0) for j in range(n)]
        for i in range(n)
    ]
    r = Input("r", n)
    x, _ = solve(H, np.array(r.entries), backward)
    return Program("solve", (Input("h", n * n), r), (Output("x", (n,), tuple(x)),)).count()


def test_a_diagonal_matrix_costs_a_division_and_a_product_each():
    for n in range(1, 7):
        for backward in (False, True):
            found = count_of(np.eye(n, dtype=bool), backward)
            assert (found.div, found.add) == (n, 0)
            assert found.mul <= 2 * n


def test_zeros_of_the_matrix_are_skipped():
    # an arrow: eliminated from the point, the zeros fill up; from the other end they stay
    n = 6
    arrow = np.eye(n, dtype=bool)
    arrow[:, 0] = True
    good, bad = count_of(arrow, backward=True), count_of(arrow)
    full = count_of(np.tri(n, dtype=bool))
    assert good.total < bad.total <= full.total
    # a division and a product with it for each unknown; for all but the last an entry of L,
    # and with that a product and an addition for the last pivot and each of two substitutions
    assert (good.div, good.add) == (n, 3 * (n - 1))
    assert good.mul == 2 * n + 4 * (n - 1)
