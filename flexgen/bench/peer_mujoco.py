"""MuJoCo: `mj_inverse` and `mj_forward` of the same arm without contacts, from Python and C.

MuJoCo refuses bodies with a principal moment that is zero or larger than the sum of the others,
as published data often have. Such a body is balanced as MuJoCo's `balanceinertia` does it, all
three moments becoming their mean, and a body without mass gets a tiny one. That changes the
arm: its values differ from all others and are not compared, its time still counts.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ..manipulator.arm import Manipulator
from ..manipulator.frames import rotation_x, rotation_z
from .candidate import Absent, Array, Candidate, Making
from .kernels import POINTER, Workshop
from .problem import Problem
from .rounds import calls

FAMILY = "mujoco"
BALANCED = "bodies balanced, since MuJoCo refuses those of this arm"
LEAST, LEAST_MASS = 1e-12, 1e-9  # what MuJoCo takes for more than nothing
_OFF = ("contact", "constraint", "limit", "equality", "frictionloss", "clampctrl", "actuation")
_KERNEL = """\
#include <mujoco/mujoco.h>

static const mjModel *model;
static mjData *data;

void setup(void *m, void *d)
{
    model = m;
    data = d;
}

void kernel(const double *q, const double *qd, const double *u, double *y)
{
    for (int i = 0; i < model->nv; ++i) {
        data->qpos[i] = q[i];
        data->qvel[i] = qd[i];
        data->%(given)s[i] = u[i];
    }
    /* the Python module has MuJoCo read the clock all the time; a C user has not */
    const mjfTime clock = mjcb_time;
    mjcb_time = 0;
    %(call)s(model, data);
    mjcb_time = clock;
    for (int i = 0; i < model->nv; ++i) y[i] = data->%(found)s[i];
}
"""
_NAMES = {
    "inverse": ("mj_inverse", "qacc", "qfrc_inverse"),
    "direct": ("mj_forward", "qfrc_applied", "qacc"),
}


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError:
        raise Absent("mujoco is not installed: pip install mujoco") from None
    return mujoco


def _transform(rotation: Array, x: float, z: float) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, rotation @ [x, 0.0, z]
    return T


def balanced(inertia: Array) -> Array | None:
    """What becomes of an inertia that MuJoCo refuses; None for one that it accepts."""
    low, middle, high = np.linalg.eigvalsh(inertia)
    if low > LEAST and low + middle >= high * (1.0 + 1e-12):
        return None
    return float(max((low + middle + high) / 3.0, 2.0 * LEAST)) * np.eye(3)


def mjcf(arm: Manipulator) -> tuple[str, bool]:
    """The arm in MuJoCo's format, body by body, and whether a body had to be balanced."""

    def written(values: Any) -> str:
        return " ".join(repr(float(v)) for v in np.ravel(values))

    root = ElementTree.Element("mujoco")
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="false")
    option = ElementTree.SubElement(root, "option", gravity=written(arm.gravity))
    ElementTree.SubElement(option, "flag", dict.fromkeys(_OFF, "disable"))
    parent, place, changed = ElementTree.SubElement(root, "worldbody"), np.eye(4), False
    for link in arm.links:
        dh, body = link.dh, link.body
        about_z = _transform(rotation_z(dh.theta.cos, dh.theta.sin), 0.0, dh.d)
        about_x = _transform(rotation_x(dh.alpha.cos, dh.alpha.sin), 0.0, 0.0)
        about_x[:3, 3] = [dh.a, 0.0, 0.0]
        if arm.convention == "standard":
            before, after = place, about_z @ about_x
        else:
            before, after = place @ about_x @ about_z, np.eye(4)
        assert body.com is not None and body.inertia is not None
        R = after[:3, :3]
        other = balanced(body.inertia)
        mass = max(float(body.mass), LEAST_MASS)
        changed = changed or other is not None or mass != body.mass
        inertia = R @ (body.inertia if other is None else other) @ R.T
        parent = ElementTree.SubElement(
            parent, "body", pos=written(before[:3, 3]), xyaxes=written(before[:3, :2].T)
        )
        kind = "slide" if link.joint == "prismatic" else "hinge"
        ElementTree.SubElement(parent, "joint", type=kind, axis="0 0 1")
        ElementTree.SubElement(
            parent,
            "inertial",
            pos=written(R @ body.com + after[:3, 3]),
            mass=written(mass),
            fullinertia=written([*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]),
        )
        place = after
    return ElementTree.tostring(root, encoding="unicode"), changed


def simulator(arm: Manipulator) -> tuple[Any, Any, bool]:
    """(model, data, whether bodies had to be balanced)."""
    mujoco = _mujoco()
    text, changed = mjcf(arm)
    try:
        model = mujoco.MjModel.from_xml_string(text)
    except ValueError as error:
        raise Absent(f"MuJoCo refuses the arm: {' '.join(str(error).split())}") from None
    return model, mujoco.MjData(model), changed


def _named(p: Problem) -> tuple[str, str, str]:
    if p.routine not in _NAMES:
        raise Absent("MuJoCo has no analytic derivatives")
    return _NAMES[p.routine]


def one_call(p: Problem) -> Iterator[Candidate]:
    """One call from Python, with the state written and the result read."""
    name, given, found = _named(p)
    mujoco = _mujoco()
    model, data, changed = simulator(p.arm)
    function = getattr(mujoco, name)
    q, qd, u, y = data.qpos, data.qvel, getattr(data, given), getattr(data, found)

    def call(*state: Array) -> Array:
        q[:], qd[:], u[:] = state
        function(model, data)
        result: Array = y.copy()
        return result

    def values() -> Array:
        return np.array([call(*state) for state in zip(p.q, p.qd, p.u, strict=True)])

    work = calls(call, *(x[0].copy() for x in (p.q, p.qd, p.u)))
    note = BALANCED if changed else ""
    yield Candidate(
        f"mujoco.{name}", FAMILY, "python", work, values, note=note, same_arm=not changed
    )


def scalar(shop: Workshop, p: Problem) -> Iterator[Candidate]:
    """Called from C for one state."""
    name, given, found = _named(p)
    mujoco = _mujoco()
    model, data, changed = simulator(p.arm)
    folder = Path(mujoco.__file__).parent
    binary = next(iter(sorted(folder.glob("libmujoco.so*"))), None)
    if binary is None or not (folder / "include" / "mujoco" / "mujoco.h").is_file():
        raise Absent("C: this MuJoCo has no library and headers beside it")
    text = _KERNEL % {"call": name, "given": given, "found": found}
    # the library itself is loaded already, by MuJoCo's own Python module
    built = shop.compile({"kernel.c": text}, [f"-I{folder / 'include'}"], [str(binary)])
    built.library.setup.argtypes = [POINTER, POINTER]
    built.library.setup(ctypes.c_void_p(model._address), ctypes.c_void_p(data._address))
    keep = (model, data)  # their memory is used for as long as the candidate lives

    def values(_: Any = keep) -> Array:
        return shop.values(p, built.library)

    work, note = shop.work(p, built.library), BALANCED if changed else ""
    yield Candidate(
        f"MuJoCo C {name}",
        FAMILY,
        "scalar",
        work,
        values,
        Making(),
        note=note,
        same_arm=not changed,
    )
