"""Batches: vector form, strict form, threads, orders of storage, places for results, bad states."""

import warnings

import numpy as np
import pytest
from conftest import CASES, read_quietly

import flexgen
from flexgen import pipeline
from flexgen.build import Signature, compile_module, find_compiler
from flexgen.emit import emit
from flexgen.emit.block import blocks_text
from flexgen.model import ModelWarning
from flexgen.verify import random_states

needs_compiler = pytest.mark.skipif(not find_compiler(), reason="no Fortran compiler")
BACKENDS = ["numpy", pytest.param("fortran", marks=needs_compiler)]

N = 4
SIZES = (1, 63, 64, 65, 130)  # around blocks of 64
ROUTINES = {
    "inverse": "q qd qdd", "direct": "q qd qdd", "inertia": "q", "bias": "q qd", "gravity": "q",
    "coriolis": "q qd", "inertial": "q qdd", "jacobian": "q", "pose": "q",
}  # fmt: skip
SHAPES = {"inertia": (N, N), "jacobian": (6, N), "pose": (4, 4)}  # the others (N,)

# largest difference of the two forms, of the largest entry of the batch: 1e-15 measured over
# 2000 states of all shipped rigid arms and three flexible ones
ROUNDING = 3e-15


def generic():
    return flexgen.generic_arm(N, seed=2)


@pytest.fixture(scope="module", params=BACKENDS)
def small(request):
    return flexgen.build(generic(), request.param, passes="none")


@pytest.fixture(scope="module")
def compiled():
    return flexgen.build(generic(), "fortran", passes="none")


def arguments(arm, routine, count, seed=3):
    s = random_states(arm, count, seed=seed)
    return [getattr(s, name) for name in ROUTINES[routine].split()]


def columns(arrays):
    return [np.asfortranarray(a) for a in arrays]


# forms


def two_forms_agree(model, count=500):
    for routine in ROUTINES:
        given = arguments(model.arm, routine, count)
        fast, strict = (getattr(model, routine)(*given, strict=s) for s in (False, True))
        error = np.abs(fast - strict).reshape(count, -1).max(axis=1)
        if routine == "direct":
            # the solution of an equation: errors of its matrix and of its right side
            H, b = model.inertia(given[0]), model.bias(*given[:2])
            right = np.linalg.norm(given[2], axis=1) + np.linalg.norm(b, axis=1)
            scale = np.linalg.cond(H) * np.linalg.norm(strict, axis=1)
            scale += np.linalg.norm(np.linalg.inv(H), 2, axis=(1, 2)) * right
            assert (error <= ROUNDING * scale).all(), routine
        else:
            assert (error <= ROUNDING * np.abs(strict).max()).all(), routine


def strict_is_one_by_one(model, count=70):
    for routine in ROUTINES:
        given = arguments(model.arm, routine, count)
        strict = getattr(model, routine)(*given, strict=True)
        for k, row in enumerate(zip(*given, strict=True)):
            np.testing.assert_array_equal(getattr(model, routine)(*row), strict[k])


@needs_compiler
def test_vector_and_strict_form_of_rigid_arms_agree_to_rounding(model):
    two_forms_agree(model)


@needs_compiler
def test_strict_batches_of_rigid_arms_are_their_states_one_by_one(model):
    strict_is_one_by_one(model)


@needs_compiler
@pytest.mark.parametrize("name", ["arm_a", "arm_k", "double_flexible_pendulum"])
def test_forms_of_flexible_arms_agree(name):
    arm = read_quietly(CASES / f"{name}.toml").manipulator
    model = flexgen.build(arm, "fortran", passes="classic")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # random rates are high
        two_forms_agree(model)
        strict_is_one_by_one(model, 3)


@needs_compiler
def test_the_vector_form_is_used(compiled):
    given = arguments(compiled.arm, "inverse", 640)
    assert not np.array_equal(compiled.inverse(*given), compiled.inverse(*given, strict=True))


