! Torques of the double pendulum from the generated routine NEDYN, and nothing else.
! The state is that of [expected.inverse] in cases/double_pendulum.toml.
program main
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: pi = acos(-1.0_dp)
  real(dp) :: q(2), qd(2), qdd(2), load(6), tau(2)

  q = [pi / 6, pi / 3]
  qd = [1.5_dp, -0.7_dp]
  qdd = [2.0_dp, 3.0_dp]
  load = 0.0_dp ! what the arm exerts on its environment: force, moment
  call nedyn(q, qd, qdd, load, tau)
  print '(2(1x, es24.16))', tau
end program main
