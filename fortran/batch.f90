module batch
  !! Loops over states: a routine of one state -> the same for a batch.
  !!
  !! A routine takes flat vectors and fills a flat array, a matrix column by column. The
  !! result is stored row by row, y(column, row, state), which is the order of a C array
  !! (state, row, column); a vector is a matrix with one column.
  !!
  !! info = 0    done
  !! info = k    argument k holds a number that is not finite; y is not defined
  use kinds, only: dp
  implicit none
  private
  public :: finite, map1, map2, map3, map4, misfit

  !> what an entry point returns when the arrays do not fit together
  integer, parameter :: misfit = huge(1)

  abstract interface
    pure subroutine one(a, y)
      import :: dp
      implicit none
      real(dp), intent(in) :: a(*)
      real(dp), intent(out) :: y(*)
    end subroutine one

    pure subroutine two(a, b, y)
      import :: dp
      implicit none
      real(dp), intent(in) :: a(*), b(*)
      real(dp), intent(out) :: y(*)
    end subroutine two

    pure subroutine three(a, b, c, y)
      import :: dp
      implicit none
      real(dp), intent(in) :: a(*), b(*), c(*)
      real(dp), intent(out) :: y(*)
    end subroutine three

    pure subroutine four(a, b, c, d, y)
      import :: dp
      implicit none
      real(dp), intent(in) :: a(*), b(*), c(*), d(*)
      real(dp), intent(out) :: y(*)
    end subroutine four
  end interface

contains

  !> Whether all numbers are finite. No IEEE module: it would save and restore the
  !> floating-point state at every call.
  pure logical function finite(x)
    real(dp), intent(in) :: x(:, :)

    finite = all(abs(x) <= huge(x))
  end function finite

  !> y(state) = routine(a(state))
  subroutine map1(routine, n, rows, columns, states, a, y, info)
    procedure(one) :: routine
    integer, intent(in) :: n(1), rows, columns, states
    real(dp), intent(in) :: a(n(1), states)
    real(dp), intent(out) :: y(columns, rows, states)
    integer, intent(out) :: info
    real(dp) :: local(rows, columns)
    integer :: s

    info = first([finite(a)])
    if (info /= 0) return
    do s = 1, states
      call routine(a(:, s), local)
      y(:, :, s) = transpose(local)
    end do
  end subroutine map1

  !> y(state) = routine(a(state), b(state))
  subroutine map2(routine, n, rows, columns, states, a, b, y, info)
    procedure(two) :: routine
    integer, intent(in) :: n(2), rows, columns, states
    real(dp), intent(in) :: a(n(1), states), b(n(2), states)
    real(dp), intent(out) :: y(columns, rows, states)
    integer, intent(out) :: info
    real(dp) :: local(rows, columns)
    integer :: s

    info = first([finite(a), finite(b)])
    if (info /= 0) return
    do s = 1, states
      call routine(a(:, s), b(:, s), local)
      y(:, :, s) = transpose(local)
    end do
  end subroutine map2

  !> y(state) = routine(a(state), b(state), c(state))
  subroutine map3(routine, n, rows, columns, states, a, b, c, y, info)
    procedure(three) :: routine
    integer, intent(in) :: n(3), rows, columns, states
    real(dp), intent(in) :: a(n(1), states), b(n(2), states), c(n(3), states)
    real(dp), intent(out) :: y(columns, rows, states)
    integer, intent(out) :: info
    real(dp) :: local(rows, columns)
    integer :: s

    info = first([finite(a), finite(b), finite(c)])
    if (info /= 0) return
    do s = 1, states
      call routine(a(:, s), b(:, s), c(:, s), local)
      y(:, :, s) = transpose(local)
    end do
  end subroutine map3

  !> y(state) = routine(a(state), b(state), c(state), d(state))
  subroutine map4(routine, n, rows, columns, states, a, b, c, d, y, info)
    procedure(four) :: routine
    integer, intent(in) :: n(4), rows, columns, states
    real(dp), intent(in) :: a(n(1), states), b(n(2), states), c(n(3), states), d(n(4), states)
    real(dp), intent(out) :: y(columns, rows, states)
    integer, intent(out) :: info
    real(dp) :: local(rows, columns)
    integer :: s

    info = first([finite(a), finite(b), finite(c), finite(d)])
    if (info /= 0) return
    do s = 1, states
      call routine(a(:, s), b(:, s), c(:, s), d(:, s), local)
      y(:, :, s) = transpose(local)
    end do
  end subroutine map4

  !> Number of the first argument that is not in order, 0 if all are.
  pure integer function first(in_order)
    logical, intent(in) :: in_order(:)

    first = findloc(in_order, .false., dim=1)
  end function first

end module batch
