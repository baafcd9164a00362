"""Foreign straight-line Fortran: read, written back, compiled, compared; the rest refused."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
import sympy
from sympy.utilities.codegen import codegen

from flexgen.graph.evaluate import evaluate
from flexgen.reader import ReadError, read_source, rewritten

FORTRAN = pytest.mark.skipif(shutil.which("gfortran") is None, reason="no gfortran")

FIXED = """\
C     a hand-written routine
      SUBROUTINE HAND(TH,THD,RES,N2)
      IMPLICIT REAL*8(A-H,O-Z)
      REAL*8 TH(3),THD(3),RES(2),N2
      REAL*8 W(2,2)
      INTEGER K
      PARAMETER (G=9.81D0, K=2)
      C1 = DCOS(TH(1)+TH(K))
C     inside
      W(1,2) = -C1*2.0D0**2 + SIN(TH(2))*(THD(1)
     &  - 3.0)/G
      RES(1) = W(1,2)**2 - C1 + 1/2*THD(3)
      C1 = C1*THD(3)**(-1)
      RES(2) = C1 + SQRT(THD(2)**2 + 0.1)
      N2 = RES(1)*RES(2)
      RETURN
      END
"""

FREE = """\
module hand
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  ! scales in place
  pure subroutine scale_it(x, y)
    real(8), intent(inout) :: x(2)
    real(8), intent(in) :: y
    real(8) :: t, u(0:1)
    t = x(1) + x(2); u(0) = t*y
    x(1) = u(0)*exp(-abs(y)) &
         + t
    x(2) = x(1) - x(2)   ! the new x(1)
  end subroutine scale_it
