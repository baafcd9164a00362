module batch
  !! States in blocks of `lanes`, one state a lane, so that a loop over lanes is a vector loop.
  !!
  !! A batch comes as a flat array in one of two orders: by states, as a C array (B, n) has
  !! it, or by columns, where the numbers of one coordinate stand together. In a block they
  !! stand by columns, x(lanes, n); the last block is filled up with copies of its last state.
  use kinds, only: dp
  use trig, only: largest
  implicit none
  private
  public :: finite, gather, lanes, misfit, regular, scatter, tame

  integer, parameter :: lanes = 64
  integer, parameter :: misfit = huge(1)  ! arrays that do not fit together

contains

  !> Whether all numbers are finite. No IEEE module: it would save and restore the
  !> floating-point state at every call.
  pure logical function finite(n, x)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n)

    finite = all(abs(x) <= huge(x))
  end function finite

  !> Whether the vector form of a routine may be used on the first `lanes` rows of x: `sincos`
  !> is good for such angles. Many numbers at a time, so that no comparison waits for another.
  pure logical function tame(ld, n, x)
    integer, intent(in) :: ld, n
    real(dp), intent(in) :: x(ld, *)
    integer, parameter :: half = lanes / 2
    real(dp) :: wild(half)
    integer :: j

    wild = 0
    do j = 1, n
      wild = merge(wild, 1.0_dp, abs(x(:half, j)) <= largest)
      wild = merge(wild, 1.0_dp, abs(x(half + 1:lanes, j)) <= largest)
    end do
    tame = all(wild <= 0)
  end function tame

  !> x := states first, first + 1, ... of a.
  pure subroutine gather(columns, n, states, first, a, x)
    logical, intent(in) :: columns
    integer, intent(in) :: n, states, first
    real(dp), intent(in) :: a(*)
    real(dp), intent(out) :: x(lanes, n)
    integer :: here

    here = min(lanes, states - first + 1)
    if (columns) then
      call from_columns(n, states, here, a(first), x)
    else
      call from_states(n, here, a((first - 1) * n + 1), x)
    end if
    if (here < lanes) x(here + 1:, :) = spread(x(here, :), 1, lanes - here)
  end subroutine gather

  !> States first, first + 1, ... of a := y.
  pure subroutine scatter(columns, n, states, first, y, a)
    logical, intent(in) :: columns
    integer, intent(in) :: n, states, first
    real(dp), intent(in) :: y(lanes, n)
    real(dp), intent(inout) :: a(*)
    integer :: here

    here = min(lanes, states - first + 1)
    if (columns) then
      call to_columns(n, states, here, y, a(first))
    else
      call to_states(n, here, y, a((first - 1) * n + 1))
    end if
  end subroutine scatter

  pure subroutine from_columns(n, states, here, a, x)
    integer, intent(in) :: n, states, here
    real(dp), intent(in) :: a(states, n)
    real(dp), intent(inout) :: x(lanes, n)
    integer :: j

    do j = 1, n
      x(:here, j) = a(:here, j)
    end do
  end subroutine from_columns

  pure subroutine to_columns(n, states, here, y, a)
    integer, intent(in) :: n, states, here
    real(dp), intent(in) :: y(lanes, n)
    real(dp), intent(inout) :: a(states, n)
    integer :: j

    do j = 1, n
      a(:here, j) = y(:here, j)
    end do
  end subroutine to_columns

  !> Eight states at a time fill a vector.
  pure subroutine from_states(n, here, a, x)
    integer, intent(in) :: n, here
    real(dp), intent(in) :: a(n, here)
    real(dp), intent(inout) :: x(lanes, n)
    integer :: j, l

    do l = 1, here - 7, 8
      do j = 1, n
        x(l:l + 7, j) = [a(j, l), a(j, l + 1), a(j, l + 2), a(j, l + 3), &
                         a(j, l + 4), a(j, l + 5), a(j, l + 6), a(j, l + 7)]
      end do
    end do
    do l = here - modulo(here, 8) + 1, here
      x(l, :) = a(:, l)
    end do
  end subroutine from_states

  !> Four coordinates of a state at a time: fewer and longer stores.
  pure subroutine to_states(n, here, y, a)
    integer, intent(in) :: n, here
    real(dp), intent(in) :: y(lanes, n)
    real(dp), intent(inout) :: a(n, here)
    integer :: j, l

    do j = 1, n - 3, 4
      do l = 1, here
        a(j:j + 3, l) = [y(l, j), y(l, j + 1), y(l, j + 2), y(l, j + 3)]
      end do
    end do
    do j = n - modulo(n, 4) + 1, n
      do l = 1, here
        a(j, l) = y(l, j)
      end do
    end do
  end subroutine to_states

  !> First lane whose pivots are not positive to rounding, 0 if there is none. A pivot is what
  !> elimination leaves of the diagonal, so it is compared with it: the test does not change
  !> when a coordinate is scaled. What is left of nothing is some roundings for each step.
  pure integer function regular(m, n, pivots, diagonal)
    integer, intent(in) :: m, n
    real(dp), intent(in) :: pivots(m, n), diagonal(m, n)
    logical :: good(m)
    integer :: j

    good = .true.
    do j = 1, n
      good = good .and. pivots(:, j) > 64 * n * epsilon(1.0_dp) * abs(diagonal(:, j))
    end do
    regular = findloc(good, .false., dim=1)
  end function regular

end module batch
