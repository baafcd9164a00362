program test_modules
  !! Claims about the hand-written modules; the first that does not hold ends the program.
  use, intrinsic :: ieee_arithmetic, only: ieee_positive_inf, ieee_quiet_nan, ieee_value
  use batch, only: finite, gather, lanes, regular, scatter, tame
  use kinds, only: dp
  use trig, only: largest, sincos
  implicit none

  call only_finite_numbers_are_finite()
  call only_numbers_up_to_the_largest_are_tame()
  call rows_beyond_the_block_do_not_matter()
  call a_block_holds_the_states_it_should()
  call a_block_goes_back_where_it_came_from()
  call pivots_are_compared_with_the_diagonal()
  call the_first_lane_that_is_not_regular_is_named()
  call sincos_agrees_with_the_library()
  print '(a)', 'all claims hold'

contains

  subroutine claim(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what

    if (holds) return
    print '(2a)', 'does not hold: ', what
    error stop 1
  end subroutine claim

  !> The numbers that nothing should be computed of.
  function strange() result(x)
    real(dp) :: x(3)

    x = ieee_value(1.0_dp, ieee_positive_inf)
    x(2) = -x(2)
    x(3) = ieee_value(1.0_dp, ieee_quiet_nan)
  end function strange

  subroutine only_finite_numbers_are_finite()
    real(dp) :: x(19), odd(3)
    integer :: k, l

    odd = strange()
    x = 0
    x(:3) = [-huge(1.0_dp), tiny(1.0_dp), huge(1.0_dp)]
    call claim(finite(19, x), 'the largest number is finite')
    do k = 1, 19
      do l = 1, 3
        x = 1
        x(k) = odd(l)
        call claim(.not. finite(19, x), 'a strange number is found at any place')
        call claim(finite(k - 1, x), 'what is behind the array does not matter')
      end do
    end do
  end subroutine only_finite_numbers_are_finite

  subroutine only_numbers_up_to_the_largest_are_tame()
    integer, parameter :: n = 3
    real(dp) :: x(lanes, n), wild(5)
    integer :: i, j, k

    wild(:3) = strange()
    wild(4:) = [1, -1] * largest * (1 + epsilon(1.0_dp))
    x = largest
    x(:, 2) = -largest
    call claim(tame(lanes, n, x), 'the largest angle is tame')
    do k = 1, 5
      do j = 1, n
        do i = 1, lanes
          x = 0
          x(i, j) = wild(k)
          call claim(.not. tame(lanes, n, x), 'a wild number is found at any place')
        end do
      end do
    end do
  end subroutine only_numbers_up_to_the_largest_are_tame

  subroutine rows_beyond_the_block_do_not_matter()
    real(dp) :: x(2 * lanes, 2), odd(3)

    odd = strange()
    x = 0
    x(lanes + 1:, 1) = odd(3)
    call claim(tame(2 * lanes, 2, x), 'rows of the next block are not looked at')
    x(lanes, 2) = odd(3)
    call claim(.not. tame(2 * lanes, 2, x), 'the last row of this block is')
  end subroutine rows_beyond_the_block_do_not_matter

  !> Number j of state s is 100 s + j.
  function batch_of(columns, n, states) result(a)
    logical, intent(in) :: columns
    integer, intent(in) :: n, states
    real(dp) :: a(n * states)
    integer :: j, s

    if (columns) then
      a = [((100 * s + j, s=1, states), j=1, n)]
    else
      a = [((100 * s + j, j=1, n), s=1, states)]
    end if
  end function batch_of

  subroutine a_block_holds_the_states_it_should()
    integer, parameter :: sizes(8) = [1, 5, 8, 63, 64, 65, 130, 200]
    real(dp), allocatable :: a(:), x(:, :)
    integer :: first, i, j, k, l, n, state
    logical :: columns

    do k = 1, 2 * size(sizes)
      columns = k > size(sizes)
      i = modulo(k - 1, size(sizes)) + 1
      do n = 1, 9
        a = batch_of(columns, n, sizes(i))
        if (allocated(x)) deallocate (x)
        allocate (x(lanes, n))
        do first = 1, sizes(i), lanes
          x = -1
          call gather(columns, n, sizes(i), first, a, x)
          do l = 1, lanes
            state = min(first + l - 1, sizes(i))  ! the last is repeated
            call claim(all(nint(x(l, :)) == [(100 * state + j, j=1, n)]), 'gather')
          end do
        end do
      end do
    end do
  end subroutine a_block_holds_the_states_it_should

  subroutine a_block_goes_back_where_it_came_from()
    integer, parameter :: sizes(8) = [1, 5, 8, 63, 64, 65, 130, 200]
    real(dp), allocatable :: a(:), b(:), x(:, :)
    integer :: first, i, k, n, stop_
    logical :: columns

    do k = 1, 2 * size(sizes)
      columns = k > size(sizes)
      i = modulo(k - 1, size(sizes)) + 1
      do n = 1, 9
        a = batch_of(columns, n, sizes(i))
        b = [0 * a, -7.0_dp, -7.0_dp]
        if (allocated(x)) deallocate (x)
        allocate (x(lanes, n))
        do first = 1, sizes(i), lanes
          call gather(columns, n, sizes(i), first, a, x)
          call scatter(columns, n, sizes(i), first, x, b)
          if (.not. columns) then
            stop_ = n * min(first + lanes - 1, sizes(i))
            call claim(all(nint(b(stop_ + 1:size(a))) == 0), 'later states are left alone')
          end if
        end do
        call claim(all(nint(b(:size(a))) == nint(a)), 'scatter undoes gather')
        call claim(all(nint(b(size(a) + 1:)) == -7), 'nothing is written behind the array')
      end do
    end do
  end subroutine a_block_goes_back_where_it_came_from

  subroutine pivots_are_compared_with_the_diagonal()
    real(dp), parameter :: scales(3) = [1e-200_dp, 1.0_dp, 1e200_dp]
    real(dp), parameter :: rounding = 64 * 3 * epsilon(1.0_dp)
    real(dp) :: pivots(1, 3), diagonal(1, 3), odd(3)
    integer :: j, k

    odd = strange()
    do k = 1, 3
      do j = 1, 3
        diagonal = scales(k)
        pivots = diagonal
        pivots(1, j) = 2 * rounding * scales(k)
        call claim(regular(1, 3, pivots, diagonal) == 0, 'a small pivot will do at any scale')
        pivots(1, j) = 0.5_dp * rounding * scales(k)
        call claim(regular(1, 3, pivots, diagonal) == 1, 'one of rounding alone will not')
        pivots(1, j) = 0
        call claim(regular(1, 3, pivots, pivots) == 1, 'zero is not positive')
        pivots(1, j) = -scales(k)
        call claim(regular(1, 3, pivots, diagonal) == 1, 'nor is what is negative')
        call claim(regular(1, 3, pivots, pivots) == 1, 'nor, compared with itself')
        pivots(1, j) = odd(3)
        call claim(regular(1, 3, pivots, diagonal) == 1, 'nor is NaN')
      end do
    end do
  end subroutine pivots_are_compared_with_the_diagonal

  subroutine the_first_lane_that_is_not_regular_is_named()
    real(dp) :: pivots(lanes, 2), diagonal(lanes, 2)
    integer :: l

    diagonal = 2
    pivots = 1
    call claim(regular(lanes, 2, pivots, diagonal) == 0, 'all lanes are regular')
    do l = lanes, 1, -1
      pivots(l, 1 + modulo(l, 2)) = -1
      call claim(regular(lanes, 2, pivots, diagonal) == l, 'the first lane counts')
    end do
  end subroutine the_first_lane_that_is_not_regular_is_named

  !> To a few units of the last place of one; the tests in Python count them.
  subroutine sincos_agrees_with_the_library()
    integer, parameter :: n = 1001
    real(dp) :: angle(n), sine(n), cosine(n)
    integer :: k, l

    do k = -6, 6
      angle = [(10.0_dp**k * (l - 501) / 500, l=1, n)]
      call sincos(n, angle, sine, cosine)
      call claim(maxval(abs(sine - sin(angle))) < 3e-16_dp, 'sine')
      call claim(maxval(abs(cosine - cos(angle))) < 3e-16_dp, 'cosine')
    end do
    call sincos(1, [0.0_dp], sine, cosine)
    call claim(abs(sine(1)) <= 0 .and. abs(cosine(1) - 1) <= 0, 'zero has sine 0 and cosine 1')
  end subroutine sincos_agrees_with_the_library

end program test_modules
