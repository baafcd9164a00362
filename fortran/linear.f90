module linear
  !! Small systems of linear equations.
  use kinds, only: dp
  implicit none
  private
  public :: lu_factor, lu_solve, solve_positive

contains

  !> x := h^-1 x for a symmetric positive definite h, of which the upper triangle is read and
  !> overwritten: h = U^T D U, inner products along columns. info = k > 0: what the elimination
  !> leaves of h(k,k) is zero to rounding, so h is not positive definite.
  pure subroutine solve_positive(n, h, x, info)
    integer, intent(in) :: n
    real(dp), intent(inout) :: h(n, n), x(n)
    integer, intent(out) :: info
    real(dp) :: diagonal, rest, scaled
    integer :: i, j, k

    info = 0
    do k = 1, n
      diagonal = h(k, k)
      ! column k: U^T D u = h, from the top; y = U^-T x on the way
      do i = 2, k - 1
        rest = h(i, k)
        do j = 1, i - 1
          rest = rest - h(j, i) * h(j, k)
        end do
        h(i, k) = rest
      end do
      rest = diagonal
      do i = 1, k - 1
        scaled = h(i, k) * h(i, i)
        rest = rest - scaled * h(i, k)
        x(k) = x(k) - scaled * x(i)
        h(i, k) = scaled
      end do
      if (.not. rest > n * epsilon(rest) * abs(diagonal)) then
        info = k
        return
      end if
      h(k, k) = 1 / rest
    end do
    do k = n, 1, -1
      rest = x(k) * h(k, k)
      do i = k + 1, n
        rest = rest - h(k, i) * x(i)
      end do
      x(k) = rest
    end do
  end subroutine solve_positive

  !> L U of the rows of a in the order of `pivots`; info = k > 0: no pivot in column k.
  pure subroutine lu_factor(a, pivots, info)
    real(dp), intent(inout) :: a(:, :)
    integer, intent(out) :: pivots(:), info
    real(dp) :: row(size(a, 1))
    integer :: k, j, p

    info = 0
    do k = 1, size(a, 1)
      p = k - 1 + maxloc(abs(a(k:, k)), dim=1)
      pivots(k) = p
      if (.not. abs(a(p, k)) > 0) then
        info = k
        return
      end if
      row = a(k, :)
      a(k, :) = a(p, :)
      a(p, :) = row
      a(k + 1:, k) = a(k + 1:, k) / a(k, k)
      do j = k + 1, size(a, 1)
        a(k + 1:, j) = a(k + 1:, j) - a(k + 1:, k) * a(k, j)
      end do
    end do
  end subroutine lu_factor

  !> x := (L U)^-1 x
  pure subroutine lu_solve(a, pivots, x)
    real(dp), intent(in) :: a(:, :)
    integer, intent(in) :: pivots(:)
    real(dp), intent(inout) :: x(:)
    real(dp) :: swapped
    integer :: k

    do k = 1, size(x)
      swapped = x(k)
      x(k) = x(pivots(k))
      x(pivots(k)) = swapped
    end do
    do k = 1, size(x)
      x(k + 1:) = x(k + 1:) - a(k + 1:, k) * x(k)
    end do
    do k = size(x), 1, -1
      x(k) = x(k) / a(k, k)
      x(:k - 1) = x(:k - 1) - a(:k - 1, k) * x(k)
    end do
  end subroutine lu_solve

end module linear
