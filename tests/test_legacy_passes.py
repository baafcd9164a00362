"""The string algebra and the passes of CLEAR, example by example (El-Rayyes 1990)."""

import math

import numpy as np
import pytest
from legacy_arms import splits

from flexgen.legacy import Constant, Source, clear, listing, read
from flexgen.legacy.naming import vector
from flexgen.legacy.strings import Tape


@pytest.mark.parametrize(
    ("left", "right", "product"),
    [
        ("A", "0", "0"),
        ("A", "1", "A"),
        ("A", "-1", "-A"),
        ("-A", "-1", "A"),
        ("A", "B", "A*B"),
        ("-A", "B", "-A*B"),
        ("A", "-B", "-A*B"),
        ("-A", "-B", "A*B"),
    ],
)
def test_strings_multiply_as_in_table_3_2(left, right, product):
    tape = Tape()

    def scalar(word):
        name = word.lstrip("-")
        value = tape.scalar(int(name)) if name.isdigit() else tape.name(name)
        return -value if word[0] == "-" else value

    found = scalar(left) * scalar(right)
    assert str(read(f"X = {product}")).endswith(product)
    expected = read(f"X = {product}").parts
    assert ((found.product,) if found.sign else ()) == expected
    assert not tape.statements


def test_strings_add_as_in_table_3_3():
    tape = Tape()
    a, b, zero = tape.name("A"), tape.name("B"), tape.scalar(0)
    assert (a + zero).product == a.product == (zero + a).product
    assert (a + -a).sign == 0
    assert [str(s) for s in tape.statements] == []
    assert (a - b).factors == ("Z0001",)
    assert (a + b).factors == ("Z0002",)
    assert [str(s) for s in tape.statements] == ["Z0001 = A - B", "Z0002 = A + B"]


def test_cancellation_compares_the_strings_literally():
    tape = Tape()
    a, b = tape.name("A"), tape.name("B")
    assert (a * b - a * b).sign == 0
    assert (a * b - b * a).factors == ("Z0001",)


def test_more_than_six_multiplications_become_a_dummy():
    tape = Tape()
    a = tape.name("A")
    seven = math.prod([a] * 6, start=a)
    assert len(seven.factors) == 7
    assert (seven * a).factors == ("Z0001",)
    assert str(tape.statements[0]) == "Z0001 = A*A*A*A*A*A*A*A"


def test_matrix_times_vector_writes_the_example_of_the_thesis():
    tape = Tape()
    tape.statements += [read(f"Z000{i} = A + B") for i in range(1, 5)]
    c, s, x, y, z = (tape.name(n) for n in ("C1", "S1", "BX", "BY", "Z0003"))
    A = np.array([vector(c, 0, -s), vector(s, 0, c), vector(0, -1, 0)])
    found = A @ vector(x, y, z)
    assert [str(p) for p in tape.statements[4:]] == [
        "Z0005 = C1*BX - S1*Z0003",
        "Z0006 = S1*BX + C1*Z0003",
    ]
    assert [v.factors for v in found] == [("Z0005",), ("Z0006",), ("BY",)]
    assert found[2].sign == -1


@pytest.mark.parametrize(
    "line",
    ["Z0001 = -C2*QD1*QD2 - S2*QF1", "RES(1) = -Z0197", "Z0043 = 0", "Z0009 = sy2*(-Z0002 - Y004)"],
)
def test_a_statement_reads_back_as_it_is_written(line):
    assert str(read(line)) == line


@pytest.mark.parametrize("line", ["Z1 = A + B + C", "Z1 = A/B", "Z1 = SIN(A)", "= A", "Z1 = "])
def test_a_statement_of_another_form_is_refused(line):
    with pytest.raises(ValueError, match="at most two products"):
        read(line)


def sources(*joints):
    return [Source(f"{f[0]}{i}", f, ((f"TH({i})", 1),)) for i in joints for f in ("COS", "SIN")]


