"""Results: what they hold, files, repeating a run, and runs that do not come to their end."""

import warnings
from functools import cache

import numpy as np
import pytest
from conftest import CASES

import flexgen
from flexgen.build import find_compiler
from flexgen.formulations import king, newton_euler
from flexgen.manipulator.case import CaseWarning
from flexgen.simulate import (
    PD,
    Payload,
    Result,
    SimulationError,
    SimulationWarning,
    load_result,
    repeat,
    simulate,
    table,
)
from flexgen.simulate.written import case_text

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no Fortran compiler")
PATH = CASES / "double_pendulum.toml"


@cache
def result():
    law = PD([30.0, 10.0], 1.0, table([0.0, 0.2, 0.5], [[0.0, 0.0], [0.3, 0.1], [0.1, 0.1]]))
    return simulate(
        PATH,
        0.5,
        q0={"joint2": 0.3},
        torque=law,
        wrench=[0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        frame="base",
        payload=Payload(0.25, 0.5, inertia=1e-3 * np.eye(3)),
        passes="none",
        output_step=0.01,
    )


def test_a_result_names_its_coordinates_and_units():
    data = result().dataset
    assert list(data["coordinate"].values) == ["joint1", "joint2"]
    assert data["q"].dims == data["qd"].dims == data["tau"].dims == ("time", "coordinate")
    assert data["tip"].dims == ("time", "axis") and data["kinetic"].dims == ("time",)
    assert all(data[name].attrs["units"] for name in data.data_vars)
    assert data.attrs["case"] == PATH.read_text()
    assert float(data["q"].sel(coordinate="joint2")[0]) == 0.3
    total = data["kinetic"] + data["potential"]
    np.testing.assert_allclose(total - total[0], data["work"] + data["drift"], atol=1e-12)


@pytest.mark.parametrize("suffix", [".nc", ".npz", ".csv"])
def test_what_is_saved_comes_back_whole(tmp_path, suffix):
    path = result().save(tmp_path / f"run{suffix}")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    found = load_result(path)
    assert found.dataset.identical(result().dataset) or suffix == ".nc"
    for name in result().dataset.variables:
        np.testing.assert_array_equal(found[name], result()[name])
    assert found.dataset.attrs == result().dataset.attrs


def test_a_saved_run_can_be_repeated_to_the_last_bit(tmp_path):
    again = repeat(result().save(tmp_path / "run.nc"))
    for name in ("q", "qd", "tau", "drift"):
        np.testing.assert_array_equal(again[name], result()[name])


def test_what_cannot_be_repeated_says_so(tmp_path):
    anonymous = Result(result().dataset.assign_attrs(case="")).save(tmp_path / "arm.nc")
    with pytest.raises(SimulationError, match="holds no case"):
        repeat(anonymous)
    free = simulate(PATH, 0.01, torque=lambda t, q, qd: q, passes="none", step=1e-3)
    with pytest.raises(SimulationError, match="function"):
        repeat(free.save(tmp_path / "function.npz"))


def test_a_name_that_is_no_result_is_refused_and_leaves_nothing(tmp_path):
    with pytest.raises(ValueError, match=r"must end in one of \.nc"):
        result().save(tmp_path / "run.txt")
    assert not list(tmp_path.iterdir())
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="not the result of a simulation"):
        load_result(tmp_path / "other.csv")


@pytest.mark.filterwarnings("ignore::flexgen.simulate.SimulationWarning")
def test_a_run_that_blows_up_keeps_what_it_has():
    arm = flexgen.load(CASES / "double_flexible_pendulum.toml")
    found = simulate(
        arm, 20.0, q0=[-1.5, 0.1], step=0.05, output_step=0.05, force=True, passes="none"
    )
    assert not found.complete and not found.trusted and 1 <= len(found.t) < 401
    assert "after t =" in found.dataset.attrs["reason"]
    assert np.isfinite(found.q).all() and np.isfinite(found.qd).all()


def test_a_function_that_blows_up_ends_a_run_early():
    with pytest.warns(SimulationWarning, match="incomplete, the state is not finite"):
        found = simulate(
            PATH,
            1.0,
            torque=lambda t, q, qd: [0.0, 1.0 if t < 0.5 else np.inf],
            passes="none",
            step=1e-2,
            output_step=0.1,
        )
    assert not found.complete and found.t[-1] == pytest.approx(0.4)


def test_an_interrupted_run_keeps_what_it_has():
    def stop(fraction):
        if fraction > 0.5:
            raise KeyboardInterrupt

    with pytest.warns(SimulationWarning, match="incomplete, interrupted"):
        found = simulate(PATH, 1.0, passes="none", progress=stop)
    assert not found.complete and 0.5 < found.t[-1] < 0.6
    whole = simulate(PATH, 1.0, passes="none")
    np.testing.assert_array_equal(found.q, whole.q[: len(found.t)])


def test_progress_is_told_up_to_the_end():
    heard = []
    simulate(PATH, 1.0, passes="none", progress=heard.append)
    assert heard == sorted(heard) and heard[-1] == 1.0 and len(heard) > 30


def test_king_arms_say_that_their_potential_is_integrated():
    arm = flexgen.load(CASES / "fixture_king.toml")
    found = simulate(arm, 0.05, q0=[0.3, 0.5, -0.2], passes="none", method="dopri5")
    assert found.dataset.attrs["potential_from"].startswith("integrated power")
    assert found.drift < 1e-3


def test_an_arm_writes_itself_as_a_case(case, tmp_path, rng):
    arm = case.manipulator
    (tmp_path / "again.toml").write_text(case_text(arm))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaseWarning)
        again = flexgen.load(tmp_path / "again.toml")
    inverse = king.inverse if arm.flexible else newton_euler.inverse
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, arm.n))
    forces = [inverse(a, q, qd, qdd, np.array(a.gravity), np.ones(6)) for a in (arm, again)]
    np.testing.assert_allclose(forces[1], forces[0], atol=1e-12 * np.abs(forces[0]).max())


def test_the_run_of_an_arm_without_a_file_can_be_repeated(tmp_path):
    first = simulate(flexgen.load(PATH), 0.1, q0=[0.1, 0.2], passes="none")
    again = repeat(first.save(tmp_path / "run.nc"))
    np.testing.assert_allclose(again.q, first.q, atol=1e-12)
