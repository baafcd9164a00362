// Torques of the double pendulum from the generated routine inverse, and nothing else.
// The state is that of [expected.inverse] in cases/double_pendulum.toml.
#include <math.h>
#include <stdio.h>

void inverse(const double q[restrict 2], const double qd[restrict 2],
    const double qdd[restrict 2], double tau[restrict 2]);

int main(void)
{
    const double pi = acos(-1.0);
    const double q[2] = {pi / 6.0, pi / 3.0};
    const double qd[2] = {1.5, -0.7};
    const double qdd[2] = {2.0, 3.0};
    double tau[2];

    inverse(q, qd, qdd, tau);
    printf("%.16e %.16e\n", tau[0], tau[1]);
    return 0;
}
