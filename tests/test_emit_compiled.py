"""Generated Fortran and C compiled with all warnings, and compared with the graph."""

import ctypes
import math
import re
import shutil
import subprocess

import numpy as np
import pytest
from sample_programs import arm_programs, awkward_programs, random_program, sample_arm

from flexgen.emit import SUFFIXES, c_text, emit, f77_text, module_text
from flexgen.emit.legacy import LEGACY
from flexgen.graph.evaluate import node_values
from flexgen.graph.node import FUNCTIONS, symbol
from flexgen.graph.program import Program

pytestmark = pytest.mark.skipif(
    not (shutil.which("gfortran") and shutil.which("gcc")), reason="no compiler"
)

# no contraction to fused operations, which some machines do by default
COMMON = ["-O2", "-ffp-contract=off", "-shared", "-fPIC"]
FLAGS = {
    "f90": "gfortran -std=f2018 -Wall -Wextra -Werror -Wno-unused-dummy-argument -fcheck=all",
    "f77": "gfortran -std=legacy -Wall -Werror=line-truncation",
    "c": "gcc -std=c99 -pedantic -Wall -Wextra -Werror -Wno-unused-parameter",
}
LIBM = {name: math.fabs if name == "abs" else getattr(math, name) for name in FUNCTIONS}


