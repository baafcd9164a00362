"""A Pinocchio model of a manipulator, built joint by joint: an independent oracle."""

import numpy as np
import pinocchio as pin


def _turn_z(angle):
    return pin.SE3(pin.utils.rotate("z", angle), np.zeros(3))


def _turn_x(angle):
    return pin.SE3(pin.utils.rotate("x", angle), np.zeros(3))


def _move(x, z):
    return pin.SE3(np.eye(3), np.array([x, 0.0, z]))


def pinocchio_model(arm):
    """(model, placement of the last link frame in the last joint's frame)."""
    model = pin.Model()
    model.gravity = pin.Motion(np.asarray(arm.gravity, float), np.zeros(3))
    parent, placement = 0, pin.SE3.Identity()
    for i, link in enumerate(arm.links):
        screw_z = _turn_z(link.dh.theta.value) * _move(0.0, link.dh.d)
        screw_x = _move(link.dh.a, 0.0) * _turn_x(link.dh.alpha.value)
        joint = pin.JointModelPZ() if link.joint == "prismatic" else pin.JointModelRZ()
        if arm.convention == "standard":
            before, after = pin.SE3.Identity(), screw_z * screw_x
        else:
            before, after = screw_x * screw_z, pin.SE3.Identity()
        parent = model.addJoint(parent, joint, placement * before, f"joint{i + 1}")
        body = pin.Inertia(float(link.body.mass), link.body.com, link.body.inertia)
        model.appendBodyToJoint(parent, body, after)
        placement = after
    return model, placement
