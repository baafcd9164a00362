"""`[simulate]` of a case and `flexgen simulate`: one line for an error, no half-written file."""

import json

import numpy as np
import pytest
from conftest import CASES

from flexgen.build import find_compiler
from flexgen.cli import main
from flexgen.manipulator.case import CaseError
from flexgen.simulate import ComputedTorque, load_result
from flexgen.simulate.case import read_simulate

FORTRAN = pytest.mark.skipif(not find_compiler(), reason="no Fortran compiler")
ARM = (CASES / "double_pendulum.toml").read_text()
TABLES = """
[simulate]
duration = 0.5
step = 1e-3
q = { joint1 = "pi/6" }
qd = { joint2 = 0.5 }
output_step = 0.01
[simulate.torque.computed]
kp = 100.0
kd = [20.0, 20.0]
reference.table = { file = "path.csv", interpolation = "cubic" }
[simulate.wrench]
table = { columns = ["fy", "mz"], rows = [[0.0, 0.0, 0.0], [0.5, 1.0, 2.0]] }
frame = "base"
[[simulate.payload]]
time = 0.25
mass = 0.5
inertia = { xx = 0.001, yy = 0.001, zz = 0.001 }
"""
PATH = "time,joint2,joint1\n0.0,0.0,0.5\n0.25,0.1,0.6\n0.5,0.2,0.5\n"


@pytest.fixture
def write(tmp_path):
    (tmp_path / "path.csv").write_text(PATH)

    def case(tables=TABLES):
        path = tmp_path / "two.toml"
        path.write_text(ARM + tables)
        return path

    return case


def flexgen(*arguments):
    with pytest.raises(SystemExit) as end:
        main([str(a) for a in arguments])
    return end.value.code


def test_the_table_of_a_case_is_read(write):
    arm, duration, found = read_simulate(write())
    assert arm.n == 2 and duration == 0.5 and found["step"] == 1e-3
    assert found["q0"] == {"joint1": pytest.approx(np.pi / 6)} and found["qd0"] == {"joint2": 0.5}
    assert isinstance(found["torque"], ComputedTorque) and found["frame"] == "base"
    np.testing.assert_allclose(found["torque"].reference(0.25), [0.6, 0.1])
    np.testing.assert_allclose(found["wrench"](0.25), [0.0, 0.5, 0.0, 0.0, 0.0, 1.0])
    assert found["payload"][0].mass == 0.5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("duration", "durration", "simulate.durration: unknown key 'durration'; did you mean"),
        ("kp =", "kq =", "simulate.torque.computed.kq: unknown key 'kq'; did you mean 'k"),
        ("{ joint1 =", "{ joint3 =", "simulate.q: no coordinate 'joint3'; did you mean"),
        ("[20.0, 20.0]", "[20.0]", "simulate.torque.computed.kd: one gain or 2 are expected"),
        ("[0.5, 1.0, 2.0]", "[-0.5, 1.0, 2.0]", "wrench.table.rows: time decreases in row 2"),
        (
            "[0.5, 1.0, 2.0]",
            "[0.5, nan, 2.0]",
            "simulate.wrench.table.rows[2][2]: must be a finite",
        ),
        ("[0.5, 1.0, 2.0]", "[0.5, 1.0]", "wrench.table.rows: every row must have the time and 2"),
        ('"fy", "mz"', '"fy", "mq"', "wrench.table.columns: no coordinate 'mq'"),
        ('"path.csv"', '"paths.csv"', "table.file: paths.csv cannot be read: No such file"),
        ("mass = 0.5\n", "mass = -0.5\n", "simulate.payload[1].mass: must not be negative"),
        ("xx = 0.001", "xx = -0.1", "simulate.payload[1]: a principal moment is negative"),
        ("step = 1e-3", 'method = "rk5"', "simulate.method: expected one of rk4, dopri5"),
        ("step = 1e-3", "step = -1.0", "simulate.step: must be positive"),
        ("step = 1e-3", 'hold = ["joint0"]', "simulate.hold: no coordinate 'joint0'"),
        ('"base"', '"world"', "simulate.wrench.frame: expected 'tip' or 'base'"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(write, old, new, message):
    with pytest.raises(CaseError) as error:
        read_simulate(write(TABLES.replace(old, new, 1)))
    text = str(error.value)
    assert message in text and "\n" not in text and "two.toml:simulate" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time,joint1,joint2\n0,0,0\n1,x,0\n", "row 2 is not made of numbers"),
        ("time,joint1,joint2\n0,0,0\n1,0\n", "row 2 has 2 columns"),
        ("time,joint1,joint2\n0,0,0\n1,nan,0\n", "not finite in row 2"),
        ("time,joint1,joint2\n1,0,0\n0,0,0\n", "time decreases in row 2"),
        ("time,joint1,joint7\n0,0,0\n1,0,0\n", "no coordinate 'joint7'"),
        ("time,joint1\n0,0\n1,0\n", "joint2 has no reference"),
        ("joint1,joint2\n0,0\n", "expected a header time,NAME"),
        ("", "expected a header time,NAME"),
    ],
)
def test_bad_files_of_tables_are_told_of(write, tmp_path, text, message):
    path = write()
    (tmp_path / "path.csv").write_text(text)
    with pytest.raises(CaseError, match=message):
        read_simulate(path)


@FORTRAN
def test_the_command_writes_a_file_that_repeats_itself(write, tmp_path, capsys):
    out = tmp_path / "run.nc"
    assert flexgen("simulate", write(), "-p", "none", "-o", out, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["complete"] and told["relative_drift"] < 1e-8 and told["steps"] == 500
    assert set(told["q"]) == {"joint1", "joint2"}
    found = load_result(out)
    assert found.q[-1, 0] == told["q"]["joint1"]
    assert flexgen("simulate", out, "--json") == 0
    assert json.loads(capsys.readouterr().out)["q"] == told["q"]


@FORTRAN
def test_options_come_before_the_table(write, capsys):
    case = write("")
    assert flexgen("simulate", case, "-p", "none") == 2
    assert "simulate.duration is missing" in capsys.readouterr().err
    options = [
        "--set",
        "joint1=-pi/2",
        "--rate",
        "joint2=0",
        "--duration",
        "0.1",
        "--hold",
        "joint2",
    ]
    assert flexgen("simulate", case, "-p", "none", *options) == 0
    out = capsys.readouterr().out
    assert "faster than real time" in out and "-1.57079633" in out


@FORTRAN
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "joint9=1"], "no coordinate 'joint9'"),
        (["--set", "joint1=__import__"], "joint1=__import__"),
        (["--set", "joint1"], "joint1"),
        (["-o", "run.xls"], "must end in one of .nc, .npz, .csv"),
        (["-o", "nowhere/run.nc"], "no such folder"),
        (["--step", "1.9"], "RK4 becomes unstable"),
        (["--duration", "-1"], "t_end must be positive"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(write, capsys, monkeypatch, tmp_path, options, message):
    monkeypatch.chdir(tmp_path)
    case = write()
    before = sorted(tmp_path.iterdir())
    assert flexgen("simulate", case, "-p", "none", *options) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and error.count("\n") == 1 and message in error
    assert sorted(tmp_path.iterdir()) == before
