module implicit_step
  !! The generalised-alpha method for stiff arms: implicit, order 2, stable for every step where
  !! the accelerations are linear in the state. Chung and Hulbert (1993), with the
  !! acceleration-like variable a of Arnold and Bruels (2007):
  !!
  !!   (1 - am) a1 + am a0 = (1 - af) qdd1 + af qdd0
  !!   q1  = q0 + h qd0 + h^2 ((1/2 - beta) a0 + beta a1)
  !!   qd1 = qd0 + h ((1 - gamma) a0 + gamma a1)
  !!
  !! State, times, outputs and `info` as in `integrate`; integrals follow by the trapezoidal rule.
  use integrate, only: done, evaluate, finite, no_convergence, not_finite, outputs_now, pieces, &
    system, tally
  use kinds, only: dp
  use linear, only: lu_factor, lu_solve
  implicit none
  private
  public :: generalised_alpha

contains

  !> `radius` is the spectral radius at infinite frequency: 1 damps nothing, 0 damps what a
  !> step cannot follow at once. `a` is the acceleration-like variable, set where `started` is
  !> false. Equal steps not larger than `step` between outputs, as in rk4.
  subroutine generalised_alpha(s, t, y, times, step, radius, a, started, count, reached, info)
    class(system), intent(inout) :: s
    real(dp), intent(inout) :: t, y(:), a(:)
    real(dp), intent(in) :: times(:), step, radius
    logical, intent(inout) :: started
    type(tally), intent(inout) :: count
    integer, intent(out) :: reached, info
    real(dp) :: k0(size(y)), h, start, matrix(s%n, s%n), last
    integer :: i, j, parts, pivots(s%n)
    logical :: fresh

    reached = 0
    call evaluate(s, t, y, k0, count, info)
    if (info /= done) return
    if (.not. started) a = k0(s%n + 1:2 * s%n)
    started = .true.
    last = 0
    fresh = .false.
    call outputs_now(s, t, y, k0, times, reached)
    do i = reached + 1, size(times)
      start = t
      parts = pieces(times(i) - start, step)
      h = (times(i) - start) / parts
      if (abs(h - last) > 1e-6_dp * h) fresh = .false.
      last = h
      do j = 1, parts
        call alpha_step(s, t, y, h, radius, a, k0, matrix, pivots, fresh, count, info)
        if (info /= done) return
        t = merge(times(i), start + j * h, j == parts)
        count%steps = count%steps + 1
      end do
      count%smallest = min(count%smallest, h)
      call s%output(i, t, y, k0)
      reached = i
    end do
  end subroutine generalised_alpha

  !> One step by Newton's method; `matrix` is kept while it serves (`fresh` is set to false
  !> where it should be formed again). On success y, a and k0 = f(t + h, y) are the new ones.
  subroutine alpha_step(s, t, y, h, radius, a, k0, matrix, pivots, fresh, count, info)
    class(system), intent(inout) :: s
    real(dp), intent(in) :: t, h, radius
    real(dp), intent(inout) :: y(:), a(:), k0(:), matrix(:, :)
    integer, intent(inout) :: pivots(:)
    logical, intent(inout) :: fresh
    type(tally), intent(inout) :: count
    integer, intent(out) :: info
    integer, parameter :: most = 12
    real(dp), parameter :: tolerance = 1e-11_dp, floor = 1e-13_dp
    real(dp) :: am, af, gamma, beta, size_of, before
    real(dp), dimension(s%n) :: next, residual, scale
    real(dp), dimension(size(y)) :: new, k1
    integer :: n, attempt, iteration

    n = s%n
    am = (2 * radius - 1) / (radius + 1)
    af = radius / (radius + 1)
    gamma = 0.5_dp + af - am
    beta = (gamma + 0.5_dp)**2 / 4
    do attempt = 1, 2
      next = a
      before = huge(before)
      if (attempt == 2) fresh = .false.
      do iteration = 1, most
        call advance(next, new)
        call evaluate(s, t + h, new, k1, count, info)
        if (info /= done) exit
        residual = (1 - am) * next + am * a - (1 - af) * k1(n + 1:2 * n) - af * k0(n + 1:2 * n)
        if (.not. fresh) call form(new, k1)
        if (info /= done) exit
        call lu_solve(matrix, pivots, residual)
        next = next - residual
        scale = floor + tolerance * abs(new(n + 1:2 * n)) + 100 * epsilon(h) * h * abs(next)
        size_of = maxval(gamma * h * abs(residual) / scale)
        if (.not. size_of <= huge(size_of)) exit
        if (size_of <= 1) then
          call advance(next, new)
          call evaluate(s, t + h, new, k1, count, info)
          if (info /= done) exit
          new(2 * n + 1:) = y(2 * n + 1:) + h / 2 * (k0(2 * n + 1:) + k1(2 * n + 1:))
          info = merge(done, not_finite, finite(new))
          if (info /= done) return
          fresh = iteration <= 4
          y = new
          a = next
          k0 = k1
          return
        end if
        ! rounding may keep it above the tolerance: near it, no progress is convergence too
        if (size_of > 2 * before .and. size_of > 1e6_dp) exit
        before = size_of
      end do
      info = no_convergence
    end do

  contains

    subroutine advance(new_a, moved)
      real(dp), intent(in) :: new_a(:)
      real(dp), intent(out) :: moved(:)

      moved = y
      moved(:n) = y(:n) + h * y(n + 1:2 * n) + h * h * ((0.5_dp - beta) * a + beta * new_a)
      moved(n + 1:2 * n) = y(n + 1:2 * n) + h * ((1 - gamma) * a + gamma * new_a)
    end subroutine advance

    !> Derivative of the residual by differences along the accelerations.
    subroutine form(at, k)
      real(dp), intent(in) :: at(:), k(:)
      real(dp) :: moved(size(at)), other(size(at)), small
      integer :: j

      do j = 1, n
        small = sqrt(epsilon(h)) * max(1.0_dp, abs(at(n + j)))
        moved = at
        moved(n + j) = at(n + j) + small
        moved(j) = at(j) + small * beta * h / gamma
        call evaluate(s, t + h, moved, other, count, info)
        if (info /= done) return
        matrix(:, j) = -(1 - af) * (other(n + 1:2 * n) - k(n + 1:2 * n)) * (gamma * h / small)
        matrix(j, j) = matrix(j, j) + (1 - am)
      end do
      call lu_factor(matrix, pivots, info)
      if (info /= 0) info = no_convergence
      fresh = .true.
    end subroutine form
  end subroutine alpha_step

end module implicit_step
