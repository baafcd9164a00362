"""CasADi: the mechanics in its symbols, then its generated C, as its users do it.

Inverse dynamics are the Newton-Euler recursion, direct dynamics inertia matrix by composite
bodies, bias and CasADi's LDL; derivatives are CasADi's own. Its common subexpressions are
shared (`cse`), and its C is compiled with the flags of all others.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..formulations.routines import task
from .candidate import Absent, Array, Candidate, Making
from .kernels import Built, Workshop
from .problem import Problem
from .rounds import calls

FAMILY = "casadi"


class Scalar:
    """A symbol of CasADi that NumPy takes for a number: its own are matrices."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def _with(self, other: Any, f: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, np.ndarray):  # a vector of scalars: entry by entry
            return NotImplemented
        return Scalar(f(self.value, _bare(other)))

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b + a)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b * a)

    def __neg__(self) -> Scalar:
        return Scalar(-self.value)

    def sin(self) -> Scalar:
        """Called by `np.sin` on objects."""
        return Scalar(_casadi().sin(self.value))

    def cos(self) -> Scalar:
        """Called by `np.cos` on objects."""
        return Scalar(_casadi().cos(self.value))


def _bare(x: Any) -> Any:
    return x.value if isinstance(x, Scalar) else float(x)


def _objects(entries: list[Any]) -> Array:
    array = np.empty(len(entries), dtype=object)
    array[:] = entries
    return array


def _casadi() -> Any:
    try:
        import casadi
    except ImportError:
        raise Absent("casadi is not installed: pip install casadi") from None
    return casadi


def function(p: Problem) -> Any:
    """The routine as a CasADi function of q, qd, u with one result, rows first."""
    ca = _casadi()
    q, qd, u = (ca.SX.sym(name, p.n) for name in ("q", "qd", "u"))
    if p.routine.startswith("inverse"):
        result = _torques(p, q, qd, u)
    else:
        H = task(p.arm, "inertia", method=3).ways["method 3"](_vector(p, q))
        matrix = ca.SX(p.n, p.n)
        for i in range(p.n):
            for j in range(p.n):
                matrix[i, j] = _bare(H[i, j])
        right = u - _torques(p, q, qd, np.zeros(p.n))
        result = ca.ldl_solve(right, *ca.ldl(matrix, False))
    if p.routine.endswith("derivatives"):
        by = [q, qd] if p.routine.startswith("inverse") else [q, qd, u]
        # column by column of the transposed: rows of the derivative first
        result = ca.vertcat(*(ca.vec(ca.densify(ca.jacobian(result, x)).T) for x in by))
    result = ca.cse([ca.densify(result)])[0]
    return ca.Function("f", [q, qd, u], [result])


def _vector(p: Problem, symbols: Any) -> Array:
    if isinstance(symbols, np.ndarray):
        return symbols
    return _objects([Scalar(symbols[i]) for i in range(p.n)])


def _torques(p: Problem, q: Any, qd: Any, qdd: Any) -> Any:
    ways = task(p.arm, "inverse").ways
    tau = next(iter(ways.values()))(*(_vector(p, x) for x in (q, qd, qdd)))
    return _casadi().vertcat(*(_bare(t) for t in tau))


def c_text(f: Any) -> str:
    """The C that CasADi writes, and our entry."""
    with tempfile.TemporaryDirectory() as folder:
        # CasADi writes into a folder with a trailing slash
        generator = _casadi().CodeGenerator("f.c", {"with_header": False})
        generator.add(f)
        generator.generate(f"{folder}/")
        text = (Path(folder) / "f.c").read_text()
    work = max(1, int(f.sz_w()))
    return (
        f"{text}\n"
        "void kernel(const double *q, const double *qd, const double *u, double *y)\n"
        f"{{\n    const double *arg[{max(3, f.sz_arg())}] = {{q, qd, u}};\n"
        f"    double *res[{max(1, f.sz_res())}] = {{y}};\n"
        f"    casadi_int iw[{max(1, int(f.sz_iw()))}];\n    double w[{work}];\n"
        "    f(arg, res, iw, w, 0);\n}\n"
    )


def operations(text: str) -> tuple[int, int, int]:
    """Multiplications, additions and sines or cosines in the statements of CasADi's C."""
    mul = add = trig = 0
    for statement in re.findall(r"^  (?:w\d+|a\d+)\s*=(.*);$|^  if \(res.*=(.*);$", text, re.M):
        right = "".join(statement)
        trig += len(re.findall(r"\b(?:sin|cos)\(", right))
        mul += len(re.findall(r"[*/]|casadi_sq\(", right))
        add += len(re.findall(r"(?<=[\w)])[-+](?=[\w(.])", re.sub(r"\d[eE][-+]\d", "0", right)))
    return mul, add, trig


def _made(shop: Workshop, p: Problem) -> tuple[Any, Built, Making]:
    start = time.perf_counter()
    f = function(p)
    text = c_text(f)
    generate = time.perf_counter() - start
    built = shop.compile({"kernel.c": text})
    return f, built, Making(generate, built.seconds, operations(text))


def scalar(shop: Workshop, p: Problem) -> Iterator[Candidate]:
    """Its generated C, called from C for one state."""
    _, built, making = _made(shop, p)
    values = partial(shop.values, p, built.library)
    yield Candidate("CasADi C", FAMILY, "scalar", shop.work(p, built.library), values, making)


def from_python(shop: Workshop, p: Problem) -> Iterator[Candidate]:
    """The compiled function from Python: a plain call, its buffers, and its map over states."""
    ca = _casadi()
    _, built, _ = _made(shop, p)
    f = ca.external("f", str(built.path))
    state = [x[0].copy() for x in (p.q, p.qd, p.u)]
    values = partial(shop.values, p, built.library)
    yield Candidate("CasADi function", FAMILY, "python", calls(f, *state), values)
    run, result = _buffered(f, state, p.size)
    values = partial(_one_by_one, p, run, state, result)
    yield Candidate("CasADi function, buffers", FAMILY, "python", calls(run), values)
    size = len(p.q)
    mapped, found = _buffered(f.map(size), [p.q, p.qd, p.u], size * p.size)

    def all_values() -> Array:
        mapped()
        return found.reshape(size, p.size).copy()

    yield Candidate("CasADi map, buffers", FAMILY, "batch", calls(mapped), all_values, states=size)


def _buffered(f: Any, inputs: list[Array], size: int) -> tuple[Callable[[], Any], Array]:
    """A call of `f` that reads `inputs` and fills the array given back."""
    buffer, trigger = f.buffer()
    result = np.empty(size)
    for k, array in enumerate(inputs):
        buffer.set_arg(k, array.data)
    buffer.set_res(0, result.data)
    trigger.kept = (f, buffer, inputs, result)  # it has their addresses only
    return trigger, result


def _one_by_one(p: Problem, run: Callable[[], Any], state: list[Array], result: Array) -> Array:
    rows = []
    for values in zip(p.q, p.qd, p.u, strict=True):
        for array, value in zip(state, values, strict=True):
            array[:] = value
        run()
        rows.append(result.copy())
    return np.array(rows)
