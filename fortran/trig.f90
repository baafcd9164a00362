module trig
  !! Sine and cosine of many angles in one vector loop.
  !!
  !! The angle is taken to -pi/4..pi/4 by multiples of pi/2 in three parts, the first two so
  !! short that their products with the multiple are exact; there sine and cosine are
  !! polynomials with the smallest largest error (Remez; 3e-18 and 5e-20 of the function).
  !! Within 2 units of the last place of the library's functions, for angles up to `largest`.
  use kinds, only: dp
  implicit none
  private
  public :: sincos, largest

  real(dp), parameter :: largest = 1e6_dp
  real(dp), parameter :: per_quarter = 0.6366197723675814_dp
  real(dp), parameter :: quarter(3) = &
    [1.5707963267341256_dp, 6.077100506303966e-11_dp, 2.0222662487959506e-21_dp]
  real(dp), parameter :: rounder = 1.5_dp * 2.0_dp**52  ! adding it leaves no digit to a fraction
  real(dp), parameter :: s(6) = [ &
    -0.16666666666666632_dp, 0.008333333333322418_dp, -0.00019841269829812394_dp, &
    2.7557313693577104e-06_dp, -2.505075838497598e-08_dp, 1.589681182908179e-10_dp]
  real(dp), parameter :: c(6) = [ &
    0.0416666666666666_dp, -0.0013888888888874131_dp, 2.4801587289487016e-05_dp, &
    -2.7557314353790694e-07_dp, 2.0875723479336176e-09_dp, -1.1359658863275222e-11_dp]

contains

  pure subroutine sincos(n, angle, sine, cosine)
    integer, intent(in) :: n
    real(dp), intent(in) :: angle(n)
    real(dp), intent(out) :: sine(n), cosine(n)
    integer :: l

    !$omp simd
    do l = 1, n
      block
        real(dp) :: turns, r, r2, a, b, kept
        integer :: k

        turns = (angle(l) * per_quarter + rounder) - rounder
        k = int(turns)
        r = ((angle(l) - turns * quarter(1)) - turns * quarter(2)) - turns * quarter(3)
        r2 = r * r
        a = r + r * r2 * (s(1) + r2 * (s(2) + r2 * (s(3) + r2 * (s(4) + r2 * (s(5) + r2 * s(6))))))
        b = 1 + r2 * (-0.5_dp + r2 * (c(1) + r2 * (c(2) + r2 * (c(3) &
          + r2 * (c(4) + r2 * (c(5) + r2 * c(6)))))))

        ! a quarter turn makes (a, b) to (b, -a), two of them change both signs
        if (btest(k, 0)) then
          kept = a
          a = b
          b = -kept
        end if
        if (btest(k, 1)) then
          a = -a
          b = -b
        end if
        sine(l) = a
        cosine(l) = b
      end block
    end do
  end subroutine sincos

end module trig
