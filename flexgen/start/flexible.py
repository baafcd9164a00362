"""Arms with beams -> the same arms in a form that costs less.

stiffened    beams without modes become rigid bodies, so that an arm none of whose links
             bends is generated as the rigid arm it is
spin_limits  angular rates beyond which a model without foreshortening is unstable, and
             `softening_watch`, which finds states beyond them
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..formulations.flexible_link import segments, shape
from ..formulations.king import deflected
from ..manipulator.arm import NOTHING, Array, Body, Link, Manipulator, body_about_com, join
from ..manipulator.beam import Beam, integrals
from ..manipulator.frames import frames


def stiffened(arm: Manipulator) -> Manipulator:
    """The same arm with a rigid body in place of every beam that has no modes.

    The body is hub, beam and tip together. The sections of the beam turn with it about its
    axis only with torsion coupling, as in the flexible model. An arm without such beams comes
    back as it is.
    """
    if not any(_idle(link) for link in arm.links):
        return arm
    coupled = arm.assumptions.torsion_coupling
    links = tuple(_rigid(link, coupled) if _idle(link) else link for link in arm.links)
    return replace(arm, links=links)


def _idle(link: Link) -> bool:
    return link.beam is not None and link.beam.n == 0


def _rigid(link: Link, coupled: bool) -> Link:
    assert link.beam is not None
    body = join(join(rod(link.beam, coupled), link.body), link.tip)
    return replace(link, body=body, beam=None, tip=NOTHING)


def rod(beam: Beam, coupled: bool) -> Body:
    """The undeformed beam as a rigid body in the link frame, which is at its tip."""
    a, m = beam.length, beam.mass
    across = m * a * a / 12.0
    along = beam.polar_inertia * a if coupled else 0.0
    return body_about_com(m, np.array([-a / 2.0, 0.0, 0.0]), np.diag([along, across, across]))


def spin_limits(arm: Manipulator) -> dict[int, tuple[float, float]]:
    """Per flexible link, counted from 1: angular rates that make its y and z modes unstable.

    Without foreshortening the modal stiffness of a link that spins at w about an axis across
    its deflections is K - w^2 M. It is positive below the lowest bending frequency of the link
    alone, with the mass that is fixed to its tip; real beams stiffen instead. Empty if
    foreshortening is modelled; infinite where a link has no modes.
    """
    if arm.assumptions.foreshortening != "off":
        return {}
    found = {}
    for i, link in enumerate(arm.links, 1):
        if link.beam is None or not any(link.modes[1:]):
            continue
        known, (twist, y, z) = integrals(link.beam, "off"), link.modes
        limits = []
        for first, count in ((twist, y), (twist + y, z)):
            t = known.t[2 : 2 + count]
            M = known.G[2 : 2 + count, 2 : 2 + count] + link.tip.mass * np.outer(t, t)
            root = np.sqrt(known.stiffness[first : first + count])
            softest = np.linalg.eigvalsh(M / np.outer(root, root)).max(initial=0.0)
            limits.append(float(softest**-0.5) if count else np.inf)
        found[i] = (limits[0], limits[1])
    return found


def softened(arm: Manipulator, q: Array, qd: Array) -> tuple[int, ...]:
    """Links, counted from 1, that spin so fast at this state that the model is unstable."""
    limits = spin_limits(arm)
    found = []
    for i, (x, y, z) in enumerate(spins(arm, q, qd), 1):
        along_y, along_z = limits.get(i, (np.inf, np.inf))
        if np.hypot(x, z) >= along_y or np.hypot(x, y) >= along_z:
            found.append(i)
    return tuple(found)


def spins(arm: Manipulator, q: Array, qd: Array) -> list[Array]:
    """Angular velocity of every link frame, in its own axes."""
    rest, w, E = np.zeros(arm.n), np.zeros(3), np.eye(3)
    found = []
    for i, (s, f) in enumerate(zip(segments(arm), frames(arm, q), strict=True)):
        w = deflected(E, f.R).T @ w
        if arm.links[i].joint == "revolute":
            w = w + f.axis * qd[i]
        found.append(w)
        bent = shape(s, arm.assumptions.rotation, q, qd, rest)
        w, E = w + bent.nu, bent.E
    return found


def softening_watch(
    arm: Manipulator,
) -> tuple[float, Callable[[Array, Array], str | None]] | None:
    """How to find states at which a link spins too fast; None if none can.

    Gives a number, below which |qd|^2 is harmless, and a function of states (q, qd), one or a
    batch, that names the fastest link if it is too fast. Weights times rates bound the angular
    velocities.
    """
    limits = spin_limits(arm)
    if not limits:
        return None
    lowest = min(min(pair) for pair in limits.values())
    weights = np.zeros(arm.n)
    for i, (link, s) in enumerate(zip(arm.links, segments(arm), strict=True)):
        weights[i] = link.joint == "revolute"
        for values, at in ((s.twist, s.torsion), (s.slope, s.y), (s.slope, s.z)):
            weights[list(at)] = np.abs(values[: len(at)])

    def look(q: Array, qd: Array) -> str | None:
        bound = np.abs(qd) @ weights
        if qd.ndim == 2:  # the fastest of a batch
            fastest = int(np.argmax(bound))
            bound, qd = bound[fastest], qd[fastest]
            q = q[fastest] if q.ndim == 2 else q
        if not (lowest <= bound < np.inf and np.isfinite(q).all()):
            return None
        links = softened(arm, q, qd)
        if not links:
            return None
        i = links[0]
        return (
            f"{arm.name}: link {i} spins faster than {min(limits[i]):.4g} rad/s; without "
            'foreshortening its model is unstable there: take foreshortening = "full"'
        )

    return (lowest**2 / float(weights @ weights), look)
