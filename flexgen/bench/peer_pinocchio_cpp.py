"""Pinocchio from C++: its headers, as they come in the wheel, compiled with our flags.

The library is made once for each routine and kept in the cache, since its templates take most
of a minute. The arm is handed over as numbers, so one library serves all arms.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import cache
from ..toolchain import BuildError, processor
from .candidate import Absent, Array, Candidate, Making
from .kernels import FLAGS, POINTER, Workshop, banner, compile_library
from .peer_pinocchio import FAMILY, pinocchio_model
from .problem import Problem

# what Pinocchio's own build files define: its list of joints is longer than Boost expects
DEFINES = (
    "-std=c++17",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=10",
)

_COMMON = """\
#include <pinocchio/multibody.hpp>
%(include)s

typedef Eigen::Map<const Eigen::VectorXd> In;
typedef Eigen::Map<Eigen::VectorXd> Out;
typedef Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> Rows;
static pinocchio::Model *model;
static pinocchio::Data *data;

extern "C" void setup(long n, const double *numbers, const double *gravity)
{
    model = new pinocchio::Model();
    model->gravity.linear() = Eigen::Map<const Eigen::Vector3d>(gravity);
    pinocchio::JointIndex parent = 0;
    for (long i = 0; i < n; ++i, numbers += 26) {
        Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(numbers + 1);
        Eigen::Map<const Eigen::Vector3d> p(numbers + 10), c(numbers + 14);
        Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> I(numbers + 17);
        const pinocchio::SE3 place{Eigen::Matrix3d(R), Eigen::Vector3d(p)};
        const std::string name = "joint" + std::to_string(i + 1);
        if (numbers[0] != 0.0)
            parent = model->addJoint(parent, pinocchio::JointModelPZ(), place, name);
        else
            parent = model->addJoint(parent, pinocchio::JointModelRZ(), place, name);
        const pinocchio::Inertia body{numbers[13], Eigen::Vector3d(c), Eigen::Matrix3d(I)};
        model->appendBodyToJoint(parent, body, pinocchio::SE3::Identity());
    }
    data = new pinocchio::Data(*model);
}

#define KERNEL(name) extern "C" void name( \\
    const double *q_, const double *qd_, const double *u_, double *y)
#define ARGUMENTS const long n = model->nv; const In q(q_, n), qd(qd_, n), u(u_, n)
"""
_KERNELS = {
    "inverse": (
        ["rnea"],
        "KERNEL(rnea) { ARGUMENTS; Out(y, n) = pinocchio::rnea(*model, *data, q, qd, u); }\n",
    ),
    "direct": (
        ["aba", "crba", "rnea", "cholesky"],
        """\
KERNEL(aba) { ARGUMENTS; Out(y, n) = pinocchio::aba(*model, *data, q, qd, u); }
KERNEL(crba)
{
    ARGUMENTS;
    Out x(y, n);
    x = u - pinocchio::nonLinearEffects(*model, *data, q, qd);
    pinocchio::crba(*model, *data, q);
    pinocchio::cholesky::decompose(*model, *data);
    pinocchio::cholesky::solve(*model, *data, x);
}
""",
    ),
    "inverse_derivatives": (
        ["rnea-derivatives"],
        """\
KERNEL(computeRNEADerivatives)
{
    ARGUMENTS;
    pinocchio::computeRNEADerivatives(*model, *data, q, qd, u);
    Eigen::Map<Rows>(y, n, n) = data->dtau_dq;
    Eigen::Map<Rows>(y + n * n, n, n) = data->dtau_dv;
}
""",
    ),
    "direct_derivatives": (
        ["aba-derivatives"],
        """\
KERNEL(computeABADerivatives)
{
    ARGUMENTS;
    pinocchio::computeABADerivatives(*model, *data, q, qd, u);
    Eigen::Map<Rows>(y, n, n) = data->ddq_dq;
    Eigen::Map<Rows>(y + n * n, n, n) = data->ddq_dv;
    Eigen::Map<Rows>(y + 2 * n * n, n, n) = data->Minv;
}
""",
    ),
}
_ENTRIES = {
    "inverse": {"rnea": "rnea"},
    "direct": {"aba": "aba", "crba": "crba + Cholesky"},
    "inverse_derivatives": {"computeRNEADerivatives": "computeRNEADerivatives"},
    "direct_derivatives": {"computeABADerivatives": "computeABADerivatives"},
}


def _root(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise Absent(f"{package} is not installed")
    return Path(spec.origin).parent


def includes() -> list[str]:
    """Folders of headers: Pinocchio and Boost from the wheel, Eigen from where it is found."""
    pin = _root("pinocchio")
    prefixes = [f for f in pin.parents if (f / "include" / "pinocchio").is_dir()]
    if not prefixes:
        raise Absent("C++: the installed Pinocchio has no headers")
    eigen = [prefixes[0] / "include" / "eigen3", Path("/usr/include/eigen3")]
    if importlib.util.find_spec("casadi") is not None:
        eigen.append(_root("casadi") / "include" / "eigen3")
    found = [e for e in eigen if (e / "Eigen" / "Core").is_file()]
    if not found:
        raise Absent("C++: no headers of Eigen: pip install cmeel-eigen")
    return [f"-I{prefixes[0] / 'include'}", f"-isystem{found[0]}"]


def text(routine: str) -> str:
    """The translation unit of a routine."""
    headers, kernels = _KERNELS[routine]
    include = "\n".join(f"#include <pinocchio/algorithm/{h}.hpp>" for h in headers)
    return _COMMON % {"include": include} + "\n" + kernels


def library(routine: str) -> Path:
    """The compiled library, from the cache if it is there."""
    source, flags = text(routine), (*DEFINES, *includes())
    parts = [source, *flags, *FLAGS[".cpp"], banner("g++"), processor(), _version()]

    def fill(folder: Path) -> None:
        compile_library(folder, {"kernel.cpp": source}, flags)

    try:
        return cache.obtain(cache.digest(["pinocchio c++", *parts]), fill) / "kernel.so"
    except BuildError as error:
        first = str(error).splitlines()[0]
        raise Absent(f"C++: the headers of this version do not compile here ({first})") from None


def _version() -> str:
    import pinocchio

    return str(pinocchio.__version__)


def numbers(arm: Any) -> Array:
    """The arm as 26 numbers a joint: prismatic or not, placement, mass, centre, inertia."""
    model, _ = pinocchio_model(arm)
    rows = []
    for i, link in enumerate(arm.links, 1):
        place, body = model.jointPlacements[i], model.inertias[i]
        slides = [float(link.joint == "prismatic")]
        rows.append(
            np.concatenate(
                [
                    slides,
                    place.rotation.ravel(),
                    place.translation,
                    [body.mass],
                    body.lever,
                    body.inertia.ravel(),
                ]
            )
        )
    return np.ascontiguousarray(rows)


def scalar(shop: Workshop, p: Problem) -> Iterator[Candidate]:
    """Called from C for one state."""
    given = numbers(p.arm)
    loaded = shop.load_copy(library(p.routine))  # of its own: the library holds the arm
    gravity = np.asarray(p.arm.gravity, dtype=float)
    loaded.setup.argtypes = [ctypes.c_long, POINTER, POINTER]
    loaded.setup(p.n, given.ctypes.data, gravity.ctypes.data)
    for entry, label in _ENTRIES[p.routine].items():
        values = partial(shop.values, p, loaded, entry)
        work = shop.work(p, loaded, entry)
        yield Candidate(f"Pinocchio C++ {label}", FAMILY, "scalar", work, values, Making())
