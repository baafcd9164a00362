module direct_dynamics
  !! Accelerations from the inertia matrix H and the bias b: H qdd = tau - b + external.
  !!
  !! info = 0    done
  !! info = k    argument k holds a number that is not finite
  !! info = -k   H is not positive definite at state k
  use batch, only: finite
  use kinds, only: dp
  implicit none
  private
  public :: accelerate, solve

  abstract interface
    !> H, column by column, and b of one state.
    pure subroutine inertia_and_bias(q, qd, h, b)
      import :: dp
      implicit none
      real(dp), intent(in) :: q(*), qd(*)
      real(dp), intent(out) :: h(*), b(*)
    end subroutine inertia_and_bias

    !> Generalized forces of a wrench.
    pure subroutine generalized_forces(q, wrench, f)
      import :: dp
      implicit none
      real(dp), intent(in) :: q(*), wrench(*)
      real(dp), intent(out) :: f(*)
    end subroutine generalized_forces
  end interface

contains

  !> qdd of every state; `forces` and `wrench` come together or not at all.
  subroutine accelerate(terms, n, states, q, qd, tau, qdd, info, forces, wrench)
    procedure(inertia_and_bias) :: terms
    integer, intent(in) :: n, states
    real(dp), intent(in) :: q(n, states), qd(n, states), tau(n, states)
    real(dp), intent(out) :: qdd(n, states)
    integer, intent(out) :: info
    procedure(generalized_forces), optional :: forces
    real(dp), intent(in), optional :: wrench(6, states)
    real(dp) :: h(n, n), b(n), load(n)
    integer :: s

    info = findloc([finite(q), finite(qd), finite(tau)], .false., dim=1)
    if (info == 0 .and. present(wrench)) then
      if (.not. finite(wrench)) info = 4
    end if
    if (info /= 0) return

    load = 0
    do s = 1, states
      call terms(q(:, s), qd(:, s), h, b)
      if (present(wrench)) call forces(q(:, s), wrench(:, s), load)
      qdd(:, s) = tau(:, s) - b + load
      call solve(n, h, qdd(:, s), info)
      if (info /= 0) then
        info = -s
        return
      end if
    end do
  end subroutine accelerate

  !> x := h^-1 x for a symmetric positive definite h by Cholesky's method, h = L L^T.
  !>
  !> Only the lower triangle of h is read; L replaces it. info = k > 0: pivot k is zero to
  !> rounding. A pivot is what the elimination leaves of h(k,k), so it is compared with it:
  !> the test does not change when a coordinate is scaled.
  pure subroutine solve(n, h, x, info)
    integer, intent(in) :: n
    real(dp), intent(inout) :: h(n, n), x(n)
    integer, intent(out) :: info
    real(dp) :: diagonal(n), rounding
    integer :: i, k

    rounding = n * epsilon(1.0_dp)
    do k = 1, n
      diagonal(k) = h(k, k)
    end do

    ! column k of L, then the columns behind it lose its share
    info = 0
    do k = 1, n
      if (.not. h(k, k) > rounding * abs(diagonal(k))) then
        info = k
        return
      end if
      h(k, k) = sqrt(h(k, k))
      h(k + 1:, k) = h(k + 1:, k) / h(k, k)
      do i = k + 1, n
        h(i:, i) = h(i:, i) - h(i:, k) * h(i, k)
      end do
    end do

    ! L y = x, then L^T x = y
    do k = 1, n
      x(k) = x(k) / h(k, k)
      x(k + 1:) = x(k + 1:) - h(k + 1:, k) * x(k)
    end do
    do k = n, 1, -1
      x(k) = (x(k) - dot_product(h(k + 1:, k), x(k + 1:))) / h(k, k)
    end do
  end subroutine solve

end module direct_dynamics
