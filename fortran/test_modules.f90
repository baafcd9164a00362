module routines
  !! Routines of one state with results that can be told by hand.
  use kinds, only: dp
  implicit none
  private
  public :: double, places, weighted, sum_of_four, pendulum, push, indefinite

contains

  pure subroutine double(a, y)
    real(dp), intent(in) :: a(*)
    real(dp), intent(out) :: y(*)
    y(1:2) = 2 * a(1:2)
  end subroutine double

  !> A matrix of 2 rows and 3 columns: 10 row + column, plus a(1) + b(1).
  pure subroutine places(a, b, y)
    real(dp), intent(in) :: a(*), b(*)
    real(dp), intent(out) :: y(*)
    y(1:6) = [11, 21, 12, 22, 13, 23] + a(1) + b(1)
  end subroutine places

  pure subroutine weighted(a, b, c, y)
    real(dp), intent(in) :: a(*), b(*), c(*)
    real(dp), intent(out) :: y(*)
    y(1) = a(1) + 10 * b(1) + 100 * c(1)
  end subroutine weighted

  pure subroutine sum_of_four(a, b, c, d, y)
    real(dp), intent(in) :: a(*), b(*), c(*), d(*)
    real(dp), intent(out) :: y(*)
    y(1) = a(1) + 10 * b(1) + 100 * c(1) + 1000 * d(2)
  end subroutine sum_of_four

  !> H = [2 1; 1 3], b = qd.
  pure subroutine pendulum(q, qd, h, b)
    real(dp), intent(in) :: q(*), qd(*)
    real(dp), intent(out) :: h(*), b(*)
    h(1:4) = [2, 1, 1, 3] + 0 * q(1)
    b(1:2) = qd(1:2)
  end subroutine pendulum

  pure subroutine push(q, wrench, f)
    real(dp), intent(in) :: q(*), wrench(*)
    real(dp), intent(out) :: f(*)
    f(1:2) = q(1:2) * wrench(6)
  end subroutine push

  !> H = [1 q; q 1] is singular where q = 1.
  pure subroutine indefinite(q, qd, h, b)
    real(dp), intent(in) :: q(*), qd(*)
    real(dp), intent(out) :: h(*), b(*)
    h(1:4) = [1.0_dp, q(1), q(1), 1.0_dp]
    b(1:2) = qd(1:2)
  end subroutine indefinite

end module routines

program test_modules
  !! Claims about the hand-written modules; the first that does not hold ends the program.
  use, intrinsic :: ieee_arithmetic, only: ieee_positive_inf, ieee_quiet_nan, ieee_value
  use batch, only: finite, map1, map2, map3, map4
  use direct_dynamics, only: accelerate, solve
  use kinds, only: dp
  use routines, only: double, indefinite, pendulum, places, push, sum_of_four, weighted
  implicit none

  call solve_gives_back_a_known_vector()
  call solve_refuses_what_is_not_positive_definite()
  call only_finite_numbers_are_finite()
  call maps_visit_every_state()
  call the_first_argument_that_is_not_finite_is_named()
  call accelerations_balance_the_forces()
  call the_state_of_a_singular_matrix_is_named()
  print '(a)', 'all claims hold'

