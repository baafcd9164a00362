"""Single terms of the equation of motion from any `inverse`, by numbers as arguments.

    H(q) qdd + c(q, qd) + g(q) = tau + J(q)^T wrench

`inverse(arm, q, qd, qdd, gravity, wrench)` holds them all; zeros and unit vectors pick one:

    gravity    g = inverse at rest
    coriolis   c = inverse without gravity and acceleration
    inertial   H qdd = inverse without gravity and velocity
    bias       c + g
    external   J^T wrench, the sign turned: inverse gives the torques against the wrench
    inertia    column j of H = inertial at the unit acceleration of joint j (method 2)
    jacobian   row k of J = external at the unit wrench k

Of a flexible arm, g holds the elastic forces as well and c the damping of the modes, so that
the terms add up; `inverse(..., elastic=0.0)` leaves the elastic forces out where they do not
belong.
"""

import numpy as np

STILL = np.zeros(3)
FREE = np.zeros(6)


def inelastic(arm):
    """Argument that turns the elastic forces off; rigid arms have none."""
    return {"elastic": 0.0} if arm.flexible else {}


def gravity(inverse, arm, q):
    """Torques that hold the arm at rest, elastic forces included."""
    rest = np.zeros(arm.n)
    return inverse(arm, q, rest, rest, np.asarray(arm.gravity), FREE)


def coriolis(inverse, arm, q, qd):
    """Centrifugal and Coriolis torques."""
    return inverse(arm, q, qd, np.zeros(arm.n), STILL, FREE, **inelastic(arm))


def inertial(inverse, arm, q, qdd):
    """H(q) qdd, cheaper than forming H."""
    return inverse(arm, q, np.zeros(arm.n), qdd, STILL, FREE, **inelastic(arm))


def bias(inverse, arm, q, qd, wrench=FREE):
    """Torques at zero acceleration: coriolis + gravity - external."""
    return inverse(arm, q, qd, np.zeros(arm.n), np.asarray(arm.gravity), wrench)


def external(inverse, arm, q, wrench):
    """J(q)^T wrench."""
    rest = np.zeros(arm.n)
    return -inverse(arm, q, rest, rest, STILL, wrench, **inelastic(arm))


def inertia(inverse, arm, q):
    """Inertia matrix by unit accelerations: method 2 of Walker and Orin (1982).

    A coordinate moves nothing before it in the chain, so of the two elements that are equal
    the row further out is taken.
    """
    columns = [inertial(inverse, arm, q, e) for e in np.eye(arm.n)]
    rank = {j: place for place, j in enumerate(arm.chain)}
    H = [
        [columns[i][j] if rank[i] <= rank[j] else columns[j][i] for j in range(arm.n)]
        for i in range(arm.n)
    ]
    return np.array(H)


def jacobian(inverse, arm, q):
    """Jacobian of the last frame by unit wrenches."""
    return np.array([external(inverse, arm, q, e) for e in np.eye(6)])
