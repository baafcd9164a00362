"""The search keeps values, never raises the count, and refuses accidental equalities."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from flexgen.formulations.newton_euler import inverse
from flexgen.graph.evaluate import OPERATORS, evaluate
from flexgen.graph.node import const, symbol
from flexgen.graph.program import Input, Output, Program
from flexgen.graph.trace import trace
from flexgen.manipulator.angles import angle
from flexgen.manipulator.arm import DH, Link, Manipulator, body_about_com
from flexgen.search import (
    SearchUnavailable,
    anneal,
    annealing,
    engine,
    merge_equal,
    verify_double,
    verify_exact,
)
from flexgen.search.flat import states_of
from flexgen.search.wide import Wide
from flexgen.search.windows import cut, operations, put_back

try:
    engine.library()
    COMPILED = True
except SearchUnavailable:
    COMPILED = False
needs_compiler = pytest.mark.skipif(not COMPILED, reason="no C compiler")

X = [symbol("x", i) for i in range(6)]


def program(*roots):
    return Program("p", (Input("x", 6),), (Output("y", (len(roots),), tuple(roots)),))


def planar_arm(n):
    """A planar arm with parallel axes: many sums of angles and shared terms."""
    links = []
    for i in range(n):
        com, inertia = np.array([-0.2 - 0.05 * i, 0.0, 0.0]), np.diag([0.0, 0.0, 0.1 + 0.03 * i])
        body = body_about_com(1.0 + 0.7 * i, com, inertia)
        dh = DH(0.5 + 0.1 * i, angle(0.0), 0.0, angle(0.0))
        links.append(Link("revolute", dh, body))
    return Manipulator("planar", tuple(links), gravity=(0.0, -9.81, 0.0))


def inverse_program(arm):
    def tau(q, qd, qdd):
        return inverse(arm, q, qd, qdd, np.array(arm.gravity), np.zeros(6))

    return trace(tau, {"q": arm.n, "qd": arm.n, "qdd": arm.n}, ("tau",), "inverse")


@pytest.fixture(scope="module")
def arm_program():
    return inverse_program(planar_arm(3))


def test_sine_and_cosine_squared_merge_to_one():
    s, c = X[0].sin(), X[0].cos()
    merged = merge_equal(program(X[1] * (s * s + c * c) + X[2]))
    assert merged.roots == (X[1] + X[2],)


def test_a_vanishing_sum_merges_to_zero():
    a, b = X[0] * X[1], X[0] * X[2]
    zero = (a + b) - X[0] * (X[1] + X[2])
    assert merge_equal(program(zero * X[3] + X[4])).roots == (X[4],)


def test_nodes_equal_up_to_sign_merge():
    difference = X[0] * X[1] - X[0] * X[2]
    other = X[0] * (X[2] - X[1])
    merged = merge_equal(program(X[3] * difference, X[4] * other))
    assert merged.count().total < program(X[3] * difference, X[4] * other).count().total
    assert verify_exact(program(X[3] * difference, X[4] * other), merged).passed


@pytest.mark.parametrize("relative", [1e-10, 1e-7, -1e-9])
def test_near_equality_is_not_merged(relative):
    k = 0.731
    p = program((k * X[0] + X[1]) * X[2], (k * (1.0 + relative) * X[0] + X[1]) * X[3])
    assert merge_equal(p) is p
    if COMPILED:
        assert anneal(p, 3_000, 1).count().total == p.count().total


def test_merging_without_gain_returns_the_program_itself():
    p = program(X[0] * X[1] + X[2])
    assert merge_equal(p) is p


def test_exact_check_finds_a_small_wrong_term():
    right = program(X[0] * X[1] + const(1e-6) * (X[2] * X[2]))
    wrong = program(X[0] * X[1] + const(1e-6 * (1.0 + 1e-9)) * (X[2] * X[2]))
    assert verify_exact(right, right).worst == 0.0
    assert not verify_exact(right, wrong).passed
    assert verify_exact(right, wrong).where == "output 0, x[2] large"


def test_exact_check_allows_for_rounded_constants():
    third, half = 1.0 / 3.0, 0.1
    first = program(const(third) * (const(half) * X[0] + X[1]))
    second = program(const(third * half) * X[0] + const(third) * X[1])
    report = verify_exact(first, second)
    assert report.passed
    assert 0.0 < report.worst < 1e-15


def test_exact_check_refuses_a_candidate_that_is_undefined_where_the_original_is_not():
    report = verify_exact(program(X[0] + X[1]), program(X[0] / X[2] * X[2] + X[1]))
    assert not report.passed


def test_double_check_reports_lost_digits():
    plain = program(X[0] + X[1])
    poor = program(((X[0] + const(1e6)) + X[1]) - const(1e6))
    assert verify_double(plain, plain, 500).worst == 0.0
    report = verify_double(plain, Program("p", plain.inputs, poor.outputs), 500)
    assert report.worst > 1e-12
    assert report.growth > 100.0


def test_double_check_takes_a_function():
    report = verify_double(lambda x: x[:, :1] * x[:, 1:2], program(X[0] * X[1]), 100)
    assert report.worst < 1e-15


def test_missing_compiler_is_named(monkeypatch):
    monkeypatch.setattr(engine.shutil, "which", lambda name: None)
    with pytest.raises(SearchUnavailable, match="C compiler"):
        engine.compiler()


def test_merging_needs_no_compiler(monkeypatch):
    monkeypatch.setattr(engine.shutil, "which", lambda name: None)
    s, c = X[0].sin(), X[0].cos()
    assert merge_equal(program(s * s + c * c + X[1])).count().total == 1


@needs_compiler
def test_common_factor_is_found():
    assert anneal(program(X[0] * X[1] + X[0] * X[2]), 2_000, 1).count().total == 2


@needs_compiler
def test_constant_multiple_is_found():
    p = program(X[0] * X[1] + X[2], const(0.3) * (X[0] * X[1]) + const(0.3) * X[2])
    found = anneal(p, 2_000, 1)
    assert found.count().total == 3
    assert verify_exact(p, found).passed


@needs_compiler
def test_products_of_sums_are_refactored():
    a, b, c, d = X[:4]
    p = program(a * c + a * d + b * c + b * d)
    assert anneal(p, 20_000, 1).count().total == 3


@needs_compiler
def test_division_and_functions_are_kept():
    r = const(1.0) / (const(1.0) + X[0] * X[0])
    p = program(r * X[1] + r * X[2], (r * r).sqrt(), (X[1] / X[2]).exp() * X[3])
    found = anneal(p, 2_000, 1)
    assert found.count().total < p.count().total
    assert verify_exact(p, found).passed


@needs_compiler
def test_no_trigonometric_call_is_added(arm_program):
    found = anneal(arm_program, 4_000, 1)
    calls = {e for e in arm_program.nodes() if e.kind in ("sin", "cos")}
    assert {e for e in found.nodes() if e.kind in ("sin", "cos")} <= calls


@needs_compiler
def test_search_keeps_values_and_lowers_the_count(arm_program):
    found = anneal(arm_program, 10_000, 3)
    assert found.count().total < merge_equal(arm_program).count().total
    assert verify_exact(arm_program, found).passed
    arrays = [np.random.default_rng(1).uniform(-3, 3, (200, 3)) for _ in range(3)]
    (mine,), (other,) = evaluate(arm_program, *arrays), evaluate(found, *arrays)
    np.testing.assert_allclose(other, mine, rtol=0, atol=1e-12 * np.abs(mine).max())


@needs_compiler
def test_same_seed_same_program(arm_program):
    first, second = (anneal(arm_program, 3_000, 5) for _ in range(2))
    assert first.roots == second.roots


@needs_compiler
def test_slices_do_not_change_the_result(arm_program):
    seen = []
    first = anneal(arm_program, 5_000, 5, progress=seen.append)
    assert [p.done for p in seen] == [2_000, 4_000, 5_000]
    assert first.roots == anneal(arm_program, 5_000, 5).roots


@needs_compiler
def test_search_never_raises_the_count():
    p = program(X[0] * X[1] + X[2] * X[3])
    assert anneal(p, 500, 1, temperature=(5.0, 5.0)).count().total == 3


@needs_compiler
def test_stopped_search_keeps_the_best(arm_program):
    seen = []
    found = anneal(arm_program, 10**9, 3, progress=seen.append, stop=lambda: len(seen) == 3)
    assert len(seen) == 3
    assert found.count().total == seen[-1].best < arm_program.count().total


@needs_compiler
def test_interrupted_search_keeps_the_best(arm_program):
    def interrupt(progress):
        if progress.done >= 6_000:
            raise KeyboardInterrupt

    found = anneal(arm_program, 10**9, 3, progress=interrupt)
    assert found.count().total < arm_program.count().total
    assert verify_exact(arm_program, found).passed


@needs_compiler
def test_candidate_that_fails_the_check_is_refused(arm_program, monkeypatch):
    def refuse(original, candidate, **_):
        report = verify_exact(original, candidate)
        return dataclasses.replace(report, worst=float("inf"))

    monkeypatch.setattr("flexgen.search.annealing.verify_exact", refuse)
    assert anneal(arm_program, 3_000, 1) is arm_program


@needs_compiler
def test_search_goes_on_from_the_last_confirmed_program_after_a_refusal(arm_program, monkeypatch):
    looks = []

    def close(original, candidate):
        looks.append(candidate.count().total)
        return len(looks) > 2

    monkeypatch.setattr("flexgen.search.annealing._close", close)
    found = anneal(arm_program, 20_000, 2)
    assert len(looks) > 2
    assert found.count().total < merge_equal(arm_program).count().total
    assert verify_exact(arm_program, found).passed


@needs_compiler
def test_large_programs_are_searched_in_windows(arm_program, monkeypatch):
    monkeypatch.setattr(annealing, "LARGE", 20)
    monkeypatch.setattr(annealing, "WINDOW", 45)
    monkeypatch.setattr(annealing, "WINDOW_PICKS", 2_000)
    first, second = (anneal(arm_program, 16_000, 1) for _ in range(2))
    assert first.roots == second.roots
    assert first.count().total < merge_equal(arm_program).count().total
    assert verify_exact(arm_program, first).passed


def test_a_window_put_back_unchanged_gives_the_program(arm_program):
    prints = states_of(arm_program)
    nodes = operations(arm_program)
    for first in range(0, len(nodes), 17):
        window = cut(arm_program, nodes[first : first + 30], prints)
        assert put_back(arm_program, window, window.program).roots == arm_program.roots


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_wide_numbers_have_thirty_digits(name):
    a, b, c = (np.random.default_rng(i).uniform(-2.0, 2.0, 50) for i in range(3))
    operate = OPERATORS[name]
    found = operate(Wide(a) * Wide(b), Wide(c) * Wide(a))
    for i in range(50):
        x, y = Fraction(a[i]) * Fraction(b[i]), Fraction(c[i]) * Fraction(a[i])
        exact = operate(x, y)
        error = Fraction(float(found.hi[i])) + Fraction(float(found.lo[i])) - exact
        scale = abs(x) + abs(y) if name in ("add", "sub") else abs(exact)
        assert abs(error) <= scale * Fraction(1, 10**30)


@needs_compiler
def test_weights_choose_between_products_and_sums():
    s, c = X[0].sin(), X[0].cos()
    p = program(s * s + X[1], c * c + X[2])
    found = anneal(p, 5_000, 1, weights=(1.0, 0.1))
    assert found.count().mul == 1


@needs_compiler
def test_program_without_operations_passes_through():
    p = program(X[0], -X[1], const(2.0))
    assert anneal(p, 100, 1).roots == p.roots
