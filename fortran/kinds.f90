module kinds
  !! The one real kind of the hand-written modules.
  use, intrinsic :: iso_fortran_env, only: dp => real64
  implicit none
  private
  public :: dp
end module kinds
