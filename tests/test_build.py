"""The build stage: compiled == NumPy, batches, bad numbers, failures, builds found again."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from two_link_arm import (
    M2,
    QD,
    QDD,
    SIGNATURES,
    SINGULAR,
    Q,
    coriolis,
    gravity,
    inertia,
    module,
    result,
    results,
    states,
)

import flexgen
from flexgen import cache, toolchain
from flexgen.build import (
    FLAGS,
    MISFIT,
    BuildError,
    CompilerMissing,
    Signature,
    compile_module,
    find_compiler,
)
from flexgen.shim import shim

ROOT = Path(flexgen.__file__).resolve().parents[1]

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no Fortran compiler")


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory):
    """One cache for all workers of a run: what one has built the others find."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "builds"


@pytest.fixture(scope="session")
def library(shared_cache):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLEXGEN_CACHE", str(shared_cache))
        return compile_module(module(), SIGNATURES)


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLEXGEN_CACHE", str(tmp_path / "own cache"))
    return tmp_path / "own cache"


# values


@needs_compiler
def test_compiled_values_are_those_of_the_mechanics(library):
    q, qd, qdd, wrench = states(50, 2, 2, 2, 6)
    H, g, c = inertia(q), gravity(q), coriolis(q, qd)
    np.testing.assert_allclose(result(library, "inertia", q), H, rtol=0, atol=1e-14)
    np.testing.assert_allclose(result(library, "gravity", q), g, rtol=0, atol=1e-13)
    np.testing.assert_allclose(result(library, "coriolis", q, qd), c, rtol=0, atol=1e-13)
    np.testing.assert_allclose(result(library, "bias", q, qd), c + g, rtol=0, atol=1e-13)
    tau = np.einsum("bij,bj->bi", H, qdd) + c + g
    np.testing.assert_allclose(result(library, "inverse", q, qd, qdd), tau, rtol=0, atol=1e-13)
    J = result(library, "jacobian", q)
    pushed = np.einsum("bki,bk->bi", J, wrench)
    np.testing.assert_allclose(result(library, "external", q, wrench), pushed, rtol=0, atol=1e-14)
    loaded = result(library, "loaded", q, qd, qdd, wrench)
    np.testing.assert_allclose(loaded, tau - pushed, rtol=0, atol=1e-13)


@needs_compiler
def test_direct_has_both_its_terms(library):
    q, qd = states(50, 2, 2)
    for lead in (slice(None), 3):
        h, b = results(library, "direct", q[lead], qd[lead])
        np.testing.assert_allclose(h, inertia(q[lead]), rtol=0, atol=1e-14)
        expected = coriolis(q[lead], qd[lead]) + gravity(q[lead])
        np.testing.assert_allclose(b, expected, rtol=0, atol=1e-13)


@needs_compiler
def test_acceleration_undoes_inverse(library):
    q, qd, qdd = states(50, 2, 2, 2)
    tau = result(library, "inverse", q, qd, qdd)
    again = results(library, "acceleration", q, qd, tau)
    assert len(again) == 1  # pivots and diagonal are not handed on
    np.testing.assert_allclose(again[0], qdd, rtol=0, atol=1e-12)


@needs_compiler
def test_rows_of_a_matrix_are_rows(library):
    # tip velocity of two unit links in the tip frame: x gets sin q2, y gets cos q2 + 1
    q = states(5, 2)[0]
    J = result(library, "jacobian", q)
    assert J.shape == (5, 6, 2) and J.flags.c_contiguous
    np.testing.assert_allclose(J[:, 0, 0], np.sin(q[:, 1]), rtol=1e-15)
    np.testing.assert_allclose(J[:, 1, 0], np.cos(q[:, 1]) + 1, rtol=1e-15)
    assert np.array_equal(J[:, :, 1], np.tile([0.0, 1, 0, 0, 0, 1], (5, 1)))
    assert not J[:, 2:5].any()


