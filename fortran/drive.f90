module drive
  !! An arm with what drives it, as a `system` of `integrate`.
  !!
  !!   tau = u(t) + Kp (r - q) + Kd (rd - qd)                        law = proportional
  !!   tau = u(t) + inverse(x, xd, rdd + Kp (r - q) + Kd (rd - qd))  law = computed
  !!
  !! u and r are functions of time. x is q with the deflections set to zero, and only joints get
  !! torques of a law: computed torque knows the arm as if its links were rigid. A wrench acts
  !! at the tip. Coordinates that are `held` move as prescribed, and their tau is what that takes.
  !!
  !! State y = (q, qd, w); w holds the work of tau, of the wrench, of damping (what is lost)
  !! and, where `follow` asks for it, of gravity and springs (what is stored).
  use integrate, only: not_finite, singular, system
  use kinds, only: dp
  use linear, only: solve_positive
  implicit none
  private
  public :: arm, integrals, proportional, computed, set_signal, set_window, signal

  integer, parameter :: integrals = 4, proportional = 1, computed = 2

  !> A vector as piecewise polynomials in time: piece k begins at breaks(k), its polynomial is
  !> in t - breaks(k), and c(:, j, k) belongs to the power j - 1.
  type :: signal
    real(dp), allocatable :: breaks(:), c(:, :, :)
    integer :: first = 1, last = 1, piece = 1
    logical :: constant = .false.
  contains
    procedure :: at
  end type signal

  abstract interface
    pure subroutine one_to_one(q, y)
      import :: dp
      implicit none
      real(dp), intent(in) :: q(*)
      real(dp), intent(out) :: y(*)
    end subroutine one_to_one

    pure subroutine two_to_one(q, x, y)
      import :: dp
      implicit none
      real(dp), intent(in) :: q(*), x(*)
      real(dp), intent(out) :: y(*)
    end subroutine two_to_one

    pure subroutine three_to_one(q, qd, x, y)
      import :: dp
      implicit none
      real(dp), intent(in) :: q(*), qd(*), x(*)
      real(dp), intent(out) :: y(*)
    end subroutine three_to_one

    !> With the pivots of the elimination and what they are the rest of.
    pure subroutine three_to_three(q, qd, tau, qdd, pivots, diagonal)
      import :: dp
      implicit none
      real(dp), intent(in) :: q(*), qd(*), tau(*)
      real(dp), intent(out) :: qdd(*), pivots(*), diagonal(*)
    end subroutine three_to_three

    pure subroutine two_to_two(q, qd, h, b)
      import :: dp
      implicit none
      real(dp), intent(in) :: q(*), qd(*)
      real(dp), intent(out) :: h(*), b(*)
    end subroutine two_to_two
  end interface

  type, extends(system) :: arm
    integer :: joints = 0, law = 0
    logical :: loaded = .false., in_base = .false., follow = .false.
    type(signal) :: torque, reference, wrench, motion
    real(dp), allocatable :: kp(:), kd(:), damping(:)
    integer, allocatable :: held(:), free(:)
    procedure(three_to_three), pointer, nopass :: acceleration => null()
    procedure(two_to_two), pointer, nopass :: direct => null()
    procedure(three_to_one), pointer, nopass :: inverse => null()
    procedure(two_to_one), pointer, nopass :: external => null()
    procedure(one_to_one), pointer, nopass :: gravity => null(), potential => null()
    procedure(one_to_one), pointer, nopass :: pose => null()
    real(dp), allocatable :: tau(:), records(:, :)
  contains
    procedure :: rate
    procedure :: output
  end type arm

