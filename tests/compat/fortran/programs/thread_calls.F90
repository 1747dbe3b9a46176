! Threads, locks, and messages.
#include "fpapi.h"
integer function own_number()
  use omp_lib
  implicit none
  own_number = 100 + omp_get_thread_num()
end function

program thread_calls
  implicit none
  integer :: retval, id, level, total
  integer, external :: own_number
  retval = PAPI_VER_CURRENT
  call PAPIF_library_init(retval)
  call expect_code(retval, PAPI_VER_CURRENT, 'library_init')
  call PAPIF_thread_id(id)
  call expect_code(id, PAPI_EMISC, 'thread_id before thread_init')
  call PAPIF_thread_init(own_number, retval)
  call expect_code(retval, PAPI_OK, 'thread_init')
  call PAPIF_is_initialized(level)
  call expect(iand(level, PAPI_THREAD_LEVEL_INITED) /= 0, 'is_initialized with threads')
  call PAPIF_thread_id(id)
  call expect_code(id, 100, 'thread_id: what the function says')
  total = 0
  call count_together(total)
  call expect_code(total, 4000, 'additions under a lock')
  call PAPIF_perror('message of the program   ')
  call finish

contains

  ! Each thread counts for itself, and adds to a sum that only the lock protects.
  subroutine count_together(total)
    integer, intent(inout) :: total
    integer :: set, check, i, wrong
    integer, volatile :: now
    integer(8) :: values(1)
    wrong = 0
    now = 0
    !$omp parallel num_threads(4) private(set, check, values, i) reduction(+: wrong)
    call PAPIF_register_thread(check)
    if (check /= PAPI_OK) wrong = wrong + 1
    set = PAPI_NULL
    call PAPIF_create_eventset(set, check)
    call PAPIF_add_named_event(set, 'perf::TASK-CLOCK', check)
    call PAPIF_start(set, check)
    if (check /= PAPI_OK) wrong = wrong + 1
    do i = 1, 1000
      call PAPIF_lock(PAPI_USR1_LOCK)
      now = now + 1
      call PAPIF_unlock(PAPI_USR1_LOCK)
    end do
    call PAPIF_stop(set, values, check)
    if (check /= PAPI_OK .or. values(1) <= 0) wrong = wrong + 1
    call PAPIF_cleanup_eventset(set, check)
    call PAPIF_destroy_eventset(set, check)
    call PAPIF_unregister_thread(check)
    if (check /= PAPI_OK) wrong = wrong + 1
    call PAPIF_register_thread(check)
    call PAPIF_unregster_thread(check)
    if (check /= PAPI_OK) wrong = wrong + 1
    !$omp end parallel
    call expect_code(wrong, 0, 'threads whose calls failed')
    total = now
  end subroutine
end program