@needs_compiler
@pytest.mark.parametrize("name", ["inverse", "direct", "acceleration", "inertia", "jacobian"])
def test_a_batch_is_its_states_one_by_one(library, name):
    inputs = states(70, *(size for _, size in library.functions[name].signature.inputs))
    batch = results(library, name, *inputs)
    for k in (0, 1, 63, 64, 69):
        single = results(library, name, *(a[k] for a in inputs))
        of_one = results(library, name, *(a[k : k + 1] for a in inputs))
        for many, one, alone in zip(batch, single, of_one, strict=True):
            assert np.array_equal(many[k], one) and np.array_equal(many[k], alone[0])


@needs_compiler
@pytest.mark.parametrize("name", ["inverse", "direct", "jacobian"])
def test_columns_hold_the_same_numbers_as_states(library, name):
    function, B = library.functions[name], 70
    inputs = states(B, *(size for _, size in function.signature.inputs))
    expected = results(library, name, *inputs)
    found = [np.full((*shape, B), np.nan) for shape in function.signature.shapes]
    turned = [np.ascontiguousarray(a.T).ravel() for a in inputs]
    assert function.many(B, True, 1, True, *turned, *(f.ravel() for f in found)) == 0
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(np.moveaxis(one, -1, 0), other)


# bad numbers and shapes


@needs_compiler
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_an_input_that_is_not_finite_is_named(library, bad):
    for name in ("inverse", "direct", "acceleration", "inertia", "external"):
        function = library.functions[name]
        sizes = [size for _, size in function.signature.inputs]
        outs = [np.empty(math.prod(shape)) for shape in function.signature.shapes]
        for k in range(len(sizes)):
            inputs = states(4, *sizes)
            inputs[k][2, -1] = bad
            flat = [a.ravel() for a in inputs]
            assert function.many(4, False, 1, False, *flat, *(np.tile(o, 4) for o in outs)) == k + 1
            assert function.one(*(a[2] for a in inputs), *outs) == k + 1
            if k + 1 < len(sizes):  # of two the first is named
                inputs[-1][0, 0] = bad
                assert function.one(*(a[2] for a in inputs), *outs) == k + 1


@needs_compiler
def test_the_state_of_a_singular_matrix_is_named(shared_cache, monkeypatch):
    monkeypatch.setenv("FLEXGEN_CACHE", str(shared_cache))
    function = compile_module(SINGULAR, SIGNATURES).functions["acceleration"]
    q, rest, out = np.ones((130, 2)), np.zeros(260), np.empty(260)
    assert function.many(130, False, 1, False, q.ravel(), rest, rest, out) == 0
    for k in (129, 64, 2):  # the first of them is named
        q[k, 0] = 0.0
        for threads in (1, 2):
            found = function.many(130, False, threads, False, q.ravel(), rest, rest, out)
            assert found == -k - 1
    assert function.one(q[2], rest[:2], rest[:2], out[:2]) == -1
    assert function.one(q[3], rest[:2], rest[:2], out[:2]) == 0
    q[3, 1] = np.nan  # numbers come before matrices
    assert function.many(130, False, 1, False, q.ravel(), rest, rest, out) == 1


@needs_compiler
def test_arrays_that_do_not_fit_are_refused(library):
    function = library.functions["inverse"]
    good = [np.zeros(8)] * 3
    for k in range(4):
        for wrong in (np.zeros(7), np.zeros(9), np.zeros(0)):
            given = [*good, np.zeros(8)]
            given[k] = wrong
            assert function.many(4, False, 1, False, *given) == MISFIT
            with pytest.raises(ValueError, match=r"2"):
                function.one(*(wrong if j == k else np.zeros(2) for j in range(4)))
    assert function.many(0, False, 1, False, *[np.zeros(2)] * 4) == MISFIT