@pytest.mark.parametrize("routine", ROUTINES)
def test_backends_have_the_same_values(routine, compiled):
    other = flexgen.build(generic(), "numpy", passes="none")
    for given in (arguments(generic(), routine, 130), columns(arguments(generic(), routine, 65))):
        one, two = (getattr(m, routine)(*given) for m in (compiled, other))
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-12 * np.abs(two).max())


# sizes, threads, orders


@pytest.mark.parametrize("routine", ROUTINES)
def test_a_state_does_not_depend_on_the_rest_of_its_batch(small, routine):
    whole = arguments(small.arm, routine, max(SIZES))
    expected = getattr(small, routine)(*whole)
    assert expected.shape == (max(SIZES), *SHAPES.get(routine, (N,)))
    for size in SIZES:
        found = getattr(small, routine)(*(a[:size] for a in whole))
        np.testing.assert_array_equal(found, expected[:size])
    found = getattr(small, routine)(*(a[7:] for a in whole))  # other lanes, other blocks
    np.testing.assert_array_equal(found, expected[7:])


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("routine", ROUTINES)
def test_order_of_storage_and_threads_do_not_change_a_bit(small, routine, strict):
    for size in SIZES:
        given = arguments(small.arm, routine, size)
        function = getattr(small, routine)
        expected = function(*given, strict=strict)
        for arrays in (given, columns(given)):
            for threads in (1, 2, 3):
                found = function(*arrays, strict=strict, threads=threads)
                np.testing.assert_array_equal(found, expected)


def test_results_have_the_order_of_the_arguments(small):
    given = arguments(small.arm, "inverse", 65)
    assert small.inverse(*given).flags.c_contiguous
    assert small.inverse(*columns(given)).flags.f_contiguous
    assert small.inertia(given[0]).flags.c_contiguous
    assert small.inertia(columns(given)[0]).transpose(1, 2, 0).flags.c_contiguous


def test_arrays_of_mixed_order_and_strides_are_taken(small):
    q, qd, qdd = arguments(small.arm, "inverse", 130)
    expected = small.inverse(q, qd, qdd)
    wide = np.repeat(np.repeat(qd, 2, axis=0), 3, axis=1)
    for given in (
        (np.asfortranarray(q), qd, qdd),
        (q, np.asfortranarray(qd), np.asfortranarray(qdd)),
        (q, wide[::2, ::3], qdd),
        (q[::-1].copy()[::-1], qd, qdd),
        (q.tolist(), qd, qdd),
    ):
        np.testing.assert_array_equal(small.inverse(*given), expected)


def test_one_state_goes_with_a_batch_in_any_order(small):
    q, qd, qdd = arguments(small.arm, "inverse", 65)
    expected = small.inverse(np.tile(q[3], (65, 1)), qd, np.tile(qdd[5], (65, 1)))
    for rates in (qd, np.asfortranarray(qd)):
        for threads in (1, 2):
            found = small.inverse(q[3], rates, qdd[5], threads=threads)
            np.testing.assert_array_equal(found, expected)


def test_an_empty_batch_is_one_in_any_order(small):
    none = np.empty((0, N))
    for arrays in ([none] * 3, columns([none] * 3)):
        assert small.inverse(*arrays, threads=2).shape == (0, N)
        assert small.inertia(arrays[0]).shape == (0, N, N)
    out = np.empty((0, N))
    assert small.inverse(none, none, none, out=out) is out


# places for the results


def places(shape):
    """Arrays of a shape: in both orders, and with gaps."""
    yield np.full(shape, np.nan)
    yield np.full(shape, np.nan, order="F")
    yield np.full((*shape[:-1], 2 * shape[-1]), np.nan)[..., ::2]
    yield np.full((3 * shape[0], *shape[1:]), np.nan)[::3]
    yield np.moveaxis(np.full((*shape[1:], shape[0]), np.nan), -1, 0)


