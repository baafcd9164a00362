"""Every pass: value kept, count not larger, applied twice is applied once; small examples."""

import numpy as np
import pytest
from sample_programs import arm_programs, sample_arm

from flexgen.clear import PASSES, clear, kernels, products, trig
from flexgen.graph.evaluate import evaluate
from flexgen.graph.node import Expr
from flexgen.graph.program import Program
from flexgen.graph.trace import trace

cos, sin = np.cos, np.sin


def program(function, size=6):
    def entries(x):
        return np.array(function(*x), dtype=object)

    return trace(entries, {"x": size}, ("y",), "example")


# (what, before, multiplications, additions after); all by hand
KERNELS = {
    "distributive": (lambda a, b, c, *_: [a * b + a * c], 1, 1),
    "constant": (lambda a, b, *_: [2.5 * a + 2.5 * b], 1, 1),
    "constant and sign": (lambda a, b, *_: [2.5 * a - 2.5 * b], 1, 1),
    "partial sum": (lambda a, b, c, d, *_: [(a + c) + b, (a + d) + b], 0, 3),
    "partial difference": (lambda a, b, c, d, *_: [(a + c) - b, (b + d) - a], 0, 3),
    "existing sum": (lambda a, b, c, *_: [a + b, a * c + b * c], 1, 1),
    "one more": (lambda a, b, *_: [a * b + a], 1, 1),
    "scaled sums": (lambda a, b, *_: [3.0 * a + 6.0 * b, a + 2.0 * b], 2, 1),
    "square": (lambda a, b, c, *_: [a * a * b + a * a * c], 2, 1),
    "polynomial": (lambda a, b, *_: [2.0 * a * a * b + 3.0 * a * b], 3, 1),
}
PRODUCTS = {
    "pair": (lambda a, b, c, d, *_: [(a * c) * b, (a * d) * b], 3, 0),
    "constant": (lambda a, b, c, *_: [2.5 * (a * b), 2.5 * (a * c)], 3, 0),
    "whole": (lambda a, b, c, *_: [a * b, (a * c) * b], 2, 0),
}
TRIG = {
    "one": (lambda a, *_: [sin(a) * sin(a) + cos(a) * cos(a)], 0, 0),
    "one inside": (lambda a, b, c, *_: [sin(a) * (sin(a) * b) + c + cos(a) * (cos(a) * b)], 0, 1),
    "complement": (lambda a, *_: [1.0 - sin(a) * sin(a), cos(a)], 1, 0),
    "angle sum": (
        lambda a, b, *_: [sin(a) * cos(b) + cos(a) * sin(b), cos(a) * cos(b) - sin(a) * sin(b)],
        0,
        1,
    ),
    "angle difference": (
        lambda a, b, *_: [cos(a) * sin(b) - sin(a) * cos(b), -cos(a) * cos(b) - sin(a) * sin(b)],
        0,
        1,
    ),
}
EXAMPLES = [
    pytest.param(cleared_by, *example, id=f"{cleared_by.__name__}: {name}")
    for cleared_by, table in ((kernels, KERNELS), (products, PRODUCTS), (trig, TRIG))
    for name, example in table.items()
]


def same_values(first, second, rng, rtol=1e-12):
    x = [rng.uniform(0.2, 1.4, (7, g.size)) for g in first.inputs]
    for a, b in zip(evaluate(first, *x), evaluate(second, *x), strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * max(1.0, np.abs(a).max()))


@pytest.mark.parametrize(("cleared_by", "function", "mul", "add"), EXAMPLES)
def test_small_example(cleared_by, function, mul, add, rng):
    before = program(function)
    after = cleared_by(before)
    assert (after.count().mul, after.count().add) == (mul, add)
    same_values(before, after, rng)


def test_trig_keeps_angles_that_are_needed_apart():
    # the sum of the angles would be a call more for a few products less
    p = program(
        lambda a, b, *_: [sin(a) * cos(b) + cos(a) * sin(b), sin(a), sin(b), cos(a), cos(b)]
    )
    assert trig(p) is p


def random_program(seed) -> Program:
    rng = np.random.default_rng(seed)

    def build(x):
        pool: list[Expr] = [*x, sin(x[0]), cos(x[0]), sin(x[1]), cos(x[1])]
        for _ in range(60):
            i, j = rng.integers(0, len(pool), 2)
            kind = rng.integers(0, 5)
            a, b = pool[i], pool[j]
            number = float(rng.choice([0.5, 2.0, 3.0, -1.5]))
            pool.append([a + b, a - b, a * b, number * a, number * a + b][kind])
        return np.array([*pool[-6:], pool[-1] / (2.0 + sin(pool[-2]))], dtype=object)

    return trace(build, {"x": 5}, ("y",), "random")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("cleared_by", [*PASSES, clear], ids=lambda p: p.__name__)
def test_pass_keeps_values_lowers_the_count_and_is_done_after_one_run(cleared_by, seed, rng):
    before = random_program(seed)
    after = cleared_by(before)
    old, new = before.count(), after.count()
    assert new.total <= old.total
    assert new.trig <= old.trig
    assert after.inputs == before.inputs
    same_values(before, after, rng, rtol=1e-10)
    assert cleared_by(after).roots == after.roots


@pytest.mark.parametrize("name", ["inverse", "bias"])
def test_passes_keep_the_values_of_arms(name, rng):
    before = arm_programs(sample_arm(3, slides=(1,)))[name]
    after = clear(before)
    assert after.count().total < before.count().total
    same_values(before, after, rng, rtol=1e-11)


def test_result_does_not_depend_on_what_ran_before():
    first = clear(random_program(3))
    for seed in range(4, 8):
        clear(random_program(seed))
    assert clear(random_program(3)).roots == first.roots
