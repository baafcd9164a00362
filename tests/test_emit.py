"""Names, order and spelling of generated text, and the operations that are in it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from count_text import count_text, count_value, statements
from sample_programs import arm_programs, awkward_programs, random_program, sample_arm

from flexgen.emit import DIALECTS, SUFFIXES, emit, load_python, module_text, schedule
from flexgen.emit.c import c_text
from flexgen.emit.routine import Element, Local, leaves
from flexgen.emit.split import split
from flexgen.graph.evaluate import evaluate
from flexgen.graph.node import call, const, symbol
from flexgen.graph.program import Input, Output, Program

ROOT = Path(__file__).parent.parent

a, b, c, d = (symbol("p", k) for k in range(4))
q1, q2, q3 = (symbol("q", k) for k in range(3))


def program(*entries, name="sample", shape=None):
    inputs = (Input("p", 4), Input("q", 3))
    return Program(name, inputs, (Output("y", shape or (len(entries),), entries),))


def body(*entries, dialect="f90", **options):
    """The assignments of a program as text."""
    text = emit([program(*entries)], dialect, **options)
    return [line for line in statements(text, dialect) if re.match(r"[\w(), ]+ = ", line)]


def samples():
    found = [*awkward_programs().values()]
    found += [random_program(seed, f"random{seed}") for seed in range(40)]
    found += [random_program(99, "large", size=600)]
    found += arm_programs(sample_arm(6, slides=(2,))).values()
    renamed = arm_programs(sample_arm(3, offset=0.3))["inverse"]
    return [*found, Program("offset", renamed.inputs, renamed.outputs)]


def test_text_counter_counts_by_hand():
    assert count_value("-a*b - 2.0_real64*c") == (2, 1, 0)
    assert count_value("SIN(TH(2) + TH(3))/(x*y)") == (2, 1, 1)
    assert count_value("2.0D0*3.0D-1 + 1.5E0") == (0, 0, 0)
    assert count_value("np.cos(q[1])*-t1 + p[3 - 1]*1e-3") == (2, 1, 1)
    text = "def f(q):\n    t1 = (\n        q[0]*q[1]\n        + q[2]\n    )\n    return t1\n"
    assert count_text(text, "python") == {"f": (1, 1, 0)}
    fixed = "C     a*b = c*d\n      SUBROUTINE F(A)\n      A = B\n     $  *C\n      END\n"
    assert count_text(fixed, "f77") == {"f": (1, 0, 0)}
    assert count_text("void f(double *y)\n{\n    y[0] = y[1]\n      *y[2]; // a + b\n}", "c") == {
        "f": (1, 0, 0)
    }


@pytest.mark.parametrize("dialect", DIALECTS)
def test_text_has_exactly_the_counted_operations(dialect):
    programs = samples()
    found = count_text(emit(programs, dialect), dialect)
    expected = [(p.count().mul, p.count().add, p.count().trig) for p in programs]
    assert list(found.values()) == expected


@pytest.mark.parametrize("dialect", DIALECTS)
def test_header_of_a_routine_states_its_counts(dialect):
    found = arm_programs(sample_arm(3))["inverse"]
    text = emit([found], dialect)
    mul, add, trig = next(iter(count_text(text, dialect).values()))
    assert f": {mul} mul, {add} add, {trig} trig\n" in text


def test_statement_is_a_sum_of_two_products_of_six_factors():
    for each in samples():
        for assignment in schedule(each).assignments:
            shape = str(assignment.value)
            assert len(list(leaves(assignment.value))) <= 12
            if assignment.value.__class__.__name__ != "Call":
                assert shape.count("operator='+'") + shape.count("operator='-'") <= 1


def test_every_variable_is_assigned_once_before_use():
    for each in samples():
        routine = schedule(each)
        known, outputs = set(), {array.name for array in routine.outputs}
        for assignment in routine.assignments:
            for leaf in leaves(assignment.value):
                stored = isinstance(leaf, Local) or getattr(leaf, "array", "") in outputs
                assert not stored or leaf in known
            assert assignment.target not in known
            known.add(assignment.target)
        expected = sum(len(out.entries) for out in each.outputs)
        assert sum(isinstance(target, Element) for target in known) == expected


def test_sums_have_names_and_single_products_do_not():
    assert body((a + b) * c + d) == ["t1 = p(1) + p(2)", "y(1) = p(3)*t1 + p(4)"]
    assert body(a * b + c * d) == ["y(1) = p(1)*p(2) + p(3)*p(4)"]
    assert body(a * b + c, a * b + d) == [
        "t1 = p(1)*p(2)",
        "y(1) = p(3) + t1",
        "y(2) = p(4) + t1",
    ]


def test_signs_are_written_in_place():
    assert body(-(a + b), b - a, -(a * b), -(a * b) - c * d, const(-2.0)) == [
        "y(1) = -p(1) - p(2)",
        "y(2) = p(2) - p(1)",
        "t1 = p(1)*p(2)",
        "y(3) = -t1",
        "y(4) = -p(3)*p(4) - t1",
        "y(5) = -2.0_real64",
    ]
    for each in samples():
        for dialect in DIALECTS:
            assert not re.search(r"[-+*/] *-", re.sub(r"//.*", "", emit([each], dialect)))


def test_tree_of_products_and_quotients_is_kept():
    assert body(a / (b * c)) == ["y(1) = p(1)/(p(2)*p(3))"]
    assert body(a / b / c) == ["y(1) = p(1)/p(2)/p(3)"]
    assert body(a * b / (c / d)) == ["y(1) = p(1)*p(2)/(p(3)/p(4))"]
    assert body((a * b) * (c * d)) == ["y(1) = p(1)*p(2)*(p(3)*p(4))"]
    assert body(a * (b * c)) == ["y(1) = p(2)*p(3)*p(1)"]
    assert body(0.5 * (a * b)) == ["y(1) = p(1)*p(2)*0.5_real64"]
    assert body(b * 0.5 * a) == ["y(1) = 0.5_real64*p(2)*p(1)"]


def test_long_products_are_cut():
    chain = a
    for k in range(20):
        chain = chain * (b, c, d)[k % 3]
    routine = schedule(program(chain))
    assert [len(list(leaves(x.value))) for x in routine.assignments] == [6, 6, 6, 6]


def test_sines_and_cosines_are_named_after_their_joints():
    found = body(call("cos", q2 + q3) * call("sin", q1), call("sin", q2 + q3), call("cos", q1 - q2))
    assert found == [
        "s1 = sin(q(1))",
        "c1m2 = cos(q(1) - q(2))",
        "a23 = q(2) + q(3)",
        "c23 = cos(a23)",
        "s23 = sin(a23)",
        "y(1) = s1*c23",
        "y(2) = s23",
        "y(3) = c1m2",
    ]
    assert body(call("cos", q1 + 0.5)) == ["t1 = cos(0.5_real64 + q(1))", "y(1) = t1"]


def test_sums_of_angles_inside_a_call_keep_their_parentheses():
    assert body(call("exp", 0.5 - (q1 + q2)))[0] == "t1 = exp(0.5_real64 - (q(1) + q(2)))"
    assert body(call("exp", -((q1 + q2) + 0.5)))[0] == "t1 = exp(-q(1) - q(2) - 0.5_real64)"


def test_two_sums_of_the_same_angles_get_two_names():
    found = body(call("cos", (q1 + q2) + q3), call("cos", q1 + (q2 + q3)))
    assert [line.split(" = ")[0] for line in found] == ["c123", "t1", "y(1)", "y(2)"]


def test_names_of_many_joints_cannot_be_confused():
    q = Input("q", 12)
    entries = (call("cos", q.entries[0] + q.entries[1]), call("cos", q.entries[11]))
    text = emit([Program("many", (q,), (Output("y", (2,), entries),))], "f90")
    assert "c12 = cos(q(12))" in text
    assert "c1_2 = cos(q(1) + q(2))" in text


def test_names_of_arguments_are_kept_free():
    inputs = (Input("q", 1), Input("t1", 1), Input("c1", 1))
    x, y, z = (group.entries[0] for group in inputs)
    entries = ((x + y) * z, call("cos", x))
    text = emit([Program("f", inputs, (Output("T2", (2,), entries),))], "f90")
    assert "    t3 = cos(q(1))\n" in text
    assert "    t4 = q(1) + t1(1)\n" in text


def test_symmetric_entries_are_copied():
    found = body(a * b, c + d, c + d, a - b, dialect="f90")
    assert found[2] == "y(3) = y(2)"
    matrix = awkward_programs()["matrix"]
    assert "m[3] = m[1];" in emit([matrix], "c")
    assert "m(2,1) = m(1,2)" in emit([matrix], "f90")
    assert "m[..., 1, 0] = m[..., 0, 1]" in emit([matrix], "python")


def test_output_called_as_its_routine_is_renamed():
    pose = Program("pose", (Input("q", 1),), (Output("pose", (1,), (q1 + 1.0,)),))
    text = emit([pose], "f90")
    assert "pure subroutine pose(q, pose_out)" in text


def test_literals_read_back_as_the_same_numbers():
    rng = np.random.default_rng(5)
    values = [*10.0 ** rng.uniform(-300, 300, 40), 1e16, 1e22, 5e-324, 0.1, 1 / 3, 1e-5, 123456.0]
    entries = [const(v) for v in values]
    wanted = Program("numbers", (), (Output("y", (len(entries),), tuple(entries)),))
    for dialect in DIALECTS:
        found = [
            float(re.sub(r"_real64|;", "", line.partition(" = ")[2]).replace("D", "e"))
            for line in statements(emit([wanted], dialect), dialect)
            if re.match(r"(y|Y)[\[(]", line)
        ]
        assert found == values


@pytest.mark.parametrize("dialect", DIALECTS)
def test_lines_stay_within_the_width(dialect):
    limit = 72 if dialect == "f77" else 100
    text = emit(samples(), dialect, ["word " * 60, "x" * 300])
    assert max(map(len, text.splitlines())) <= limit
    assert text.isascii() and text.endswith("\n") and "\t" not in text
    assert not re.search(r" +$", text, re.MULTILINE)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_header_cannot_leave_its_comment(dialect):
    evil = ["two\nlines = 1", "caf\u00e9 \x07", "ends in \\", "??/", "coding: none", "*/ x"]
    text = emit([program(a)], dialect, evil)
    first = text.splitlines()[: len(evil)]
    mark = {"f90": "! ", "f77": "C     ", "c": "// ", "python": "# "}[dialect]
    assert all(line.startswith(mark) for line in first)
    assert first[0] == f"{mark}two?lines = 1"
    assert first[1] == f"{mark}caf? ?"
    assert not any(line.endswith("\\") for line in first) or dialect != "c"
    if dialect == "python":
        assert not re.search(r"coding[:=]", text)
        load_python(text)


def test_unusable_names_are_refused():
    for name in ("two words", "1st", "", "x" * 60, "lambda\n"):
        with pytest.raises(ValueError, match="cannot name"):
            emit([program(a, name=name)], "f90")
    with pytest.raises(ValueError, match="used twice"):
        emit([program(a, name="P")], "c")
    with pytest.raises(ValueError, match="two routines"):
        emit([program(a, name="f"), program(b, name="F")], "f90")
    for name, dialect in (("double", "c"), ("lambda", "python"), ("SIN", "f90"), ("real64", "f90")):
        with pytest.raises(ValueError, match="has a meaning"):
            emit([program(a, name=name)], dialect)
    with pytest.raises(ValueError, match="unknown dialect"):
        emit([program(a)], "cobol")
    with pytest.raises(ValueError, match="choices of f77"):
        emit([program(a)], "c", single=True)
    for dialect in DIALECTS:
        with pytest.raises(ValueError, match="no routine"):
            emit([], dialect)
    assert set(SUFFIXES) == set(DIALECTS)


def test_elements_that_are_no_inputs_are_refused():
    for stranger in (symbol("p", 4), symbol("r", 0)):
        with pytest.raises(ValueError, match="is not an element of its inputs"):
            schedule(program(a + stranger))


def test_parts_have_the_operations_of_the_whole():
    for each in (random_program(3, "random"), awkward_programs()["deep"]):
        wanted = (each.count().mul, each.count().add, each.count().trig)
        for part in (1, 7, 40):
            for dialect, text in (
                ("f90", module_text([each], longest=10, part=part)),
                ("c", c_text([each], longest=10, part=part)),
            ):
                assert f"{each.name}_part2(" in text
                assert count_text(text, dialect) == {each.name: wanted}


def test_work_array_is_used_again():
    each = awkward_programs()["deep"]
    parts = split(schedule(each), 10)
    assert len(parts.parts) > 30
    assert parts.size <= 2  # the sum and the product that go on


def test_long_routines_are_split_without_being_asked():
    total = a
    for k in range(2500):
        total = total * b + (0.5 + k)
    text = emit([program(total)], "f90")
    assert text.count("end subroutine sample_part") == 10
    assert count_text(text, "f90") == {"sample": (2500, 2500, 0)}
    assert "_part" not in emit([program(total)], "f90", longest=2500)


def test_python_text_computes_what_the_graph_does():
    rng = np.random.default_rng(1)
    programs = samples()
    functions = load_python(emit(programs, "python"))
    assert list(functions) == [p.name for p in programs]
    for each in programs:
        for lead in ((), (3,), (2, 4)):
            arguments = [rng.uniform(0.2, 0.9, (*lead, x.size)) for x in each.inputs]
            found = functions[each.name](*arguments)
            found = found if isinstance(found, tuple) else (found,)
            for got, wanted in zip(found, evaluate(each, *arguments), strict=True):
                assert got.shape == wanted.shape
                assert np.all(np.isfinite(wanted))
                np.testing.assert_array_equal(got, wanted)


def test_python_text_takes_lists_integers_and_complex_numbers():
    f = load_python(emit([program(a * b + c, call("sin", q1))], "python"))["sample"]
    assert f([3, 4, 5, 0], [0, 0, 0]).tolist() == [17.0, 0.0]
    assert f(np.full((2, 1, 4), 2), np.zeros((3, 3))).shape == (2, 3, 2)
    step = f([1.0, 2.0, 0.0, 0.0], np.array([1e-30j, 0, 0]))
    assert step[1].imag == 1e-30


def test_text_does_not_depend_on_hash_seed_or_history():
    script = """
import sys
sys.path.insert(0, "tests")
from sample_programs import *
from flexgen.emit import DIALECTS, emit
for k in range(int(sys.argv[1])):
    arm_programs(sample_arm(2 + k)), random_program(k + 50)
programs = [*arm_programs(sample_arm(4, slides=(1,))).values(), random_program(7)]
for dialect in DIALECTS:
    print(emit([*programs, *awkward_programs().values()], dialect))
"""
    texts = {
        subprocess.run(
            [sys.executable, "-c", script, history],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        for seed, history in (("0", "0"), ("1", "3"), ("2", "1"))
    }
    assert len(texts) == 1
    assert len(texts.pop()) > 10000
