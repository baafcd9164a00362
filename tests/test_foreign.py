"""`flexgen clear`: fewer operations, the same values, and a proof; anything else is refused."""

import json

import pytest
import sympy
from foreign_texts import double_pendulum, flexible_two_link
from sympy.utilities.codegen import codegen
from test_reader import FIXED, FREE

from flexgen.cli import main
from flexgen.foreign import clear_source, difference
from flexgen.reader import read_source

TRIG = """\
      SUBROUTINE HAND(TH,THD,RES)
      IMPLICIT REAL*8(A-Z)
      REAL*8 TH(3),THD(3),RES(2)
      PARAMETER (G=9.81D0)
      C1 = DCOS(TH(1))
      S1 = DSIN(TH(1))
      C2 = DCOS(TH(2))
      S2 = DSIN(TH(2))
      X = C1*C2*THD(1)*THD(2) - S1*S2*THD(1)*THD(2)
      Y = C1*C1*G*THD(3) + S1*S1*G*THD(3)
      W = X*Y*THD(1)
      RES(1) = X*THD(1)*THD(2) + X*THD(3)*THD(2) + Y
      RES(2) = C1**2*X*G*2.0D0*Y + G*2.0D0*THD(1)*THD(3)*Y
      END
"""
TEXTS = {
    "fixed": (FIXED, True),
    "free": (FREE, False),
    "trig": (TRIG, True),
    "double pendulum": (double_pendulum(), False),
}


@pytest.mark.parametrize("passes", ["none", "classic", "full"])
@pytest.mark.parametrize("name", TEXTS)
def test_the_new_text_agrees_and_costs_no_more(name, passes):
    text, fixed = TEXTS[name]
    done = clear_source(read_source(text, fixed), passes)
    assert done.worst <= 1e-12
    for routine in done.routines:
        totals = [row.counts.total for row in routine.report.rows]
        assert totals == sorted(totals, reverse=True)


def test_the_classic_passes_do_what_they_are_for():
    done = clear_source(read_source(TRIG, True), "classic")
    rows = {row.label: row.counts for row in done.routines[0].report.rows}
    assert list(rows) == ["S", "U", "T", "C", "D", "F"]
    assert (rows["S"].mul, rows["S"].add) == (27, 5)
    assert rows["U"].total < rows["S"].total  # W is not used
    assert rows["T"].total < rows["U"].total  # cos(a + b), sin2 + cos2
    assert rows["T"].trig == 2
    assert rows["F"].total < rows["T"].total


def test_what_sympy_writes_for_a_double_pendulum_becomes_cheaper():
    text, fixed = TEXTS["double pendulum"]
    done = clear_source(read_source(text, fixed), "full")
    first, last = (done.routines[0].report.rows[k].counts.total for k in (0, -1))
    assert last < 0.6 * first


@pytest.mark.slow
def test_what_sympy_writes_for_a_flexible_arm_becomes_cheaper():
    done = clear_source(read_source(flexible_two_link(), False), "full")
    first, last = (done.routines[0].report.rows[k].counts.total for k in (0, -1))
    assert done.worst <= 1e-12
    assert last < 0.2 * first


def test_a_wrong_text_is_noticed():
    right = read_source(TRIG, True).subroutines[0]
    wrong = read_source(TRIG.replace("C1**2*X*G", "C1**2*X*C2*G"), True).subroutines[0]
    assert difference(right, right) == 0.0
    assert difference(right, wrong) > 1e-3
    fewer = read_source(TRIG.replace("RES(2) =", "Q ="), True).subroutines[0]
    assert difference(right, fewer) == float("inf")


def test_the_text_is_the_same_every_time():
    texts = {clear_source(read_source(TRIG, True), "full").text for _ in range(2)}
    assert len(texts) == 1


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    return (end.value.code, *capsys.readouterr())


def test_the_command_writes_the_file_and_reports(capsys, tmp_path):
    source, target = tmp_path / "hand.f", tmp_path / "out.f"
    source.write_text(TRIG)
    status, out, err = run(capsys, "clear", str(source), "-o", str(target), "-p", "classic")
    assert (status, out) == (0, "")
    assert "HAND" in err
    assert "cleared by flexgen" in target.read_text()
    status, out, _ = run(capsys, "clear", str(source), "--json", "--only", "UF", "-p", "classic")
    rows = json.loads(out)["routines"]["HAND"]
    assert status == 0
    assert [r["pass"] for r in rows] == ["S", "U", "F"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "      SUBROUTINE S(X)\n      DO 1 I=1,2\n1     X=1.0\n      END\n",
            "line 2: cannot treat",
        ),
        ("hello\n", "not Fortran"),
        (b"\xff\xfe", "not UTF-8"),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_treated_leaves_no_file(capsys, tmp_path, text, reason):
    source, target = tmp_path / "bad.f", tmp_path / "out.f"
    if text is not None:
        source.write_bytes(text if isinstance(text, bytes) else text.encode())
    status, out, err = run(capsys, "clear", str(source), "-o", str(target))
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {source}: ")
    assert reason in err
    assert len(err.splitlines()) == 1
    assert not target.exists()


def test_unknown_passes_are_refused(capsys, tmp_path):
    source = tmp_path / "hand.f"
    source.write_text(TRIG)
    assert run(capsys, "clear", str(source), "--only", "UX", "-p", "classic")[0] == 2
    assert run(capsys, "clear", str(source), "--only", "U", "-p", "full")[0] == 2


def test_sympy_matrices_survive():
    a, b = sympy.symbols("a b")
    out = sympy.MatrixSymbol("out", 2, 2)
    matrix = sympy.Matrix([[a * b, a**2], [a * b + a**2, sympy.sin(a)]])
    [(_, text), _] = codegen(("f", [sympy.Eq(out, matrix)]), "f95", header=False)
    assert clear_source(read_source(text, False), "full").worst <= 1e-15
