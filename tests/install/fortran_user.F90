! A Fortran program of somebody else's, with PAPI's own header.
#include "fpapi.h"
program user
  implicit none
  integer :: set, check, i
  integer(8) :: nanoseconds(1)
  real(8), volatile :: sum
  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  if (check /= PAPI_VER_CURRENT) error stop 'no library'
  set = PAPI_NULL
  call PAPIF_create_eventset(set, check)
  call PAPIF_add_named_event(set, 'perf::TASK-CLOCK', check)
  if (check /= PAPI_OK) call PAPIF_perror('add_named_event')
  call PAPIF_start(set, check)
  do i = 1, 1000000
    sum = i
  end do
  call PAPIF_stop(set, nanoseconds, check)
  if (check /= PAPI_OK .or. nanoseconds(1) <= 0) error stop 'not counted'
  print '(a)', 'counted'
end program