end module hand
"""


def hand(th, thd):
    c1 = np.cos(th[0] + th[1])
    w = -c1 * 4 + np.sin(th[1]) * (thd[0] - 3.0) / 9.81
    one = w**2 - c1
    two = c1 / thd[2] + np.sqrt(thd[1] ** 2 + float(np.float32(0.1)))
    return one, two, one * two


def values(source, which, *arguments):
    program = source.subroutines[which].program
    return dict(
        zip(source.subroutines[which].targets, evaluate(program, *arguments)[0], strict=True)
    )


def test_fixed_form_means_what_fortran_means():
    source = read_source(FIXED, fixed=True)
    th, thd = np.array([0.3, -1.2, 0.5]), np.array([0.7, 1.9, -2.2])
    found = values(source, 0, th, thd)
    one, two, product = hand(th, thd)
    np.testing.assert_allclose(found[("res", (1,))], one, rtol=1e-14)
    np.testing.assert_allclose(found[("res", (2,))], two, rtol=1e-14)
    np.testing.assert_allclose(found[("n2", None)], product, rtol=1e-14)


def test_the_operations_of_the_text_are_counted_as_they_stand():
    # mul: C1*, */, **2, 1/2* (1/2 is between literals), C1**(-1)* , **2, last product
    source = read_source(FIXED, fixed=True)
    assert source.subroutines[0].counted == (9, 7)


def test_free_form_with_an_argument_that_is_read_and_written():
    source = read_source(FREE, fixed=False)
    x, y = np.array([1.5, -0.4]), np.array([0.8])
    t = x[0] + x[1]
    first = t * y[0] * np.exp(-abs(y[0])) + t
    found = values(source, 0, x, y)
    np.testing.assert_allclose(found[("x", (1,))], first, rtol=1e-15)
    np.testing.assert_allclose(found[("x", (2,))], first - x[1], rtol=1e-15)


@pytest.mark.parametrize(("text", "fixed"), [(FIXED, True), (FREE, False)])
def test_the_written_text_reads_back_as_the_same_program(text, fixed):
    source = read_source(text, fixed)
    written = rewritten(source, [s.program for s in source.subroutines])
    again = read_source(written, fixed)
    for before, after in zip(source.subroutines, again.subroutines, strict=True):
        assert dict(zip(before.targets, before.program.roots, strict=True)) == dict(
            zip(after.targets, after.program.roots, strict=True)
        )
    assert "hand-written" in written or "scales in place" in written


@FORTRAN
def test_compiled_before_and_after_agree(tmp_path):
    source = read_source(FIXED, fixed=True)
    new = rewritten(source, [s.program for s in source.subroutines])
    rng = np.random.default_rng(5)
    inputs = [rng.normal(size=(2, 3)) for _ in range(20)]
    found = []
    for name, text in (("old", FIXED), ("new", new)):
        (tmp_path / f"{name}.f").write_text(text)
        library = tmp_path / f"{name}.so"
        command = ["gfortran", "-std=legacy", "-Wall", "-Werror=line-truncation", "-shared"]
        subprocess.run(
            [*command, "-fPIC", "-o", str(library), str(tmp_path / f"{name}.f")], check=True
        )
        routine = ctypes.CDLL(str(library)).hand_
        rows = []
        for th, thd in inputs:
            res, n2 = np.empty(2), np.empty(1)
            routine(*(a.ctypes.data_as(ctypes.c_void_p) for a in (th, thd, res, n2)))
            rows.append([*res, *n2])
        found.append(rows)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-13)


def test_what_sympy_writes_can_be_read():
    x, y = sympy.symbols("x y")
    matrix = sympy.Matrix([sympy.sin(x) ** 2 * y / 3 + sympy.sqrt(y), x * y**-3])
    out = sympy.MatrixSymbol("out", 2, 1)
    [(_, text), _] = codegen(("f", [sympy.Eq(out, matrix)]), "f95", header=False)
    source = read_source(text, fixed=False)
    found = values(source, 0, [0.4], [1.7])
    expected = matrix.subs({x: 0.4, y: 1.7})
    np.testing.assert_allclose(list(found.values()), [float(e) for e in expected], rtol=1e-14)


def body(*statements, declarations=()):
    lines = ["subroutine s(x, y)", "real(8) :: x(2), y(2)", *declarations, *statements, "end"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("statements", "line", "reason"),
    [
        (["do i = 1, 2", "y(i) = x(i)", "end do"], 3, "a loop"),
        (["if (x(1) > 0) y(1) = 2"], 3, "an if"),
        (["if (x(1) > 0) then", "y(1) = 2", "end if"], 3, "an if"),
        (["y(1) = x(2)", "call foo(x)"], 4, "a call"),
        (["goto 10", "10 y(1) = x(1)"], 3, "a goto"),
        (["y = x"], 3, "whole array"),
        (["y(1) = x(3)"], 3, "outside 1..2"),
        (["y(3) = x(1)"], 3, "outside 1..2"),
        (["y(1) = x(1,1)"], 3, "1 subscripts, not 2"),
        (["y(1) = z"], 3, "z is used before it has a value"),
        (["y(1) = foo(x(1))"], 3, "function foo"),
        (["y(1) = x(1)/0"], 3, "division by zero"),
        (["y(1) = x(1)**x(2)"], 3, "power"),
        (["y(1) = min(x(1), x(2))"], 3, "function min"),
        (["y(int(x(1))) = 2.0"], 3, "subscript|function"),
        (["z = x(1)"], 3, "assigns none of its arguments"),
        (["return", "y(1) = x(1)"], 3, "a return before the end"),
        (["print *, x", "y(1) = 2.0"], 3, "output"),
    ],
)
def test_what_cannot_be_treated_is_refused_with_its_line(statements, line, reason):
    with pytest.raises(ReadError, match=reason) as error:
        read_source(body(*statements), fixed=False)
    assert error.value.line == line
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("declaration", "reason"),
    [
        ("common /c/ z", "common"),
        ("real(8), save :: z", "save"),
        ("real(8) :: z = 1.0d0", "save"),
        ("real(8) :: z(n)", "constant"),
    ],
)
def test_declarations_that_change_the_meaning_are_refused(declaration, reason):
    with pytest.raises(ReadError, match=reason):
        read_source(body("y(1) = x(1)", declarations=[declaration]), fixed=False)


@pytest.mark.parametrize(
    "text", ["", "hello world\n", "program p\nend\n", "subroutine s(x)\nend\n"]
)
def test_text_without_a_routine_is_refused(text):
    with pytest.raises(ReadError):
        read_source(text, fixed=False)
