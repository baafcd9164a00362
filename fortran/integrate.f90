module integrate
  !! Integrators of y' = f(t, y) with y = (q, qd, w): coordinates, their rates, and integrals
  !! that are carried along. A `system` comes in, with the state at t and the times at which
  !! its `output` is called; out comes the state at the last of them.
  !!
  !!   rk4             the classical method of order 4, fixed step
  !!   dormand_prince  order 5 with an embedded one of order 4, step chosen by a PI controller,
  !!                   dense output of order 4: Dormand and Prince (1980), Hairer, Norsett
  !!                   and Wanner (1993)
  !!
  !! `info` tells why a run ended before its time; t and y are then the last good state.
  use kinds, only: dp
  implicit none
  private
  public :: dormand_prince, evaluate, finite, outputs_now, pieces, rk4, system, tally
  public :: done, no_convergence, not_finite, singular, step_too_small

  integer, parameter :: done = 0, not_finite = 1, singular = 2, step_too_small = 3
  integer, parameter :: no_convergence = 4

  type, abstract :: system
    integer :: n = 0  !! q and qd have n elements each; w is the rest of y
  contains
    procedure(rate), deferred :: rate
    procedure(output), deferred :: output
  end type system

  type :: tally
    real(dp) :: steps = 0, rejected = 0, evaluations = 0, smallest = huge(1.0_dp)
  end type tally

  abstract interface
    !> yd = f(t, y); info = done, singular or not_finite.
    subroutine rate(s, t, y, yd, info)
      import :: dp, system
      implicit none
      class(system), intent(inout) :: s
      real(dp), intent(in) :: t, y(:)
      real(dp), intent(out) :: yd(:)
      integer, intent(out) :: info
    end subroutine rate

    !> Hears of output time k, always right after `rate` was called there.
    subroutine output(s, k, t, y, yd)
      import :: dp, system
      implicit none
      class(system), intent(inout) :: s
      integer, intent(in) :: k
      real(dp), intent(in) :: t, y(:), yd(:)
    end subroutine output
  end interface

  ! tableau of Dormand and Prince; the last row of a is the method of order 5
  real(dp), parameter :: c(7) = [0.0_dp, 1 / 5.0_dp, 3 / 10.0_dp, 4 / 5.0_dp, 8 / 9.0_dp, &
    1.0_dp, 1.0_dp]
  real(dp), parameter :: a2(1) = [1 / 5.0_dp]
  real(dp), parameter :: a3(2) = [3 / 40.0_dp, 9 / 40.0_dp]
  real(dp), parameter :: a4(3) = [44 / 45.0_dp, -56 / 15.0_dp, 32 / 9.0_dp]
  real(dp), parameter :: a5(4) = [19372 / 6561.0_dp, -25360 / 2187.0_dp, 64448 / 6561.0_dp, &
    -212 / 729.0_dp]
  real(dp), parameter :: a6(5) = [9017 / 3168.0_dp, -355 / 33.0_dp, 46732 / 5247.0_dp, &
    49 / 176.0_dp, -5103 / 18656.0_dp]
  real(dp), parameter :: a7(6) = [35 / 384.0_dp, 0.0_dp, 500 / 1113.0_dp, 125 / 192.0_dp, &
    -2187 / 6784.0_dp, 11 / 84.0_dp]
  ! order 5 minus order 4
  real(dp), parameter :: e(7) = [71 / 57600.0_dp, 0.0_dp, -71 / 16695.0_dp, 71 / 1920.0_dp, &
    -17253 / 339200.0_dp, 22 / 525.0_dp, -1 / 40.0_dp]
  ! fifth coefficient of the dense output
  real(dp), parameter :: d(7) = [-12715105075.0_dp / 11282082432.0_dp, 0.0_dp, &
    87487479700.0_dp / 32700410799.0_dp, -10690763975.0_dp / 1880347072.0_dp, &
    701980252875.0_dp / 199316789632.0_dp, -1453857185.0_dp / 822651844.0_dp, &
    69997945.0_dp / 29380423.0_dp]

