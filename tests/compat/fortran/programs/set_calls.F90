! Event sets and counting: each name once with what it must answer.
#include "fpapi.h"
program set_calls
  implicit none
  integer :: retval, es
  retval = PAPI_VER_CURRENT
  call PAPIF_library_init(retval)
  call expect_code(retval, PAPI_VER_CURRENT, 'library_init')
  es = PAPI_NULL
  call PAPIF_create_eventset(es, retval)
  call expect_code(retval, PAPI_OK, 'create_eventset')
  call fill(es)
  call count(es)
  call empty(es)
  call finish

contains

  subroutine fill(es)
    integer, intent(inout) :: es
    integer :: codes(2), listed(1), number, retval
    call PAPIF_assign_eventset_component(es, 0, retval)
    call expect_code(retval, PAPI_OK, 'assign_eventset_component')
    codes = [PAPI_TOT_CYC, PAPI_TOT_INS]
    call PAPIF_add_events(es, codes, 2, retval)
    call expect_code(retval, PAPI_OK, 'add_events')
    call PAPIF_remove_events(es, codes, 2, retval)
    call expect_code(retval, PAPI_OK, 'remove_events')
    call PAPIF_add_event(es, PAPI_TOT_CYC, retval)
    call expect_code(retval, PAPI_OK, 'add_event')
    call PAPIF_add_named_event(es, 'perf::TASK-CLOCK      ', retval)
    call expect_code(retval, PAPI_OK, 'add_named_event with blanks behind it')
    call PAPIF_add_named_event(es, 'perf::TASK-CLOCK', retval)
    call expect_code(retval, PAPI_ECNFLCT, 'the same event again')
    call PAPIF_num_events(es, number)
    call expect_code(number, 2, 'num_events')
    number = 1
    listed = 0
    call PAPIF_list_events(es, listed, number, retval)
    call expect_code(retval, PAPI_OK, 'list_events into a short array')
    call expect(number == 2 .and. listed(1) == PAPI_TOT_CYC, 'how many there are, and those with room')
    call PAPIF_state(es, number, retval)
    call expect_code(retval, PAPI_OK, 'state')
    call expect_code(number, PAPI_STOPPED, 'stopped')
  end subroutine

  subroutine count(es)
    integer, intent(in) :: es
    integer(8) :: values(2), sums(2), cycles, now
    integer :: retval, status
    call PAPIF_start(es, retval)
    call expect_code(retval, PAPI_OK, 'start')
    call PAPIF_start(es, retval)
    call expect_code(retval, PAPI_EISRUN, 'start of what runs')
    call PAPIF_state(es, status, retval)
    call expect(iand(status, PAPI_RUNNING) /= 0, 'running')
    call burn
    call PAPIF_read_ts(es, values, cycles, retval)
    call PAPIF_get_real_cyc(now)
    call expect_code(retval, PAPI_OK, 'read_ts')
    call expect(values(2) > 0 .and. cycles > 0 .and. cycles <= now, 'counts, and when')
    sums = 1000
    call PAPIF_accum(es, sums, retval)
    call expect_code(retval, PAPI_OK, 'accum')
    call expect(sums(2) >= values(2) + 1000, 'added to what was there')
    call PAPIF_read(es, values, retval)
    call expect(values(2) < sums(2), 'counted from zero after accum')
    call burn
    call PAPIF_reset(es, retval)
    call expect_code(retval, PAPI_OK, 'reset')
    call PAPIF_read(es, sums, retval)
    call burn
    call PAPIF_stop(es, values, retval)
    call expect_code(retval, PAPI_OK, 'stop')
    call expect(values(2) > sums(2), 'counted on after reset')
    call PAPIF_write(es, values, retval)
    call expect(retval == PAPI_OK .or. retval == PAPI_ECMP .or. retval == PAPI_ENOSUPP, 'write')
    call PAPIF_stop(es, values, retval)
    call expect_code(retval, PAPI_ENOTRUN, 'stop of what is stopped')
  end subroutine

  subroutine empty(es)
    integer, intent(inout) :: es
    integer :: retval, number
    call PAPIF_remove_named_event(es, 'perf::TASK-CLOCK', retval)
    call expect_code(retval, PAPI_OK, 'remove_named_event')
    call PAPIF_remove_event(es, PAPI_TOT_CYC, retval)
    call expect_code(retval, PAPI_OK, 'remove_event')
    call PAPIF_cleanup_eventset(es, retval)
    call expect_code(retval, PAPI_OK, 'cleanup_eventset')
    call PAPIF_destroy_eventset(es, retval)
    call expect_code(retval, PAPI_OK, 'destroy_eventset')
    call expect_code(es, PAPI_NULL, 'the handle after destroy')
    call PAPIF_num_events(12345, number)
    call expect_code(number, PAPI_ENOEVST, 'num_events of no set')
  end subroutine
end program
