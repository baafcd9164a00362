"""Arm -> arm with the same torques and fewer inertial parameters, or in other units."""