@needs_compiler
def test_an_output_that_cannot_be_filled_in_place_raises(library):
    q = np.zeros(2)
    for out in (np.empty(2, np.float32), np.empty(4)[::2], np.empty(2, int)):
        with pytest.raises(ValueError, match=r"array"):
            library.functions["gravity"].one(q, out)
        with pytest.raises(ValueError, match=r"array"):
            library.functions["gravity"].many(1, False, 1, False, q, out)


# signatures


def test_a_signature_without_an_entry_point_is_refused():
    vector = (("y", (2,)),)
    wrong = [
        Signature("two words", (Q,), vector),
        Signature("none", (), vector),
        Signature("cube", (Q,), (("a", (2, 2, 2)),)),
        Signature("empty", (("q", 0),), vector),
        Signature("scalar", (Q,), (("a", ()),)),
        Signature("hollow", (Q,), (("a", (2, 0)),)),
        Signature("guarded", (Q,), (("pivots", (2,)),)),
        Signature("nothing", (Q,), ()),
        Signature("Upper", (Q,), vector),
        Signature("x" * 41, (Q,), vector),
    ]
    for signature in wrong:
        with pytest.raises(ValueError, match=signature.name.split()[0]):
            shim((signature,))
    with pytest.raises(ValueError, match="one routine"):
        shim((SIGNATURES[0], SIGNATURES[0]))


def test_the_shim_is_a_function_of_the_signatures():
    assert shim(SIGNATURES) == shim(tuple(SIGNATURES))
    assert max(map(len, shim(SIGNATURES).splitlines())) <= 132


@needs_compiler
def test_a_signature_smaller_than_its_routine_does_not_compile(own_cache):
    short = Signature("inverse", (("q", 1), QD, QDD), (("tau", (2,)),))
    with pytest.raises(BuildError, match=r"too few elements.*\(1/2\)"):
        compile_module(module(), (short,))


# failures


@needs_compiler
def test_an_error_of_the_compiler_is_shown_and_its_log_kept(own_cache):
    source = module().replace("t = matmul(h, qdd)", "t = matmul(h, undeclared)")
    with pytest.raises(BuildError) as caught:
        compile_module(source, SIGNATURES)
    text = str(caught.value)
    assert "undeclared" in text and "Error: Symbol" in text
    kept = Path(text.splitlines()[-1].removeprefix("log and sources: "))
    assert "undeclared" in (kept / "build.log").read_text()
    assert (kept / "dynamics.f90").read_text() == source
    assert sorted(p.name for p in own_cache.iterdir()) == ["failed", "locks"]


def test_without_a_compiler_one_line_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("FC", raising=False)
    assert find_compiler() is None
    with pytest.raises(CompilerMissing, match="install gfortran") as caught:
        compile_module(module(), SIGNATURES)
    assert "\n" not in str(caught.value)


def test_the_compiler_is_the_one_of_the_environment(monkeypatch, tmp_path):
    chosen = tmp_path / "my fortran"
    chosen.write_text("#!/bin/sh\n")
    chosen.chmod(0o755)
    monkeypatch.setenv("FC", f"'{chosen}' -g")
    assert find_compiler() == str(chosen)
    monkeypatch.setenv("FC", "not-there")
    with pytest.raises(CompilerMissing, match="not-there"):
        compile_module(module(), SIGNATURES)


def test_what_else_a_build_needs_is_named(monkeypatch, tmp_path):
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("FC", str(tool))
    monkeypatch.setenv("CC", "not-there")
    with pytest.raises(CompilerMissing, match="install gcc"):
        toolchain.require_compiler()
    monkeypatch.setenv("CC", str(tool))
    monkeypatch.setattr(toolchain.sysconfig, "get_path", lambda _: str(tmp_path))
    with pytest.raises(CompilerMissing, match="install python3-dev"):
        toolchain.require_compiler()