@pytest.mark.parametrize(
    ("before", "after", "new"),
    [
        ("-C2*QD1*C2*QD1 - S2*QD1*S2*QD1", "-QD1*QD1", None),
        ("C4*Z0099*S5 + Z0099*C5*S4", "Z0099*S45", ("SIN", 1)),
        ("C4*C5*A - A*S4*S5", "A*C45", ("COS", 1)),
        ("-S5*S4 + C4*C5", "C45", ("COS", 1)),
        ("-C4*C5*A - A*S4*S5", "-A*C4M5", ("COS", -1)),
        ("S5*C4 - C5*S4", "-S4M5", ("SIN", -1)),
        ("-S5*C4 + C5*S4", "S4M5", ("SIN", -1)),
        ("C4*C5*A - B*S4*S5", None, None),
        ("C4*C4*A - A*S4*S4", None, None),
    ],
)
def test_identities_between_the_two_parts(before, after, new):
    program = listing([f"RES(1) = {before}"], sources(2, 4, 5))
    found, _ = clear(program, "T")
    assert str(found.statements[0]) == f"RES(1) = {after or before}"
    made = found.declarations[len(program.declarations) :]
    assert [(d.function, d.terms) for d in made] == (
        [(new[0], (("TH(4)", 1), ("TH(5)", new[1])))] if new else []
    )


def test_sums_of_angles_grow():
    lines = ["Z0001 = C1*C2 - S1*S2", "Z0002 = S1*C2 + C1*S2", "RES(1) = C12*C3 - S12*S3"]
    program = listing(lines, sources(1, 2, 3))
    once, _ = clear(program, "T")
    assert str(once.statements[2]) == "RES(1) = C123"
    assert once.declarations[-1] == Source("C123", "COS", tuple((f"TH({i})", 1) for i in (1, 2, 3)))


def test_equal_constants_cancel_and_the_deletion_spreads():
    lines = [
        "Z0001 = QD1*j15*QD2 - QD2*j35*QD1",
        "Z0002 = Z0001*C1 - A*B",
        "Z0003 = Z0001*C2",
        "RES(1) = Z0002 + Z0003",
        "RES(2) = Z0003*m1",
    ]
    given = [Constant("j15", 0.3), Constant("j35", 0.1 + 0.2), Constant("m1", 2.0)]
    found, _ = clear(listing(lines, given), "C")
    assert [str(s) for s in found.statements] == [
        "Z0001 = 0",
        "Z0002 = -A*B",
        "Z0003 = 0",
        "RES(1) = Z0002",
        "RES(2) = 0",
    ]


@pytest.mark.parametrize(
    ("before", "after", "formula", "value"),
    [
        ("A*B - B*A", "0", None, None),
        ("A*B + B*A", "A*B*x001", "1 + 1", 2.0),
        ("-m1*A - A", "-A*x001", "m1 + 1", 4.0),
        ("-m1*A + A*m2*m1", "A*x001", "m1*m2 - m1", 12.0),
        ("m1*A*m2 + B", "A*x001 + B", "m1*m2", 15.0),
        ("m1*m2 + A", "x001 + A", "m1*m2", 15.0),
    ],
)
def test_constants_are_folded(before, after, formula, value):
    program = listing([f"RES(1) = {before}"], [Constant("m1", 3.0), Constant("m2", 5.0)])
    found, _ = clear(program, "C")
    assert str(found.statements[0]) == f"RES(1) = {after}"
    made = [(d.formula, d.value) for d in found.declarations[2:]]
    assert made == ([(formula, value)] if formula else [])


def test_squares_are_pairs_and_a_pair_is_replaced_once_per_location():
    lines = ["RES(1) = A*A - B", "RES(2) = A*A*A*A + B*A", "RES(3) = A*B"]
    found, _ = clear(listing(lines), "D")
    assert [str(s) for s in found.statements] == [
        "Y001 = A*A",
        "RES(1) = Y001 - B",
        "Y002 = B*A",
        "RES(2) = Y001*A*A + Y002",
        "RES(3) = Y002",
    ]


def test_a_common_factor_goes_outside():
    found, report = clear(listing(["RES(1) = -Z0002*sy2 - Y004*sy2"]), "F")
    assert str(found.statements[0]) == "RES(1) = sy2*(-Z0002 - Y004)"
    assert splits(report) == [(2, 1), (1, 1)]


def test_a_listing_must_assign_once_and_before_use():
    with pytest.raises(ValueError, match="Z0001"):
        listing(["Z0001 = A + B", "Z0001 = A - B"])
    with pytest.raises(ValueError, match="Z0001"):
        listing(["Z0001 = Z0002 + B", "Z0002 = A - B"])
