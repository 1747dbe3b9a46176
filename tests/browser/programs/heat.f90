! A Fortran program with OpenMP for the test of the report's page.
program heat
  implicit none
  integer, parameter :: n = 400
  real(8), allocatable :: a(:, :), b(:, :)
  integer :: step
  allocate (a(n, n), b(n, n))
  a = 0.0d0
  b = 0.0d0
  a(n / 2, n / 2) = 1000.0d0
  do step = 1, 1500
    call relax(a, b, n)
    call relax(b, a, n)
  end do
  print '(f12.6)', sum(a)
contains
  subroutine relax(from, to, n)
    integer, intent(in) :: n
    real(8), intent(in) :: from(n, n)
    real(8), intent(inout) :: to(n, n)
    integer :: i, j
    !$omp parallel do private(i)
    do j = 2, n - 1
      do i = 2, n - 1
        to(i, j) = 0.25d0 * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1))
      end do
    end do
    !$omp end parallel do
  end subroutine relax
end program heat
