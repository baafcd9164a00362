module swings
  !! Systems with solutions that can be told by hand.
  use integrate, only: done, not_finite, system
  use kinds, only: dp
  implicit none
  private
  public :: kept, oscillator

  integer, parameter :: kept = 100

  !> qdd = -omega^2 q - drag qd; carried along: the integral of qd^2. With `fails_at` below
  !> infinity there are no numbers from that time on.
  type, extends(system) :: oscillator
    real(dp) :: omega = 1, drag = 0, fails_at = huge(1.0_dp)
    real(dp) :: q(kept) = 0, qd(kept) = 0, w(kept) = 0, t(kept) = 0
  contains
    procedure :: rate
    procedure :: output
  end type oscillator

contains

  subroutine rate(s, t, y, yd, info)
    class(oscillator), intent(inout) :: s
    real(dp), intent(in) :: t, y(:)
    real(dp), intent(out) :: yd(:)
    integer, intent(out) :: info

    info = merge(not_finite, done, t >= s%fails_at)
    yd = [y(2), -s%omega**2 * y(1) - s%drag * y(2), y(2)**2]
  end subroutine rate

  subroutine output(s, k, t, y, yd)
    class(oscillator), intent(inout) :: s
    integer, intent(in) :: k
    real(dp), intent(in) :: t, y(:), yd(:)

    s%t(k) = t
    s%q(k) = y(1)
    s%qd(k) = yd(1)
    s%w(k) = y(3)
  end subroutine output

end module swings

program test_integrate
  !! Claims about the integrators; the first that does not hold ends the program.
  use drive, only: set_signal, set_window, signal
  use implicit_step, only: generalised_alpha
  use integrate, only: done, dormand_prince, not_finite, rk4, step_too_small, tally
  use kinds, only: dp
  use linear, only: lu_factor, lu_solve, solve_positive
  use swings, only: oscillator
  implicit none

  integer, parameter :: by_rk4 = 1, by_dormand_prince = 2, by_alpha = 3

  call every_method_has_its_order()
  call dense_output_is_as_good_as_the_steps()
  call adaptive_steps_keep_the_tolerance()
  call outputs_are_where_they_are_wanted()
  call a_run_in_two_chunks_is_the_same_run()
  call the_implicit_method_outlives_any_step()
  call a_run_that_fails_keeps_the_last_good_state()
  call linear_systems_give_back_known_vectors()
  call signals_are_their_polynomials()
  print '(a)', 'all claims hold'

