module simulation
  !! One stretch of a simulation: plain arrays in, records out. Called once for every chunk of
  !! output times, so that the caller can stop in between and go on where it was.
  use drive, only: arm, integrals, set_window
  use implicit_step, only: generalised_alpha
  use integrate, only: dormand_prince, rk4, tally
  use kinds, only: dp
  implicit none
  private
  public :: perform

  integer, parameter :: by_rk4 = 1, by_dormand_prince = 2, by_generalised_alpha = 3

contains

  !> Go on from `state` = (t, q, qd, w) to the last of `times`.
  !>
  !>   choices   method, law, whether there is a wrench, in the base frame, whether gravity's
  !>             work is to be followed, number of joints
  !>   settings  step, rtol, atol, spectral radius, begin and end of the window of the signals
  !>   held      1 where a coordinate is held
  !>   gains     (joints, 2): Kp, Kd
  !>   memory    of the integrator, zero at the start: 2 + n numbers
  !>   counts    steps, rejected, evaluations, smallest step
  !>   answer    how many of `times` were reached, and why not more
  subroutine perform(s, choices, settings, held, gains, damping, times, state, memory, counts, &
      records, answer)
    type(arm), intent(inout) :: s
    integer, intent(in) :: choices(:), held(:)
    real(dp), intent(in) :: settings(:), gains(:, :), damping(:), times(:)
    real(dp), intent(inout) :: state(:), memory(:), counts(:)
    real(dp), intent(out) :: records(:, :)
    integer, intent(out) :: answer(:)
    type(tally) :: count
    real(dp) :: t, y(size(state) - 1)
    integer :: i
    logical :: started

    s%n = (size(y) - integrals) / 2
    s%law = choices(2)
    s%loaded = choices(3) /= 0
    s%in_base = choices(4) /= 0
    s%follow = choices(5) /= 0
    s%joints = choices(6)
    s%kp = gains(:, 1)
    s%kd = gains(:, 2)
    s%damping = damping
    s%held = pack([(i, i=1, s%n)], held /= 0)
    s%free = pack([(i, i=1, s%n)], held == 0)
    call set_window(s%torque, settings(5), settings(6))
    call set_window(s%reference, settings(5), settings(6))
    call set_window(s%wrench, settings(5), settings(6))
    call set_window(s%motion, settings(5), settings(6))
    allocate (s%tau(s%n), s%records(size(records, 1), size(records, 2)))

    t = state(1)
    y = state(2:)
    count = tally(counts(1), counts(2), counts(3), counts(4))
    select case (choices(1))
    case (by_rk4)
      call rk4(s, t, y, times, settings(1), count, answer(1), answer(2))
    case (by_dormand_prince)
      call dormand_prince(s, t, y, times, settings(2), settings(3), settings(1), memory(:2), &
        count, answer(1), answer(2))
    case (by_generalised_alpha)
      started = memory(1) > 0
      call generalised_alpha(s, t, y, times, settings(1), settings(4), memory(3:), started, &
        count, answer(1), answer(2))
      memory(1) = 1
    case default
      error stop 'perform: no such method'
    end select
    state(1) = t
    state(2:) = y
    counts = [count%steps, count%rejected, count%evaluations, count%smallest]
    records(:, :answer(1)) = s%records(:, :answer(1))
  end subroutine perform

end module simulation
