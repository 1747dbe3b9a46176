! Modules, internal and elemental procedures, array expressions.
module grid
  implicit none
  type :: cell
     real(8) :: value = 0
     integer :: kind = 0
  end type cell
contains
  elemental real(8) function smooth(a, b)
    real(8), intent(in) :: a, b
    smooth = 0.5d0 * (a + b) + sqrt(abs(a - b))
  end function smooth

  subroutine relax(field)
    real(8), intent(inout) :: field(:, :)
    integer :: i, j
    do j = 2, size(field, 2) - 1
       do i = 2, size(field, 1) - 1
          field(i, j) = smooth(field(i - 1, j), field(i + 1, j)) - weight(i, j)
       end do
    end do
  contains
    real(8) function weight(i, j)
      integer, intent(in) :: i, j
      weight = merge(0.25d0, 0.125d0, mod(i + j, 2) == 0)
    end function weight
  end subroutine relax

  subroutine mark(cells, field)
    type(cell), intent(out) :: cells(:)
    real(8), intent(in) :: field(:, :)
    integer :: i
    do i = 1, size(cells)
       cells(i)%value = sum(field(:, i)) / maxval(abs(field(:, i)) + 1)
       cells(i)%kind = count(field(:, i) > cells(i)%value)
    end do
  end subroutine mark
end module grid

program main
  use grid
  implicit none
  real(8) :: field(200, 200), product(200, 200)
  type(cell) :: cells(200)
  character(len=40) :: line
  integer :: i
  call random_number(field)
  do i = 1, 20
     call relax(field)
  end do
  product = matmul(field, transpose(field))
  call mark(cells, product)
  write (line, '(a,f10.3,i6)') 'sum', sum(cells%value), sum(cells%kind)
  print *, trim(line)
end program main