contains

  subroutine claim(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what

    if (holds) return
    print '(2a)', 'does not hold: ', what
    error stop 1
  end subroutine claim

  !> State at the end of q = cos t, qd = -sin t, w = (t - sin t cos t) / 2.
  subroutine swing(method, step, finish, y)
    integer, intent(in) :: method
    real(dp), intent(in) :: step, finish
    real(dp), intent(out) :: y(3)
    type(oscillator) :: s
    type(tally) :: count
    real(dp) :: t, memory(2), a(1)
    integer :: reached, info
    logical :: started

    s%n = 1
    t = 0
    y = [1, 0, 0]
    memory = [step, 1e-4_dp]
    started = .false.
    info = -1
    select case (method)
    case (by_rk4)
      call rk4(s, t, y, [finish], step, count, reached, info)
    case (by_dormand_prince)
      ! tolerances that nothing misses: fixed steps
      call dormand_prince(s, t, y, [finish], 1e9_dp, 1e9_dp, step, memory, count, reached, info)
    case (by_alpha)
      call generalised_alpha(s, t, y, [finish], step, 0.7_dp, a, started, count, reached, info)
    end select
    call claim(info == done .and. reached == 1, 'the end is reached')
  end subroutine swing

  pure function exact(t) result(y)
    real(dp), intent(in) :: t
    real(dp) :: y(3)

    y = [cos(t), -sin(t), (t - sin(t) * cos(t)) / 2]
  end function exact

  subroutine every_method_has_its_order()
    integer, parameter :: orders(3) = [4, 5, 2]
    real(dp), parameter :: finish = 3.2_dp
    real(dp) :: y(3), coarse, fine
    integer :: method

    do method = 1, 3
      call swing(method, 0.04_dp, finish, y)
      coarse = norm2(y - exact(finish))
      call swing(method, 0.02_dp, finish, y)
      fine = norm2(y - exact(finish))
      call claim(abs(log(coarse / fine) / log(2.0_dp) - orders(method)) < 0.2_dp, &
        'half the step: the error falls by 16, 32, 4')
    end do
  end subroutine every_method_has_its_order

  subroutine dense_output_is_as_good_as_the_steps()
    real(dp) :: errors(2), times(80), y(3), t, memory(2), step
    type(oscillator) :: s
    type(tally) :: count
    integer :: i, j, reached, info

    times = [(0.04_dp * i, i=1, 80)]
    do j = 1, 2
      step = 0.4_dp / 2**j
      s%n = 1
      t = 0
      y = [1, 0, 0]
      memory = [step, 1e-4_dp]
      call dormand_prince(s, t, y, times, 1e9_dp, 1e9_dp, step, memory, count, reached, info)
      call claim(reached == 80, 'dense output: all times')
      errors(j) = maxval(abs(s%q(:80) - cos(times))) + maxval(abs(s%qd(:80) + sin(times)))
    end do
    call claim(errors(1) < 1e-5_dp, 'dense output is near the solution')
    call claim(log(errors(1) / errors(2)) / log(2.0_dp) > 3.8_dp, 'dense output has order 4')
  end subroutine dense_output_is_as_good_as_the_steps

  subroutine adaptive_steps_keep_the_tolerance()
    real(dp) :: y(3), t, memory(2), tolerance, errors(3), steps(3)
    type(oscillator) :: s
    type(tally) :: count
    integer :: j, reached, info

    do j = 1, 3
      tolerance = 1e-4_dp / 1000.0_dp**(j - 1)
      count = tally()
      s%n = 1
      t = 0
      y = [1, 0, 0]
      memory = 0
      call dormand_prince(s, t, y, [20.0_dp], tolerance, tolerance, 1e9_dp, memory, count, &
        reached, info)
      errors(j) = norm2(y - exact(20.0_dp))
      steps(j) = count%steps
      call claim(errors(j) < 100 * tolerance, 'the error follows the tolerance')
    end do
    ! 1000 times the accuracy: 1000^(1/5) = 4 times the steps
    call claim(all(steps(2:) / steps(:2) > 3 .and. steps(2:) / steps(:2) < 5), 'order 5 in steps')
    call claim(count%evaluations <= 6 * (count%steps + count%rejected) + 5, 'six evaluations a step')
  end subroutine adaptive_steps_keep_the_tolerance

  subroutine outputs_are_where_they_are_wanted()
    real(dp), parameter :: times(4) = [0.0_dp, 0.25_dp, 0.3_dp, 1.0_dp]
    real(dp) :: y(3), t
    type(oscillator) :: s
    type(tally) :: count
    integer :: reached, info

    s%n = 1
    t = 0
    y = [1, 0, 0]
    call rk4(s, t, y, times, 0.1_dp, count, reached, info)
    call claim(reached == 4 .and. all(abs(s%t(:4) - times) <= 0), 'output times are met exactly')
    call claim(nint(count%steps) == 3 + 1 + 7, 'stretches are divided into equal steps')
    call claim(abs(s%q(1) - 1) <= 0, 'the start is an output')
    call claim(maxval(abs(s%q(:4) - cos(times))) < 1e-6_dp, 'outputs lie on the solution')
  end subroutine outputs_are_where_they_are_wanted

  subroutine a_run_in_two_chunks_is_the_same_run()
    real(dp) :: whole(3), parts(3), t, a(1)
    type(oscillator) :: s
    type(tally) :: count
    integer :: reached, info
    logical :: started

    s%n = 1
    t = 0
    started = .false.
    whole = [1, 0, 0]
    call generalised_alpha(s, t, whole, [1.0_dp, 2.0_dp], 0.1_dp, 0.5_dp, a, started, count, &
      reached, info)
    t = 0
    started = .false.
    parts = [1, 0, 0]
    call generalised_alpha(s, t, parts, [1.0_dp], 0.1_dp, 0.5_dp, a, started, count, reached, info)
    call generalised_alpha(s, t, parts, [2.0_dp], 0.1_dp, 0.5_dp, a, started, count, reached, info)
    call claim(maxval(abs(whole - parts)) < 1e-10_dp, 'chunks do not change the run')
  end subroutine a_run_in_two_chunks_is_the_same_run

  subroutine the_implicit_method_outlives_any_step()
    real(dp) :: y(3), t, a(1), energy
    type(oscillator) :: s
    type(tally) :: count
    integer :: reached, info
    logical :: started

    ! a step of 160 periods, ten times
    s%n = 1
    s%omega = 1000
    t = 0
    y = [1, 0, 0]
    started = .false.
    call generalised_alpha(s, t, y, [10.0_dp], 1.0_dp, 0.5_dp, a, started, count, reached, info)
    call claim(info == done .and. abs(y(1)) < 0.2_dp, 'what a step cannot follow is damped')
    t = 0
    y = [1, 0, 0]
    started = .false.
    s%omega = 10
    call generalised_alpha(s, t, y, [50.0_dp], 0.05_dp, 1.0_dp, a, started, count, reached, info)
    energy = y(2)**2 + 100 * y(1)**2
    call claim(abs(energy - 100) < 1e-6_dp * 100, 'with radius 1 nothing is damped')
  end subroutine the_implicit_method_outlives_any_step

  subroutine a_run_that_fails_keeps_the_last_good_state()
    real(dp), parameter :: times(3) = [1.0_dp, 2.0_dp, 3.0_dp]
    real(dp) :: y(3), t, memory(2)
    type(oscillator) :: s
    type(tally) :: count
    integer :: reached, info

    s%n = 1
    s%fails_at = 2.35_dp
    t = 0
    y = [1, 0, 0]
    call rk4(s, t, y, times, 0.1_dp, count, reached, info)
    call claim(info == not_finite .and. reached == 2, 'two outputs were reached')
    call claim(abs(t - 2.3_dp) < 1e-12_dp .and. abs(y(1) - cos(t)) < 1e-5_dp, 'rk4: good to 2.3')
    t = 0
    y = [1, 0, 0]
    memory = 0
    call dormand_prince(s, t, y, times, 1e-6_dp, 1e-6_dp, 1e9_dp, memory, count, reached, info)
    call claim(info == step_too_small .and. reached == 2, 'adaptive steps close in on it')
    call claim(abs(t - 2.35_dp) < 1e-9_dp .and. abs(y(1) - cos(t)) < 1e-5_dp, 'good to 2.35')

    ! beyond the limit of stability the numbers grow until there are none
    s%fails_at = huge(1.0_dp)
    s%omega = 1000
    t = 0
    y = [1, 0, 0]
    call rk4(s, t, y, [100.0_dp], 0.1_dp, count, reached, info)
    call claim(info == not_finite .and. reached == 0, 'overflow ends a run')
    call claim(all(abs(y) <= huge(y)), 'the last state is finite')
  end subroutine a_run_that_fails_keeps_the_last_good_state

  subroutine linear_systems_give_back_known_vectors()
    integer, parameter :: n = 6
    real(dp) :: h(n, n), x(n), m(n, n), wanted(n)
    integer :: i, j, info, pivots(n)

    wanted = [(real(i, dp), i=1, n)]
    h = reshape([((1.0_dp / (i + j - 1), i=1, n), j=1, n)], [n, n])
    do i = 1, n
      h(i, i) = h(i, i) + 1
    end do
    m = h
    x = matmul(h, wanted)
    call solve_positive(n, m, x, info)
    call claim(info == 0 .and. maxval(abs(x - wanted)) < 1e-13_dp, 'positive definite')
    m = h
    m(3, 3) = -1
    call solve_positive(n, m, x, info)
    call claim(info == 3, 'the pivot that is not positive is named')
    ! no pivot where it stands
    m = h(:, [2, 1, 3, 6, 5, 4])
    m(1, 1) = 0
    x = matmul(m, wanted)
    call lu_factor(m, pivots, info)
    call lu_solve(m, pivots, x)
    call claim(info == 0 .and. maxval(abs(x - wanted)) < 1e-12_dp, 'any regular matrix')
    m = 0
    call lu_factor(m, pivots, info)
    call claim(info == 1, 'zero has no pivot')
  end subroutine linear_systems_give_back_known_vectors

  subroutine signals_are_their_polynomials()
    type(signal) :: s
    real(dp) :: x(1), xd(1), xdd(1), c(1, 3, 2)

    ! 1 + 2 t + 3 t^2 up to 1, then 10 + (t - 1)
    c(1, :, 1) = [1, 2, 3]
    c(1, :, 2) = [10, 1, 0]
    call set_signal(s, [0.0_dp, 1.0_dp], c)
    call s%at(0.5_dp, x, xd, xdd)
    call claim(abs(x(1) - 2.75_dp) + abs(xd(1) - 5) + abs(xdd(1) - 6) < 1e-14_dp, 'first piece')
    call s%at(3.0_dp, x, xd, xdd)
    call claim(abs(x(1) - 12) + abs(xd(1) - 1) + abs(xdd(1)) < 1e-14_dp, 'last piece goes on')
    call s%at(-1.0_dp, x)
    call claim(abs(x(1) - 2) < 1e-14_dp, 'back to the first')
    call s%at(1.0_dp, x)
    call claim(abs(x(1) - 10) < 1e-14_dp, 'a jump belongs to what follows')
    call set_window(s, 0.0_dp, 1.0_dp)
    call s%at(1.0_dp, x)
    call claim(abs(x(1) - 1 - 2 - 3) < 1e-14_dp, 'but not at the end of a stretch')
    call set_window(s, 1.0_dp, 2.0_dp)
    call s%at(1.0_dp, x)
    call claim(abs(x(1) - 10) < 1e-14_dp, 'and the next stretch begins with it')
  end subroutine signals_are_their_polynomials

end program test_integrate
