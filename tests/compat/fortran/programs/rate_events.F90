! The event of a rate in the two other ways; a file of its own, so that no argument changes its type in it.
#include "fpapi.h"
subroutine by_value
  implicit none
  integer :: retval
  real :: real_time, proc_time, rate
  integer(8) :: count
  call PAPIF_flops_rate(%val(PAPI_FP_OPS), real_time, proc_time, count, rate, retval)
  call expect_code(retval, PAPI_OK, 'flops_rate by value')
  call PAPIF_rate_stop(retval)
end subroutine

program rate_events
  implicit none
  integer :: retval
  real :: real_time, proc_time, rate
  integer(8) :: count
  character(len=30) :: name
  retval = PAPI_VER_CURRENT
  call PAPIF_library_init(retval)
  call by_value
  name = 'PAPI_FP_INS'
  call PAPIF_flips_rate(name, real_time, proc_time, count, rate, retval)
  call expect_code(retval, PAPI_OK, 'flips_rate by name')
  call PAPIF_rate_stop(retval)
  call expect_code(retval, PAPI_OK, 'rate_stop')
  name = 'PAPI_NO_SUCH'
  call PAPIF_flips_rate(name, real_time, proc_time, count, rate, retval)
  call expect(retval < 0, 'flips_rate by the name of none')
  call finish
end program
