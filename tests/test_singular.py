"""Inertia matrices that cannot be inverted: named with their state, whatever the way."""

import numpy as np
import pytest

from flexgen import pipeline
from flexgen.acceleration import eliminated, recursive
from flexgen.build import find_compiler
from flexgen.interpreted import interpreted
from flexgen.manipulator.angles import angle
from flexgen.manipulator.arm import DH, Link, Manipulator, body_about_com
from flexgen.model import Model

BACKENDS = [
    "numpy",
    pytest.param("fortran", marks=pytest.mark.skipif(not find_compiler(), reason="no compiler")),
]


def columns(arrays):
    return [np.asfortranarray(a) for a in arrays]


def stretched():
    """Two unit links without mass and a point mass at the end: H is singular where q2 = 0."""
    bodies = [body_about_com(m, np.zeros(3), np.zeros((3, 3))) for m in (0.0, 1.5)]
    dh = DH(1.0, angle(0.0), 0.0, angle(0.0))
    return Manipulator("stretched", tuple(Link("revolute", dh, b) for b in bodies))


WAYS = ("forward", "backward", "bodies")


@pytest.fixture(scope="module", params=WAYS)
def singular(request, request_backend):
    """A model of the arm with one way of `acceleration` in it."""
    arm = stretched()
    direct = pipeline.program(arm, "direct", passes="none")
    found = (
        recursive(arm)
        if request.param == "bodies"
        else eliminated(direct, backward=request.param == "backward")
    )
    programs = {"acceleration": found}
    make = interpreted if request_backend == "numpy" else pipeline.compiled
    return Model(arm, make(programs), {}, request_backend)


@pytest.fixture(scope="module", params=BACKENDS)
def request_backend(request):
    return request.param


def test_a_singular_inertia_matrix_is_named_with_its_state(singular):
    rng = np.random.default_rng(8)
    q, qd, tau = rng.uniform(0.5, 1.5, (3, 130, 2))
    qdd = singular.direct(q, qd, tau)
    assert np.isfinite(qdd).all()
    for k in (129, 64, 63, 5, 0):  # the first of them is named
        q[k, 1] = 0.0
        for arrays in ((q, qd, tau), columns((q, qd, tau))):
            for options in ({}, {"threads": 2}, {"strict": True}):
                with pytest.raises(ValueError, match=rf"not positive definite at state {k}$"):
                    singular.direct(*arrays, **options)
        with pytest.raises(ValueError, match=r"^direct: .* not positive definite at state 0$"):
            singular.direct(q[k], qd[k], tau[k])
    q[9, 0] = np.nan  # numbers come before matrices
    with pytest.raises(ValueError, match=r"^direct: q must be finite$"):
        singular.direct(q, qd, tau)