contains

  !> Every stretch between two outputs is divided into equal steps not larger than `step`.
  subroutine rk4(s, t, y, times, step, count, reached, info)
    class(system), intent(inout) :: s
    real(dp), intent(inout) :: t, y(:)
    real(dp), intent(in) :: times(:), step
    type(tally), intent(inout) :: count
    integer, intent(out) :: reached, info
    real(dp), dimension(size(y)) :: k1, k2, k3, k4, new
    real(dp) :: h, start
    integer :: i, j, parts

    reached = 0
    call evaluate(s, t, y, k1, count, info)
    if (info /= done) return
    call outputs_now(s, t, y, k1, times, reached)
    do i = reached + 1, size(times)
      start = t
      parts = pieces(times(i) - start, step)
      h = (times(i) - start) / parts
      do j = 1, parts
        call s%rate(t + h / 2, y + h / 2 * k1, k2, info)
        if (info == done) call s%rate(t + h / 2, y + h / 2 * k2, k3, info)
        if (info == done) call s%rate(t + h, y + h * k3, k4, info)
        if (info /= done) exit
        new = y + h / 6 * (k1 + 2 * (k2 + k3) + k4)
        info = merge(done, not_finite, finite(new))
        if (info /= done) exit
        y = new
        t = merge(times(i), start + j * h, j == parts)
        count%steps = count%steps + 1
        count%evaluations = count%evaluations + 3
        call evaluate(s, t, y, k1, count, info)
        if (info /= done) exit
      end do
      if (info /= done) return
      count%smallest = min(count%smallest, h)
      call s%output(i, t, y, k1)
      reached = i
    end do
  end subroutine rk4

  !> Errors of q and qd are held at atol + rtol |y| per step. `memory` goes on with the step
  !> and the last error: zero at the start, afterwards as it was left.
  subroutine dormand_prince(s, t, y, times, rtol, atol, largest, memory, count, reached, info)
    class(system), intent(inout) :: s
    real(dp), intent(inout) :: t, y(:), memory(2)
    real(dp), intent(in) :: times(:), rtol, atol, largest
    type(tally), intent(inout) :: count
    integer, intent(out) :: reached, info
    real(dp) :: k(size(y), 7), new(size(y)), h, error, factor, finish
    integer :: m
    logical :: rejected, cut

    reached = 0
    m = 2 * s%n
    finish = times(size(times))
    call evaluate(s, t, y, k(:, 1), count, info)
    if (info /= done) return
    call outputs_now(s, t, y, k(:, 1), times, reached)
    if (memory(1) <= 0) then
      memory = [first_step(s, t, y, k(:, 1), rtol, atol, count), 1e-4_dp]
    end if
    h = min(memory(1), largest)
    rejected = .false.
    do while (t < finish)
      cut = t + 1.0001_dp * h >= finish
      if (cut) h = finish - t
      if (h <= 4 * spacing(max(abs(t), tiny(t)))) then
        info = step_too_small
        return
      end if
      call stages(s, t, y, h, k, new, count, info)
      error = huge(error)
      if (info == done) error = norm2(h * matmul(k(:m, :), e) &
        / (atol + rtol * max(abs(y(:m)), abs(new(:m))))) / sqrt(real(m, dp))
      if (error <= 1 .and. finite(new)) then
        ! PI controller: exponents 0.2 - 0.75 beta and beta = 0.04
        factor = 0.9_dp * max(error, 1e-10_dp)**(-0.17_dp) * memory(2)**0.04_dp
        factor = min(merge(1.0_dp, 10.0_dp, rejected), max(0.2_dp, factor))
        memory(2) = max(error, 1e-4_dp)
        if (.not. cut) count%smallest = min(count%smallest, h)
        call dense(s, t, y, h, k, new, times, count, reached, info)
        if (info /= done) return
        t = merge(finish, t + h, cut)
        y = new
        k(:, 1) = k(:, 7)
        count%steps = count%steps + 1
        rejected = .false.
        ! a step that was cut to meet the end says nothing against the one planned
        h = min(largest, merge(max(memory(1), factor * h), factor * h, cut))
        memory(1) = h
      else
        factor = 0.1_dp
        if (error < huge(error)) factor = max(0.2_dp, 0.9_dp * error**(-0.2_dp))
        h = factor * h
        memory(1) = h
        count%rejected = count%rejected + 1
        rejected = .true.
      end if
    end do
  end subroutine dormand_prince

  subroutine stages(s, t, y, h, k, new, count, info)
    class(system), intent(inout) :: s
    real(dp), intent(in) :: t, y(:), h
    real(dp), intent(inout) :: k(:, :)
    real(dp), intent(out) :: new(:)
    type(tally), intent(inout) :: count
    integer, intent(out) :: info
    integer :: i

    info = done
    new = y
    do i = 2, 7
      select case (i)
      case (2)
        new = y + h * (a2(1) * k(:, 1))
      case (3)
        new = y + h * matmul(k(:, 1:2), a3)
      case (4)
        new = y + h * matmul(k(:, 1:3), a4)
      case (5)
        new = y + h * matmul(k(:, 1:4), a5)
      case (6)
        new = y + h * matmul(k(:, 1:5), a6)
      case (7)
        new = y + h * matmul(k(:, 1:6), a7)
      end select
      call evaluate(s, t + c(i) * h, new, k(:, i), count, info)
      if (info /= done) return
    end do
  end subroutine stages

  !> Outputs inside a step that is done.
  subroutine dense(s, t, y, h, k, new, times, count, reached, info)
    class(system), intent(inout) :: s
    real(dp), intent(in) :: t, y(:), h, k(:, :), new(:), times(:)
    type(tally), intent(inout) :: count
    integer, intent(inout) :: reached
    integer, intent(out) :: info
    real(dp), dimension(size(y)) :: r3, r4, r5, at, yd
    real(dp) :: x

    info = done
    if (reached == size(times)) return
    if (times(reached + 1) > t + h) return
    r3 = h * k(:, 1) - (new - y)
    r4 = (new - y) - h * k(:, 7) - r3
    r5 = h * matmul(k, d)
    do while (reached < size(times))
      x = (times(reached + 1) - t) / h
      if (x > 1) exit
      at = y + x * ((new - y) + (1 - x) * (r3 + x * (r4 + (1 - x) * r5)))
      call evaluate(s, times(reached + 1), at, yd, count, info)
      if (info /= done) return
      reached = reached + 1
      call s%output(reached, times(reached), at, yd)
    end do
  end subroutine dense

  !> A first step from the sizes of y, f and f' (Hairer, Norsett and Wanner, II.4).
  function first_step(s, t, y, k1, rtol, atol, count) result(h)
    class(system), intent(inout) :: s
    real(dp), intent(in) :: t, y(:), k1(:), rtol, atol
    type(tally), intent(inout) :: count
    real(dp) :: h, scale(2 * s%n), k2(size(y)), d0, d1, d2
    integer :: m, info

    m = 2 * s%n
    scale = atol + rtol * abs(y(:m))
    d0 = norm2(y(:m) / scale)
    d1 = norm2(k1(:m) / scale)
    h = merge(1e-6_dp, 0.01_dp * d0 / max(d1, tiny(d1)), min(d0, d1) < 1e-5_dp)
    call evaluate(s, t + h, y + h * k1, k2, count, info)
    if (info /= done) return
    d2 = norm2((k2(:m) - k1(:m)) / scale) / h
    if (.not. max(d1, d2) > 1e-15_dp) then
      h = max(1e-6_dp, 1e-3_dp * h)
    else
      h = min(100 * h, (0.01_dp / max(d1, d2))**0.2_dp)
    end if
  end function first_step

  !> Outputs wanted at the very start.
  subroutine outputs_now(s, t, y, yd, times, reached)
    class(system), intent(inout) :: s
    real(dp), intent(in) :: t, y(:), yd(:), times(:)
    integer, intent(inout) :: reached

    do while (reached < size(times))
      if (times(reached + 1) > t) exit
      reached = reached + 1
      call s%output(reached, t, y, yd)
    end do
  end subroutine outputs_now

  subroutine evaluate(s, t, y, yd, count, info)
    class(system), intent(inout) :: s
    real(dp), intent(in) :: t, y(:)
    real(dp), intent(out) :: yd(:)
    type(tally), intent(inout) :: count
    integer, intent(out) :: info

    call s%rate(t, y, yd, info)
    count%evaluations = count%evaluations + 1
  end subroutine evaluate

  !> Into how many steps a stretch is divided.
  pure integer function pieces(stretch, step)
    real(dp), intent(in) :: stretch, step

    pieces = max(1, ceiling(stretch / step * (1 - 1e-9_dp)))
  end function pieces

  pure logical function finite(x)
    real(dp), intent(in) :: x(:)

    finite = all(abs(x) <= huge(x))
  end function finite

end module integrate
