"""Addition theorems: fewer calls, the same values, and nothing where a partner is missing."""

import re

import numpy as np
import pytest
from conftest import CASES, read_quietly

from flexgen import pipeline
from flexgen.clear.addition import addition
from flexgen.graph.evaluate import evaluate
from flexgen.graph.node import Expr, call
from flexgen.graph.program import Input, Output, Program

Q = Input("q", 4)
A, B, C, D = Q.entries


def sin(x: Expr) -> Expr:
    return call("sin", x)


def cos(x: Expr) -> Expr:
    return call("cos", x)


def both(*angles):
    return [f(x) for x in angles for f in (sin, cos)]


def of(*entries):
    return Program("angles", (Q,), (Output("y", (len(entries),), tuple(entries)),))


def angles_left(program):
    return {e.args[0] for e in program.nodes() if e.kind in ("sin", "cos")}


def same_values(program, other, atol=4e-16):
    q = np.random.default_rng(4).uniform(-3.0, 3.0, (200, 4))
    (one,), (two,) = evaluate(program, q), evaluate(other, q)
    np.testing.assert_allclose(two, one, rtol=0, atol=atol)


@pytest.mark.parametrize(
    ("entries", "left"),
    [
        ([*both(A, B), sin(A + B)], {A, B}),
        ([*both(A, B), cos(A + B)], {A, B}),
        ([*both(A, B), *both(A - B)], {A, B}),
        ([*both(A, B), *both(B - A)], {A, B}),
        ([*both(A, B), *both(A + B), *both(A - B)], {A, B}),
        # a sum of three by way of the sum of two, which nobody asks for
        ([*both(A, B, C), *both((A + B) + C)], {A, B, C}),
        ([*both(A, B, C), *both(A + B), *both((A + B) - C)], {A, B, C}),
        ([*both(A, B, C), *both(C - (A + B))], {A, B, C}),
        # the sum itself is a partner
        ([*both(A + B, C), *both((A + B) + C)], {A + B, C}),
        ([*both(A, B, C, D), *both((A + B) + (C + D))], {A, B, C, D}),
    ],
    ids=[*"0123456789"],
)
def test_functions_of_sums_go_where_those_of_the_parts_are_there(entries, left):
    program = of(*entries)
    fast = addition(program)
    assert angles_left(fast) == left
    same_values(program, fast, 1e-15)


@pytest.mark.parametrize(
    "entries",
    [
        [*both(A + B)],
        [*both(A), *both(A + B)],
        [*both(A), sin(B), *both(A + B)],
        [sin(A), cos(B), sin(A + B)],
        [*both(A, B), *both((A + B) + C)],
        [*both(A, B), *both(A + 0.3)],
        [*both(A, B), *both(A * B)],
        [*both(A, B), A + B],
        [A * B],
    ],
    ids=str,
)
def test_nothing_changes_where_a_partner_is_missing(entries):
    program = of(*entries)
    assert all(a is b for a, b in zip(addition(program).roots, program.roots, strict=True))


def test_a_sum_that_is_an_output_as_well_stays_one():
    program = of(*both(A, B), sin(A + B), A + B)
    fast = addition(program)
    assert fast.roots[-1] is A + B
    same_values(program, fast)


@pytest.mark.parametrize("routine", ["inverse", "direct", "acceleration", "jacobian", "pose"])
@pytest.mark.parametrize("name", ["puma560", "puma560_3", "scara", "modified_rpr"])
def test_programs_of_arms_keep_their_values_and_never_call_more(name, routine):
    arm = read_quietly(CASES / f"{name}.toml").manipulator
    program = pipeline.program(arm, routine)
    fast = addition(program)
    assert fast.count().trig <= program.count().trig
    if "puma" in name and routine in ("inverse", "direct", "acceleration"):
        assert fast.count().trig == program.count().trig - 2  # of the sum of joints 2 and 3
    rng = np.random.default_rng(6)
    given = [0.5 * rng.normal(size=(20, i.size)) for i in program.inputs]
    for one, two in zip(evaluate(program, *given), evaluate(fast, *given), strict=True):
        np.testing.assert_allclose(two, one, rtol=0, atol=1e-12 * np.abs(one).max())
    again = addition(fast)
    assert all(a is b for a, b in zip(again.roots, fast.roots, strict=True))
    assert (fast.inputs, fast.notes) == (program.inputs, program.notes)


def test_of_the_ten_calls_of_the_puma_eight_are_left():
    # joints 2 and 3 turn about parallel axes, which the passes make one angle of
    arm = read_quietly(CASES / "puma560.toml").manipulator
    program = pipeline.program(arm, "inverse")
    fast = addition(program)
    assert (program.count().trig, fast.count().trig) == (10, 8)
    two, three = Q.entries[1:3]
    assert angles_left(program) - angles_left(fast) == {two + three}
    before, after = program.count(), fast.count()
    assert (after.mul - before.mul, after.add - before.add) == (4, 1)  # two more, a sum less


def test_compiled_routines_use_the_theorems(monkeypatch):
    class Seen(Exception):
        pass

    def stop(source, signatures, blocks, **_):
        raise Seen(source, blocks)

    monkeypatch.setattr(pipeline, "compile_module", stop)
    arm = read_quietly(CASES / "puma560.toml").manipulator
    with pytest.raises(Seen) as caught:
        pipeline.compiled({"inverse": pipeline.program(arm, "inverse")})
    source, blocks = caught.value.args
    assert len(re.findall(r"= (?:sin|cos)\(", source)) == 8
    assert blocks.count("call sincos(") == 4