contains

  !> The signal of arrays as they come: breaks(pieces), c(m, powers, pieces).
  subroutine set_signal(s, breaks, c)
    type(signal), intent(inout) :: s
    real(dp), intent(in) :: breaks(:), c(:, :, :)

    s%breaks = breaks
    s%c = c
    s%constant = size(c, 2) == 1 .and. size(c, 3) == 1
    s%first = 1
    s%last = size(breaks)
    s%piece = 1
  end subroutine set_signal

  !> Use only the pieces between two times: at a jump the one that belongs to the stretch.
  subroutine set_window(s, start, finish)
    type(signal), intent(inout) :: s
    real(dp), intent(in) :: start, finish

    s%first = max(1, count(s%breaks <= start))
    s%last = max(s%first, count(s%breaks < finish))
    s%piece = s%first
  end subroutine set_window

  !> Value, rate and second derivative at t; the first and the last piece go on for ever.
  subroutine at(s, t, x, xd, xdd)
    class(signal), intent(inout) :: s
    real(dp), intent(in) :: t
    real(dp), intent(out) :: x(:)
    real(dp), intent(out), optional :: xd(:), xdd(:)
    real(dp) :: after
    integer :: j, k

    k = s%piece
    do while (k < s%last)
      if (t < s%breaks(k + 1)) exit
      k = k + 1
    end do
    do while (k > s%first)
      if (t >= s%breaks(k)) exit
      k = k - 1
    end do
    s%piece = k
    after = t - s%breaks(k)
    j = size(s%c, 2)
    x = s%c(:, j, k)
    if (.not. present(xd)) then
      do j = size(s%c, 2) - 1, 1, -1
        x = x * after + s%c(:, j, k)
      end do
      return
    end if
    xd = 0
    xdd = 0
    do j = size(s%c, 2) - 1, 1, -1
      xdd = xdd * after + 2 * xd
      xd = xd * after + x
      x = x * after + s%c(:, j, k)
    end do
  end subroutine at

  subroutine rate(s, t, y, yd, info)
    class(arm), intent(inout) :: s
    real(dp), intent(in) :: t, y(:)
    real(dp), intent(out) :: yd(:)
    integer, intent(out) :: info
    real(dp), dimension(s%n) :: q, qd, qdd, load
    integer :: n

    n = s%n
    q = y(:n)
    qd = y(n + 1:2 * n)
    if (size(s%held) > 0) call prescribe(s, t, q, qd, qdd)
    call torques(s, t, q, qd)
    load = 0
    if (s%loaded) call push(s, t, q, load)
    call accelerations(s, q, qd, load, qdd, info)
    if (info /= 0) then
      info = merge(singular, not_finite, all(abs(y) <= huge(y)))
      return
    end if
    yd(:n) = qd
    yd(n + 1:2 * n) = qdd
    yd(2 * n + 1) = dot_product(s%tau, qd)
    yd(2 * n + 2) = dot_product(load, qd)
    yd(2 * n + 3) = sum(s%damping * qd * qd)
    yd(2 * n + 4) = 0
    if (s%follow) then
      call s%gravity(q, load)
      yd(2 * n + 4) = dot_product(load, qd)
    end if
  end subroutine rate

  !> Held coordinates where they are to be.
  subroutine prescribe(s, t, q, qd, qdd)
    class(arm), intent(inout) :: s
    real(dp), intent(in) :: t
    real(dp), intent(inout) :: q(:), qd(:), qdd(:)
    real(dp), dimension(s%n) :: x, xd, xdd

    call s%motion%at(t, x, xd, xdd)
    q(s%held) = x(s%held)
    qd(s%held) = xd(s%held)
    qdd(s%held) = xdd(s%held)
  end subroutine prescribe

  subroutine torques(s, t, q, qd)
    class(arm), intent(inout) :: s
    real(dp), intent(in) :: t, q(:), qd(:)
    real(dp), dimension(s%n) :: r, rd, rdd, straight, rates, x
    integer :: m

    if (s%torque%constant) then
      s%tau = s%torque%c(:, 1, 1)
    else
      call s%torque%at(t, s%tau)
    end if
    if (s%law == 0) return
    m = s%joints
    call s%reference%at(t, r(:m), rd(:m), rdd(:m))
    x = 0
    x(:m) = s%kp * (r(:m) - q(:m)) + s%kd * (rd(:m) - qd(:m))
    if (s%law == computed) then
      straight = 0
      rates = 0
      straight(:m) = q(:m)
      rates(:m) = qd(:m)
      x(:m) = x(:m) + rdd(:m)
      call s%inverse(straight, rates, x, r)
      x(:m) = r(:m)
    end if
    s%tau(:m) = s%tau(:m) + x(:m)
  end subroutine torques

  !> Generalized forces of the wrench.
  subroutine push(s, t, q, load)
    class(arm), intent(inout) :: s
    real(dp), intent(in) :: t, q(:)
    real(dp), intent(out) :: load(:)
    real(dp) :: wrench(6), frame(4, 4)

    call s%wrench%at(t, wrench)
    if (s%in_base) then
      call s%pose(q, frame)
      wrench(:3) = matmul(wrench(:3), frame(:3, :3))
      wrench(4:) = matmul(wrench(4:), frame(:3, :3))
    end if
    call s%external(q, wrench, load)
  end subroutine push

  !> H qdd = tau + load - b for what is free; the tau of what is held follows.
  subroutine accelerations(s, q, qd, load, qdd, info)
    class(arm), intent(inout) :: s
    real(dp), intent(in) :: q(:), qd(:), load(:)
    real(dp), intent(inout) :: qdd(:)
    integer, intent(out) :: info
    real(dp), dimension(s%n) :: pivots, diagonal

    if (size(s%held) > 0) then
      call constrained(s, q, qd, load, qdd, info)
      return
    end if
    call s%acceleration(q, qd, s%tau + load, qdd, pivots, diagonal)
    info = merge(0, 1, all(pivots > s%n * epsilon(pivots) * abs(diagonal)))
  end subroutine accelerations

  !> The same where something is held.
  subroutine constrained(s, q, qd, load, qdd, info)
    class(arm), intent(inout) :: s
    real(dp), intent(in) :: q(:), qd(:), load(:)
    real(dp), intent(inout) :: qdd(:)
    integer, intent(out) :: info
    real(dp) :: h(s%n, s%n), part(size(s%free), size(s%free)), b(s%n), x(size(s%free))

    call s%direct(q, qd, h, b)
    part = h(s%free, s%free)
    x = s%tau(s%free) + load(s%free) - b(s%free) - matmul(h(s%free, s%held), qdd(s%held))
    call solve_positive(size(x), part, x, info)
    qdd(s%free) = x
    s%tau(s%held) = b(s%held) - load(s%held) + matmul(h(s%held, :), qdd)
  end subroutine constrained

  !> A column of `records`: q, qd, qdd, tau, w, kinetic and potential energy, tip.
  subroutine output(s, k, t, y, yd)
    class(arm), intent(inout) :: s
    integer, intent(in) :: k
    real(dp), intent(in) :: t, y(:), yd(:)
    real(dp) :: h(s%n, s%n), b(s%n), frame(4, 4), q(s%n), qdd(s%n), v(1)
    integer :: n

    n = s%n
    q = y(:n)
    qdd = yd(n + 1:2 * n)
    if (size(s%held) > 0) call prescribe(s, t, q, b, qdd)
    call s%direct(q, yd(:n), h, b)
    call s%potential(q, v)
    call s%pose(q, frame)
    s%records(:, k) = [q, yd(:n), qdd, s%tau, y(2 * n + 1:), &
      dot_product(yd(:n), matmul(h, yd(:n))) / 2, v, frame(:3, 4)]
  end subroutine output

end module drive