@needs_compiler
def test_a_cache_that_cannot_be_written_is_one_line(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("FLEXGEN_CACHE", str(tmp_path / "file" / "below"))
    with pytest.raises(BuildError, match="FLEXGEN_CACHE") as caught:
        compile_module(module(), SIGNATURES)
    assert "\n" not in str(caught.value)


def test_children_have_limits_of_time_and_memory(monkeypatch, tmp_path):
    log = tmp_path / "log"
    monkeypatch.setattr(toolchain, "MEMORY_LIMIT", 2**30)
    greedy = [sys.executable, "-c", "b = bytearray(2**31)"]
    with pytest.raises(BuildError, match="MemoryError"):
        toolchain.run(greedy, tmp_path, log, "the greedy tool")
    monkeypatch.setattr(toolchain, "TIME_LIMIT", 0.2)
    with pytest.raises(BuildError, match=r"slow tool took more than 0\.2 s"):
        toolchain.run(["/bin/sh", "-c", "sleep 60; true"], tmp_path, log, "the slow tool")


def test_flags_of_the_environment_do_not_come_in(monkeypatch, tmp_path):
    monkeypatch.setenv("FFLAGS", "-ffast-math")
    log = tmp_path / "log"
    toolchain.run(["/bin/sh", "-c", 'echo "[$FFLAGS]"'], tmp_path, log, "echo")
    assert log.read_text().splitlines()[-1] == "[]"


# the cache


@needs_compiler
def test_what_was_built_is_found_again(library, shared_cache, monkeypatch):
    monkeypatch.setenv("FLEXGEN_CACHE", str(shared_cache))

    def no_tool(*_):
        raise AssertionError("a tool was run")

    monkeypatch.setattr(toolchain, "run", no_tool)
    again = compile_module(module(), SIGNATURES)
    assert again.folder == library.folder
    assert (again.folder / "dynamics.f90").read_text() == module()
    for other in ({"flags": ("-O0", *FLAGS[1:])}, {"signatures": SIGNATURES[:3]}):
        with pytest.raises(AssertionError, match="a tool was run"):
            compile_module(module(), **{"signatures": SIGNATURES, **other})


CHILD = """
import os, sys
sys.path.insert(0, sys.argv[1])
from two_link_arm import SIGNATURES, SINGULAR, module, result, states
from flexgen.build import compile_module
sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)
for arm in sys.argv[2:]:
    library = compile_module(SINGULAR if arm == "singular" else module(arm), SIGNATURES)
    print(library.folder)
    print(result(library, "inertia", states(1, 2)[0])[0, 1, 1])
"""


def child(*arms: object) -> subprocess.Popen[str]:
    """A process that builds arms, given by their second mass, and tells folder and H(2,2)."""
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", CHILD, str(Path(__file__).parent), *map(str, arms)]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


@needs_compiler
def test_two_processes_build_one_arm_once(own_cache):
    children = [child(0.5) for _ in range(2)]
    said = [c.communicate(timeout=300)[0].splitlines() for c in children]
    assert [c.returncode for c in children] == [0, 0]
    assert said[0] == said[1] and said[0][1] == "0.5"
    published = [p.name for p in own_cache.iterdir() if p.name != cache.LOCKS]
    assert published == [Path(said[0][0]).name]


@needs_compiler
def test_two_arms_live_in_one_process_even_with_global_symbols(shared_cache, monkeypatch):
    monkeypatch.setenv("FLEXGEN_CACHE", str(shared_cache))
    both = child(M2, "singular")
    lines = both.communicate(timeout=300)[0].splitlines()
    assert [float(lines[1]), float(lines[3])] == [M2, 1.0]


@needs_compiler
def test_a_folder_that_lost_its_extension_is_built_anew(library, own_cache):
    folder = own_cache / library.folder.name
    shutil.copytree(library.folder, folder, ignore=shutil.ignore_patterns("*.so"))
    lines = child(M2).communicate(timeout=300)[0].splitlines()
    assert lines == [str(folder), str(M2)]
    assert [p.name for p in folder.glob("*.so")] == [p.name for p in library.folder.glob("*.so")]
