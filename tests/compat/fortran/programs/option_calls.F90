! Options of sets and of the library.
#include "fpapi.h"
program option_calls
  implicit none
  integer :: retval, es
  retval = PAPI_VER_CURRENT
  call PAPIF_library_init(retval)
  call expect_code(retval, PAPI_VER_CURRENT, 'library_init')
  es = PAPI_NULL
  call PAPIF_create_eventset(es, retval)
  call PAPIF_add_named_event(es, 'perf::TASK-CLOCK', retval)
  call expect_code(retval, PAPI_OK, 'add_named_event')
  call domains(es)
  call granularities(es)
  call multiplexing(es)
  call inheriting
  call others
  call finish

contains

  subroutine domains(es)
    integer, intent(in) :: es
    integer :: domain, retval
    call PAPIF_set_domain(PAPI_DOM_ALL, retval)
    call expect_code(retval, PAPI_OK, 'set_domain')
    domain = 0
    call PAPIF_get_domain(es, domain, PAPI_DEFDOM, retval)
    call expect_code(retval, PAPI_OK, 'get_domain of the default')
    call expect_code(domain, PAPI_DOM_ALL, 'the default domain')
    call PAPIF_set_cmp_domain(PAPI_DOM_USER, 0, retval)
    call expect_code(retval, PAPI_OK, 'set_cmp_domain')
    call PAPIF_get_domain(es, domain, PAPI_DEFDOM, retval)
    call expect_code(domain, PAPI_DOM_USER, 'the default domain of the component')
    call PAPIF_set_event_domain(es, PAPI_DOM_USER + PAPI_DOM_KERNEL, retval)
    call expect_code(retval, PAPI_OK, 'set_event_domain')
    call PAPIF_get_domain(es, domain, PAPI_DOMAIN, retval)
    call expect_code(domain, PAPI_DOM_USER + PAPI_DOM_KERNEL, 'the domain of the set')
    call PAPIF_get_domain(es, domain, PAPI_CLOCKRATE, retval)
    call expect_code(retval, PAPI_EINVAL, 'get_domain of something else')
    call PAPIF_set_domain(PAPI_DOM_ALL + 1, retval)
    call expect_code(retval, PAPI_EINVAL, 'set_domain of no domain')
  end subroutine

  subroutine granularities(es)
    integer, intent(in) :: es
    integer :: granularity, retval
    call PAPIF_set_granularity(PAPI_GRN_THR, retval)
    call expect_code(retval, PAPI_OK, 'set_granularity')
    call PAPIF_set_cmp_granularity(PAPI_GRN_THR, 0, retval)
    call expect_code(retval, PAPI_OK, 'set_cmp_granularity')
    granularity = 0
    call PAPIF_get_granularity(es, granularity, PAPI_DEFGRN, retval)
    call expect_code(retval, PAPI_OK, 'get_granularity of the default')
    call expect_code(granularity, PAPI_GRN_THR, 'the default granularity')
    granularity = 0
    call PAPIF_get_granularity(es, granularity, PAPI_GRANUL, retval)
    call expect_code(granularity, PAPI_GRN_THR, 'the granularity of the set')
    call PAPIF_get_granularity(es, granularity, PAPI_HWINFO, retval)
    call expect_code(retval, PAPI_EINVAL, 'get_granularity of something else')
  end subroutine

  subroutine multiplexing(es)
    integer, intent(in) :: es
    integer :: retval
    call PAPIF_multiplex_init(retval)
    call expect_code(retval, PAPI_OK, 'multiplex_init')
    call PAPIF_get_multiplex(es, retval)
    call expect_code(retval, 0, 'get_multiplex before')
    call PAPIF_set_multiplex(es, retval)
    call expect_code(retval, PAPI_OK, 'set_multiplex')
    call PAPIF_get_multiplex(es, retval)
    call expect_code(retval, 1, 'get_multiplex after')
  end subroutine

  ! Fortran's call is for the sets to come; a set that inherits cannot be told from outside but by
  ! its children, so here by what a set of the one kind and of the other count.
  subroutine inheriting()
    integer :: retval
    integer(8) :: with, without
    call PAPIF_set_inherit(PAPI_INHERIT_ALL, retval)
    call expect_code(retval, PAPI_OK, 'set_inherit')
    call count_child(with)
    call PAPIF_set_inherit(PAPI_INHERIT_NONE, retval)
    call expect_code(retval, PAPI_OK, 'set_inherit none')
    call count_child(without)
    call expect(with > 2 * without, 'a child is counted with its parent')
    call PAPIF_set_inherit(17, retval)
    call expect_code(retval, PAPI_EINVAL, 'set_inherit of nothing')
  end subroutine

  subroutine count_child(nanoseconds)
    integer(8), intent(out) :: nanoseconds
    integer(8) :: values(1)
    integer :: set, retval
    set = PAPI_NULL
    call PAPIF_create_eventset(set, retval)
    call PAPIF_add_named_event(set, 'perf::TASK-CLOCK', retval)
    call PAPIF_start(set, retval)
    call expect_code(retval, PAPI_OK, 'start before a child')
    call execute_command_line('i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); done')
    call PAPIF_stop(set, values, retval)
    nanoseconds = values(1)
  end subroutine

  subroutine others()
    integer :: retval, clockrate
    character(len=20) :: variable
    clockrate = -1
    call PAPIF_get_clockrate(clockrate)
    call expect(clockrate >= 0, 'get_clockrate')
    variable = repeat('x', 20)
    call PAPIF_get_preload(variable, retval)
    call expect_code(retval, PAPI_OK, 'get_preload')
    call expect(variable == 'LD_PRELOAD', 'the variable, blanks behind it: ' // variable)
    call PAPIF_set_debug(PAPI_QUIET, retval)
    call expect_code(retval, PAPI_OK, 'set_debug')
    call PAPIF_set_debug(17, retval)
    call expect_code(retval, PAPI_EINVAL, 'set_debug of no level')
  end subroutine
end program
