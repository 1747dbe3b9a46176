! What the test programs share: expectations that are counted, and work to count. Every program ends
! with `call finish`, whose last line says how many held.
module expectations
  implicit none
  integer :: failed = 0, held = 0
end module

subroutine expect(good, what)
  use expectations
  implicit none
  logical, intent(in) :: good
  character(len=*), intent(in) :: what
  if (good) then
    held = held + 1
  else
    failed = failed + 1
    print '(2a)', 'FAILED: ', what
  end if
end subroutine

! A return code.
subroutine expect_code(code, wanted, what)
  implicit none
  integer, intent(in) :: code, wanted
  character(len=*), intent(in) :: what
  character(len=200) :: text
  write (text, '(2a, i0, a, i0)') what, ': ', code, ', wanted ', wanted
  call expect(code == wanted, trim(text))
end subroutine

! Some milliseconds of processor time.
subroutine burn()
  implicit none
  real(8), volatile :: sum
  integer :: i
  sum = 0
  do i = 1, 2000000
    sum = sum + sqrt(real(i, 8))
  end do
end subroutine

subroutine finish()
  use expectations
  implicit none
  print '(i0, a, i0, a)', held, ' held, ', failed, ' failed'
  if (failed > 0 .or. held == 0) error stop 1
end subroutine