contains

  subroutine claim(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what

    if (holds) return
    print '(2a)', 'does not hold: ', what
    error stop 1
  end subroutine claim

  subroutine solve_gives_back_a_known_vector()
    ! the Hilbert matrix plus one on the diagonal, times (1, 2, ..., n)
    integer, parameter :: n = 7
    real(dp) :: h(n, n), x(n)
    integer :: i, j, info

    h = reshape([((1.0_dp / (i + j - 1), i=1, n), j=1, n)], [n, n])
    do i = 1, n
      h(i, i) = h(i, i) + 1
    end do
    x = matmul(h, [(real(i, dp), i=1, n)])
    do i = 1, n - 1
      h(i, i + 1:) = ieee_value(1.0_dp, ieee_quiet_nan)
    end do
    call solve(n, h, x, info)
    call claim(info == 0, 'a positive definite matrix is accepted')
    call claim(maxval(abs(x - [(i, i=1, n)])) < 1e-13_dp, 'solve inverts, from the lower triangle')
  end subroutine solve_gives_back_a_known_vector

  subroutine solve_refuses_what_is_not_positive_definite()
    real(dp), parameter :: scales(3) = [1e-200_dp, 1.0_dp, 1e200_dp]
    real(dp), parameter :: v(3) = [0.1_dp, 0.7_dp, 1.3_dp]
    real(dp) :: h(3, 3), x(3)
    integer :: info, k

    do k = 1, 3
      ! rank one, with rounding: the second pivot is zero or a few units of the last place
      h = scales(k) * spread(v, 2, 3) * spread(v, 1, 3)
      x = 1
      call solve(3, h, x, info)
      call claim(info == 2, 'a matrix of rank one has no second pivot, whatever its scale')
    end do

    h = 0
    h(1, 1) = 1e-12_dp
    h(2, 2) = 1
    h(3, 3) = 1e12_dp
    x = [1e-12_dp, 2.0_dp, 3e12_dp]
    call solve(3, h, x, info)
    call claim(info == 0 .and. maxval(abs(x - [1, 2, 3])) < 1e-14_dp, 'scales may differ')
    h(3, 3) = ieee_value(1.0_dp, ieee_quiet_nan)
    call solve(3, h, x, info)
    call claim(info == 3, 'a pivot that is not a number is refused')
  end subroutine solve_refuses_what_is_not_positive_definite

  subroutine only_finite_numbers_are_finite()
    real(dp) :: x(2, 2)

    x = reshape([0.0_dp, -huge(1.0_dp), tiny(1.0_dp), huge(1.0_dp)], [2, 2])
    call claim(finite(x), 'the largest number is finite')
    x(2, 1) = ieee_value(1.0_dp, ieee_quiet_nan)
    call claim(.not. finite(x), 'NaN is not finite')
    x(2, 1) = -ieee_value(1.0_dp, ieee_positive_inf)
    call claim(.not. finite(x), 'infinity is not finite')
  end subroutine only_finite_numbers_are_finite

  subroutine maps_visit_every_state()
    real(dp) :: a(2, 3), y(2, 3), flat(3), c_order(3, 2, 3)
    integer :: info, s

    a = reshape([1, 2, 3, 4, 5, 6], [2, 3])
    call map1(double, [2], 2, 1, 3, a, y, info)
    call claim(info == 0 .and. all(nint(y) == 2 * nint(a)), 'map1')
    call map2(places, [1, 2], 2, 3, 3, a(1, :), a, c_order, info)
    do s = 1, 3
      call claim(all(nint(c_order(:, 1, s) - 2 * a(1, s)) == [11, 12, 13]), 'map2: first row')
      call claim(all(nint(c_order(:, 2, s) - 2 * a(1, s)) == [21, 22, 23]), 'map2: second row')
    end do
    call map3(weighted, [2, 1, 2], 1, 1, 3, a, a(2, :), a, flat, info)
    call claim(info == 0 .and. all(nint(flat) == [121, 343, 565]), 'map3')
    call map4(sum_of_four, [2, 2, 2, 2], 1, 1, 3, a, a, a, a, flat, info)
    call claim(info == 0 .and. all(nint(flat) == [2111, 4333, 6555]), 'map4')
    call map1(double, [2], 2, 1, 0, a, y, info)
    call claim(info == 0, 'no state is a batch as well')
  end subroutine maps_visit_every_state

  subroutine the_first_argument_that_is_not_finite_is_named()
    real(dp) :: good(2, 3), bad(2, 3), y(1, 3)
    integer :: info

    good = 1
    bad = good
    bad(2, 3) = ieee_value(1.0_dp, ieee_quiet_nan)
    call map1(double, [2], 2, 1, 3, bad, good, info)
    call claim(info == 1, 'map1 names its argument')
    good = 1
    call map3(weighted, [2, 2, 2], 1, 1, 3, good, bad, bad, y, info)
    call claim(info == 2, 'map3 names the second')
    call map4(sum_of_four, [2, 2, 2, 2], 1, 1, 3, good, good, good, bad, y, info)
    call claim(info == 4, 'map4 names the fourth')
  end subroutine the_first_argument_that_is_not_finite_is_named

  subroutine accelerations_balance_the_forces()
    real(dp) :: q(2, 2), qd(2, 2), tau(2, 2), qdd(2, 2), wrench(6, 2)
    integer :: info

    ! H (1, 2) = (4, 7) and H (-1, 1) = (-1, 2)
    q = reshape([1, 2, 3, 4], [2, 2])
    qd = reshape([5, 6, 7, 8], [2, 2])
    tau = qd + reshape([4, 7, -1, 2], [2, 2])
    call accelerate(pendulum, 2, 2, q, qd, tau, qdd, info)
    call claim(info == 0, 'accelerate: positive definite')
    call claim(maxval(abs(qdd - reshape([1, 2, -1, 1], [2, 2]))) < 1e-14_dp, 'H qdd = tau - b')

    wrench = 0
    wrench(6, :) = [1, -2]
    tau = tau - q * spread(wrench(6, :), 1, 2)
    call accelerate(pendulum, 2, 2, q, qd, tau, qdd, info, push, wrench)
    call claim(maxval(abs(qdd - reshape([1, 2, -1, 1], [2, 2]))) < 1e-14_dp, 'with a wrench')
    wrench(1, 2) = ieee_value(1.0_dp, ieee_positive_inf)
    call accelerate(pendulum, 2, 2, q, qd, tau, qdd, info, push, wrench)
    call claim(info == 4, 'a wrench must be finite')
  end subroutine accelerations_balance_the_forces

  subroutine the_state_of_a_singular_matrix_is_named()
    real(dp) :: q(2, 3), zero(2, 3), qdd(2, 3)
    integer :: info

    q = 0
    q(1, 2) = 1
    zero = 0
    call accelerate(indefinite, 2, 3, q, zero, zero, qdd, info)
    call claim(info == -2, 'the second state is singular')
  end subroutine the_state_of_a_singular_matrix_is_named

end program test_modules
