! Rates of PAPI 7.0: an event by reference, as all arguments of this interface; by value, as PAPI's own
! library takes it; and by name, as PAPI's man pages have it.
#include "fpapi.h"
program rate_calls
  implicit none
  integer :: retval
  retval = PAPI_VER_CURRENT
  call PAPIF_library_init(retval)
  call expect_code(retval, PAPI_VER_CURRENT, 'library_init')
  call flips_and_flops
  call cycles
  call finish

contains

  subroutine stop_rate()
    integer :: retval
    call PAPIF_rate_stop(retval)
    call expect_code(retval, PAPI_OK, 'rate_stop')
  end subroutine

  subroutine flips_and_flops()
    integer :: retval
    real :: real_time, proc_time, rate
    integer(8) :: count
    call PAPIF_flops_rate(PAPI_FP_OPS, real_time, proc_time, count, rate, retval)
    call expect_code(retval, PAPI_OK, 'flops_rate')
    call burn
    count = 0
    call PAPIF_flops_rate(PAPI_FP_OPS, real_time, proc_time, count, rate, retval)
    call expect(retval == PAPI_OK .and. count > 0 .and. rate > 0 .and. real_time > 0 .and. proc_time > 0, 'flops')
    call stop_rate
    call PAPIF_flips_rate(PAPI_FP_INS, real_time, proc_time, count, rate, retval)
    call expect_code(retval, PAPI_OK, 'flips_rate')
    call burn
    count = 0
    call PAPIF_flips_rate(PAPI_FP_INS, real_time, proc_time, count, rate, retval)
    call expect(retval == PAPI_OK .and. count > 0 .and. rate > 0, 'flips')
    call stop_rate
    call PAPIF_flips_rate(PAPI_L3_ICW, real_time, proc_time, count, rate, retval)
    call expect(retval < 0, 'flips_rate of another event')
  end subroutine

  subroutine cycles()
    integer :: retval
    real :: real_time, proc_time, rate
    integer(8) :: count, ref, core
    call PAPIF_ipc(real_time, proc_time, count, rate, retval)
    call expect_code(retval, PAPI_OK, 'ipc')
    call burn
    count = 0
    call PAPIF_ipc(real_time, proc_time, count, rate, retval)
    call expect(retval == PAPI_OK .and. count > 0 .and. rate > 0, 'instructions')
    call stop_rate
    call PAPIF_epc(PAPI_TOT_INS, real_time, proc_time, ref, core, count, rate, retval)
    call expect_code(retval, PAPI_OK, 'epc')
    call burn
    count = 0
    call PAPIF_epc(PAPI_TOT_INS, real_time, proc_time, ref, core, count, rate, retval)
    call expect(retval == PAPI_OK .and. count > 0 .and. core > 0, 'events per cycle')
    call stop_rate
  end subroutine
end program