@pytest.mark.parametrize("routine", ROUTINES)
def test_results_go_where_they_are_told(small, routine):
    given = arguments(small.arm, routine, 65)
    function = getattr(small, routine)
    expected = function(*given)
    for arrays in (given, columns(given)):
        for out in places(expected.shape):
            assert function(*arrays, out=out) is out
            np.testing.assert_array_equal(out, expected)


def test_gaps_of_a_place_are_left_alone(small):
    q = arguments(small.arm, "gravity", 65)[0]
    whole = np.full((65, 2 * N), -7.0)
    small.gravity(q, out=whole[:, ::2])
    np.testing.assert_array_equal(whole[:, ::2], small.gravity(q))
    assert (whole[:, 1::2] == -7.0).all()


@pytest.mark.parametrize("routine", ROUTINES)
def test_the_result_of_one_state_goes_where_it_is_told(small, routine):
    row = [a[0] for a in arguments(small.arm, routine, 1)]
    function = getattr(small, routine)
    expected = function(*row)
    out = np.full(expected.shape, np.nan)
    assert function(*row, out=out) is out
    np.testing.assert_array_equal(out, expected)
    listed = np.full(expected.shape, np.nan)
    assert function(*(a.tolist() for a in row), out=listed) is listed
    np.testing.assert_array_equal(listed, expected)


@pytest.mark.parametrize("routine", ["inverse", "direct", "inertia", "jacobian"])
def test_a_place_that_does_not_fit_is_refused(small, routine):
    function, one = getattr(small, routine), SHAPES.get(routine, (N,))
    given = arguments(small.arm, routine, 5)
    fixed = np.empty((5, *one))
    fixed.flags.writeable = False
    for out in (
        np.empty((4, *one)), np.empty((6, *one)), np.empty(one), np.empty((5, *one, 1)),
        np.empty((5, *one), np.float32), np.empty((5, *one), int), np.empty((5, *one), complex),
        fixed, fixed.tolist(), "out",
    ):  # fmt: skip
        with pytest.raises(ValueError, match=rf"^{routine}: out must be a float64 array of shape"):
            function(*given, out=out)
    row = [a[0] for a in given]
    for out in (np.empty((1, *one)), np.empty((*one, 1)), np.empty(one, np.float32), fixed[0]):
        with pytest.raises(ValueError, match=rf"^{routine}: out must be a float64 array of shape"):
            function(*row, out=out)
    with pytest.raises(ValueError, match=f"^{routine}: out must be contiguous"):
        function(*row, out=np.empty((*one[:-1], 2 * one[-1]))[..., ::2])


@pytest.mark.parametrize("threads", [0, -1, True, 2.0, "2", None, np.int64(2)])
def test_threads_are_a_number_from_one_on(small, threads):
    q, qd, qdd = arguments(small.arm, "inverse", 5)
    with pytest.raises(ValueError, match=r"^inverse: threads must be a number from 1 on, not "):
        small.inverse(q, qd, qdd, threads=threads)
    with pytest.raises(ValueError, match=r"^direct: threads must be"):
        small.direct(q, qd, qdd, threads=threads)
    with pytest.raises(ValueError, match=r"^gravity: threads must be"):
        small.gravity(q[0], threads=threads)


# numbers that are too large, or none


@needs_compiler
def test_angles_that_the_vector_functions_do_not_know_go_the_strict_way(compiled):
    given = arguments(compiled.arm, "inverse", 200)
    usual, strict = compiled.inverse(*given), compiled.inverse(*given, strict=True)
    for big in (1.0000001e6, -3e9, 1e200):
        q = given[0].copy()
        q[70, 1] = big
        for arrays in ((q, *given[1:]), columns((q, *given[1:]))):
            found = compiled.inverse(*arrays)
            np.testing.assert_array_equal(found[:64], usual[:64])
            np.testing.assert_array_equal(found[64:70], strict[64:70])
            np.testing.assert_array_equal(found[70], compiled.inverse(*(a[70] for a in arrays)))
            np.testing.assert_array_equal(found[71:128], strict[71:128])
            np.testing.assert_array_equal(found[128:], usual[128:])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("routine", ["inverse", "direct", "bias", "inertia"])