def compiled(text, dialect, folder):
    source = folder / f"text{SUFFIXES[dialect]}"
    source.write_text(text)
    library = folder / f"text_{dialect}.so"
    command = [*FLAGS[dialect].split(), *COMMON, str(source), "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return ctypes.CDLL(str(library))


def called(function, arguments, outputs, order, dtype=np.float64):
    """Outputs of a compiled routine; `order` is C or F, as the language stores matrices."""
    given = [np.ascontiguousarray(x, dtype=dtype) for x in arguments]
    results = [np.full(shape, np.nan, dtype=dtype, order=order) for shape in outputs]
    function(*(ctypes.c_void_p(x.ctypes.data) for x in (*given, *results)))
    return results


def reference(program, arguments):
    """The graph with the functions of the C library, which compiled code calls as well."""
    inputs = {g.name: x.tolist() for g, x in zip(program.inputs, arguments, strict=True)}
    values = node_values(program, inputs, functions=LIBM)
    return [
        np.array([values[e] for e in out.entries]).reshape(out.shape) for out in program.outputs
    ]


def symbol_of(program, dialect):
    if dialect == "f90":
        return f"__dynamics_MOD_{program.name}"
    if dialect == "f77":
        return f"{program.name}_"
    return program.name


def samples():
    named = [*awkward_programs().values(), *(random_program(s, f"r{s}") for s in range(30))]
    for prefix, arm in (("a", sample_arm(6, slides=(2,))), ("b", sample_arm(4, offset=0.3))):
        for k, program in enumerate(arm_programs(arm).values()):
            named.append(Program(f"{prefix}{k}", program.inputs, program.outputs))
    # six letters are left of a name in FORTRAN 77; the wrench changes sign there
    return [Program(p.name[:6], p.inputs, p.outputs) for p in named]


def check(library, programs, dialect):
    rng = np.random.default_rng(8)
    for program in programs:
        function = library[symbol_of(program, dialect)]
        for _ in range(3):
            arguments = [rng.uniform(0.2, 0.9, g.size) for g in program.inputs]
            wanted = reference(program, arguments)
            if dialect == "f77":
                signs = [-1.0 if g.name == "wrench" else 1.0 for g in program.inputs]
                arguments = [s * x for s, x in zip(signs, arguments, strict=True)]
            shapes = [out.shape for out in program.outputs]
            found = called(function, arguments, shapes, "C" if dialect == "c" else "F")
            for got, value in zip(found, wanted, strict=True):
                assert np.all(np.isfinite(value)), program.name
                np.testing.assert_array_equal(got, value, err_msg=program.name)


@pytest.mark.parametrize("dialect", ["f90", "f77", "c"])
def test_compiled_text_equals_the_graph_to_the_last_bit(dialect, tmp_path):
    programs = samples()
    library = compiled(emit(programs, dialect, ["header ??/", "line\\"]), dialect, tmp_path)
    check(library, programs, dialect)


@pytest.mark.parametrize("dialect", ["f90", "c"])
def test_parts_equal_the_whole(dialect, tmp_path):
    programs = samples()[::4]
    write = {"f90": module_text, "c": c_text}[dialect]
    text = write(programs, longest=10, part=9)
    assert text.count("_part9(") > 3
    check(compiled(text, dialect, tmp_path), programs, dialect)


def legacy_call(library, program, arm, name, dtype=np.float64, **values):
    sizes = {"wrench": 6}
    arguments = [values.get(k, np.zeros(sizes.get(k, arm.n))) for k in LEGACY[program.name].inputs]
    shapes = [out.shape for out in program.outputs]
    return called(library[f"{name}_"], arguments, shapes, "F", dtype)


def test_legacy_routines_have_the_signatures_and_signs_of_the_original(tmp_path):
    arm = sample_arm(5, slides=(3,))
    programs = arm_programs(arm)
    text = f77_text([*programs.values()])
    heads = re.findall(r"SUBROUTINE (.*)", text)
    assert heads == [
        "NEDYN(TH,THD,THDD,LD,RES)",
        "BVECT(TH,THD,LD,RES)",
        "HMAT(TH,H)",
        "HBMAT(TH,THD,LD,H,B)",
        "GTERM(TH,RES)",
        "HTERM(TH,THDD,RES)",
        "CTERM(TH,THD,RES)",
        "KTERM(TH,LD,RES)",
        "JACOB(TH,JAC)",
    ]
    library = compiled(text, "f77", tmp_path)
    rng = np.random.default_rng(2)
    q, qd, qdd, load = (rng.normal(size=k) for k in (5, 5, 5, 6))
    state = {"q": q, "qd": qd, "qdd": qdd, "wrench": load}

    def legacy(routine):
        return legacy_call(library, programs[routine], arm, LEGACY[routine].name.lower(), **state)

    # H qdd + C + G + J^T k = tau: the load is what the arm exerts
    (total,), (h, b) = legacy("inverse"), legacy("direct")
    terms = [legacy(name)[0] for name in ("inertial", "coriolis", "gravity", "external")]
    np.testing.assert_allclose(sum(terms), total, rtol=0, atol=1e-12 * np.abs(total).max())
    np.testing.assert_allclose(h @ qdd + b, total, rtol=0, atol=1e-12 * np.abs(total).max())
    np.testing.assert_allclose(legacy("jacobian")[0].T @ load, terms[3], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(legacy("bias")[0], b)
    np.testing.assert_allclose(h, h.T, rtol=0, atol=1e-12)
    assert np.abs(terms[3]).max() > 0.1


def test_legacy_text_without_a_wrench_keeps_the_load_argument():
    program = arm_programs(sample_arm(2))["inverse"]
    bare = Program("inverse", program.inputs[:3], (program.outputs[0],))
    unloaded = bare.with_roots(tuple(e for e in bare.inputs[2].entries))
    text = f77_text([unloaded])
    assert "SUBROUTINE NEDYN(TH,THD,THDD,LD,RES)" in text
    assert "TH(2),THD(2),THDD(2),LD(6),RES(2)" in text


def test_flexible_arms_have_the_names_of_the_original():
    programs = arm_programs(sample_arm(2))
    text = f77_text([programs[n] for n in ("inverse", "inertia", "bias", "direct")], flexible=True)
    assert re.findall(r"SUBROUTINE (\w+)", text) == ["FLEX", "FLEXH", "FLEXB", "FLEXHB"]


def test_single_precision_agrees_to_its_digits(tmp_path):
    arm = sample_arm(3)
    programs = arm_programs(arm)
    text = f77_text([programs["inverse"]], single=True)
    assert "IMPLICIT REAL*4 (A-Z)" in text and "D0" not in text
    library = compiled(text, "f77", tmp_path)
    q, qd, qdd, load = np.random.default_rng(3).uniform(0.2, 1.0, (4, 6))
    state = {"q": q[:3], "qd": qd[:3], "qdd": qdd[:3], "wrench": load}
    (found,) = legacy_call(library, programs["inverse"], arm, "nedyn", np.float32, **state)
    (wanted,) = reference(programs["inverse"], [q[:3], qd[:3], qdd[:3], -load])
    np.testing.assert_allclose(found, wanted, rtol=0, atol=3e-6 * np.abs(wanted).max())
    with pytest.raises(ValueError, match="single precision"):
        f77_text([random_program(0).with_roots((symbol("q", 0) * 1e60,) * 7)], (), True)


def test_legacy_text_is_fortran_77(tmp_path):
    text = f77_text(samples(), ["a header"])
    source = tmp_path / "text.f"
    source.write_text(text)
    strict = "gfortran -std=f95 -pedantic -Wall -Werror -Wno-unused-dummy-argument -fsyntax-only"
    done = subprocess.run([*strict.split(), str(source)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = text.splitlines()
    assert max(map(len, lines)) <= 72
    continued = 0
    for line in lines:
        continued = continued + 1 if re.match(r"     \$", line) else 0
        assert line[:6] in ("C     ", "      ", "     $")
        assert continued <= 19
        names = re.findall(
            r"[A-Za-z_]\w*", "" if line[0] == "C" else re.sub(r"\d[\d.]*D", "", line)
        )
        assert all(len(n) <= 6 or n in ("SUBROUTINE", "IMPLICIT", "PRECISION") for n in names)
