"""The classic generator against Newton-Euler on numbers, and its Fortran text."""

import ctypes
import itertools
import os
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from legacy_arms import (
    ARMS,
    CASE,
    GENERIC,
    PLANAR,
    PUMA,
    ROOT,
    STANFORD,
    assert_equal,
    first,
    reference,
    state,
)

from flexgen.legacy import PROGRAMS, Source, clear, counts, evaluate, fortran, generate


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_equals_newton_euler_raw_and_after_each_pass(program, name):
    arm = ARMS[name]
    methods = (2, 3) if program in ("HMAT", "HBMAT") else (2,)
    payload = program in ("NEDYN", "BVECT", "HBMAT", "KTERM")
    for method, seed in itertools.product(methods, (1, 2)):
        at = state(arm, seed)
        expected = reference(arm, program, payload, at)
        made = generate(arm, program, payload, method)
        assert_equal(made, at, expected)
        for label in "UTCDF":
            made, _ = clear(made, label)
            assert_equal(made, at, expected)


def test_without_payload_the_load_has_no_effect():
    for arm in (STANFORD, GENERIC):
        at = state(arm)
        made, _ = clear(generate(arm))
        assert_equal(made, at, reference(arm, "NEDYN", False, at))


@pytest.mark.parametrize("order", ["".join(p) for p in itertools.permutations("UTCDF")])
def test_passes_keep_the_values_in_any_order(order):
    arm = first(STANFORD, 3)
    at = state(arm)
    raw = generate(arm, "NEDYN", True)
    made, report = clear(raw, order)
    assert_equal(made, at, reference(arm, "NEDYN", True, at))
    assert list(report.totals) == sorted(report.totals, reverse=True)


@pytest.mark.parametrize("name", ARMS)
def test_passes_may_be_run_again(name):
    arm = ARMS[name]
    at = state(arm)
    made, report = clear(generate(arm, "NEDYN", True), "UTCDFUTCDFFDCTU")
    assert_equal(made, at, reference(arm, "NEDYN", True, at))
    assert list(report.totals) == sorted(report.totals, reverse=True)


def test_the_four_terms_add_up_to_the_inverse_dynamics():
    at = state(STANFORD)
    terms = ("GTERM", "HTERM", "CTERM", "KTERM")
    parts = [list(evaluate(clear(generate(STANFORD, t))[0], at).values()) for t in terms]
    assert_equal(clear(generate(STANFORD, "NEDYN", True))[0], at, np.sum(parts, axis=0))


@pytest.mark.parametrize(
    ("arm", "program", "names"),
    [(PUMA, "NEDYN", {"C23", "S23"}), (PLANAR, "GTERM", {"C1M2", "S1M2"})],
)
def test_joints_with_parallel_axes_give_sums_and_differences_of_angles(arm, program, names):
    made, _ = clear(generate(arm, program))
    sums = {d.name for d in made.declarations if isinstance(d, Source) and len(d.terms) > 1}
    assert sums == names
    assert counts(made).declared == len(names)


# the text


def test_the_text_is_fixed_form():
    made = clear(generate(GENERIC, "HBMAT", True, 3))[0]
    lines = fortran(made).splitlines()
    assert lines[0] == "      SUBROUTINE HBMAT(TH,THD,LD,H,RES)"
    run = 0
    for line in lines:
        assert len(line) <= 72
        if line.startswith("C"):
            continue
        run = run + 1 if line[5] != " " else 0
        assert run <= 19
        assert line[:5].strip() == ""


def test_the_header_is_that_of_the_listing():
    program, _ = clear(generate(STANFORD))
    lines = [line.strip() for line in fortran(program, single=True).splitlines()]
    assert lines[:3] == [
        "SUBROUTINE NEDYN(TH,THD,THDD,LD,RES)",
        "IMPLICIT REAL*4(A-Z)",
        "REAL*4 TH(6),THD(6),THDD(6),LD(6),RES(6)",
    ]
    assert lines[lines.index("C  x001 = j32 - j22") + 1] == "x001 = 0.026343108"


@pytest.mark.parametrize("name", ARMS)
def test_no_two_names_differ_by_case_only(name):
    for program in PROGRAMS:
        made, _ = clear(generate(ARMS[name], program, method=3))
        names = [d.name for d in made.declarations] + [s.target for s in made.statements]
        assert len({n.upper() for n in names}) == len(names)


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="no Fortran compiler")
def test_compiled_text_equals_the_interpreter(tmp_path):
    made = {
        f"{stage}{i}": program
        for i, arm in enumerate((STANFORD, GENERIC))
        for raw in [generate(arm, "NEDYN", True)]
        for stage, program in (("RAW", raw), ("FIT", clear(raw)[0]))
    }
    source = "".join(fortran(replace(p, name=name)) for name, p in made.items())
    (tmp_path / "all.f").write_text(source)
    library = tmp_path / "all.so"
    flags = ["-std=legacy", "-ffixed-line-length-72", "-O1", "-shared", "-fPIC"]
    subprocess.run(["gfortran", *flags, "-o", library, tmp_path / "all.f"], check=True)
    loaded = ctypes.CDLL(str(library))
    for name, program in made.items():
        n = len(program.outputs)
        at = state(STANFORD if n == 6 else GENERIC)
        found = np.zeros(n)
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (*at.values(), found)]
        getattr(loaded, name.lower() + "_")(*pointers)
        np.testing.assert_allclose(found, list(evaluate(program, at).values()), rtol=1e-11)


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="no Fortran compiler")
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_compiles_in_single_precision(program, tmp_path):
    made, _ = clear(generate(GENERIC, program, method=3))
    (tmp_path / "one.f").write_text(fortran(made, single=True))
    flags = ["-std=legacy", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused-dummy-argument"]
    subprocess.run(["gfortran", *flags, tmp_path / "one.f"], check=True)


def test_the_text_does_not_depend_on_the_hash_seed():
    code = (
        "from flexgen.legacy import *\nfrom flexgen.manipulator.case import load\n"
        f"print(fortran(clear(generate(load({str(CASE)!r}), 'HBMAT', True))[0]))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(texts) == 1