def test_a_number_that_is_not_finite_is_named_wherever_it_is(small, routine, bad):
    # `direct` calls its third argument tau
    names = [
        ("tau" if routine == "direct" and n == "qdd" else n) for n in ROUTINES[routine].split()
    ]
    for k, name in enumerate(names):
        for place in ((0, 0), (40, 1), (63, N - 1), (64, 0), (129, N - 1)):
            given = [a.copy() for a in arguments(small.arm, routine, 130)]
            given[k][place] = bad
            for arrays in (given, columns(given)):
                for options in ({}, {"threads": 2}, {"strict": True}):
                    with pytest.raises(ValueError, match=rf"^{routine}: {name} must be finite$"):
                        getattr(small, routine)(*arrays, **options)
            row = [a[place[0]] for a in given]
            with pytest.raises(ValueError, match=rf"^{routine}: {name} must be finite$"):
                getattr(small, routine)(*row)


@pytest.mark.parametrize("places", [(3, 129), (129, 3), (70, 70)])
def test_of_two_arguments_that_are_not_finite_the_first_is_named(small, places):
    q, qd, qdd = (a.copy() for a in arguments(small.arm, "inverse", 130))
    q[places[0], 1] = qdd[places[1], 0] = np.nan
    for arrays in ((q, qd, qdd), columns((q, qd, qdd))):
        for options in ({}, {"threads": 2}, {"strict": True}):
            with pytest.raises(ValueError, match=r"^inverse: q must be finite$"):
                small.inverse(*arrays, **options)


# a long routine is cut into loops


@needs_compiler
def test_a_routine_in_parts_has_the_values_of_the_whole(compiled):
    names = ("inverse", "direct", "acceleration")
    programs = [pipeline.program(generic(), name, passes="none") for name in names]
    signatures = [
        Signature(
            p.name,
            tuple((i.name, i.size) for i in p.inputs),
            tuple((o.name, o.shape) for o in p.outputs),
        )
        for p in programs
    ]
    text = blocks_text(programs, longest=20, part=17)
    assert "_block9(" in text
    library = compile_module(emit(programs, "f90"), signatures, text)
    q, qd, qdd = arguments(generic(), "inverse", 130)
    flat = [a.ravel() for a in (q, qd, qdd)]

    def of(name, inputs, *shapes):
        outs = [np.full((130, *shape), np.nan) for shape in shapes]
        function = library.functions[name]
        assert function.many(130, False, 1, False, *inputs, *(o.ravel() for o in outs)) == 0
        return outs

    def close(found, expected, factor=1.0):
        limit = factor * ROUNDING * np.abs(expected).max()
        np.testing.assert_allclose(found, expected, rtol=0, atol=limit)

    close(of("inverse", flat, (N,))[0], compiled.inverse(q, qd, qdd))
    h, b = of("direct", flat[:2], (N, N), (N,))
    close(h, compiled.inertia(q))
    close(b, compiled.bias(q, qd))
    worst = np.linalg.cond(h).max()
    close(of("acceleration", flat, (N,))[0], compiled.direct(q, qd, qdd), worst)


def test_one_state_goes_with_many_wrenches(small):
    q, qd, qdd = (a[0] for a in arguments(small.arm, "inverse", 5))
    wrenches = np.random.default_rng(3).uniform(-1.0, 1.0, (5, 6))
    expected = [small.inverse(q, qd, qdd, wrench) for wrench in wrenches]
    np.testing.assert_allclose(small.inverse(q, qd, qdd, wrenches), expected, rtol=1e-14)
