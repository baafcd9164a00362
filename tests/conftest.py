"""Fixtures and tolerances that all tests share. A new file in cases/ is a new parameter."""

import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import flexgen
from flexgen.manipulator.case import CaseWarning, read_case

CASES = Path(__file__).resolve().parent.parent / "cases"
SHIPPED = sorted(CASES.glob("*.toml"))

# relative tolerances
TWO_WAYS = 1e-11  # two formulations of the same thing, on floats
ORACLE = 1e-10  # our numbers against another program or many digits


@cache
def read_quietly(path):
    """The case, without the warnings that published data earns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaseWarning)
        return read_case(path)


# decided by loading: rigid formulations and Pinocchio know nothing of flexible links
FLEXIBLE = [path for path in SHIPPED if read_quietly(path).manipulator.flexible]
RIGID = [path for path in SHIPPED if path not in FLEXIBLE]


@pytest.fixture(scope="session")
def cases_dir():
    return CASES


@pytest.fixture(scope="session", params=SHIPPED, ids=lambda path: path.stem)
def case_path(request):
    return request.param


@pytest.fixture(scope="session")
def case(case_path):
    return read_quietly(case_path)


@pytest.fixture(scope="session", params=RIGID, ids=lambda path: path.stem)
def arm(request):
    return read_quietly(request.param).manipulator


@pytest.fixture(scope="session", params=FLEXIBLE, ids=lambda path: path.stem)
def flexible_arm(request):
    return read_quietly(request.param).manipulator


@pytest.fixture(scope="session")
def model(arm):
    return flexgen.build(arm)


@pytest.fixture
def rng():
    return np.random.default_rng(20)
