! The module: functions that return their codes, checked arguments, and what PAPI's Fortran interface lacks.
module overflows
  use papi
  implicit none
  integer(c_int), volatile :: seen = 0
  integer(c_long_long), volatile :: last_vector = 0
contains
  subroutine on_overflow(EventSet, address, overflow_vector, context) bind(C)
    integer(c_int), value :: EventSet
    type(c_ptr), value :: address, context
    integer(c_long_long), value :: overflow_vector
    if (EventSet >= 0 .and. c_associated(address) .and. c_associated(context)) seen = seen + 1
    last_vector = overflow_vector
  end subroutine
end module

program modern
  use papi
  use overflows
  implicit none
  integer(c_int) :: set, code
  call expect_code(papi_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT, 'papi_library_init')
  call expect(papi_num_components() >= 1, 'papi_num_components')
  set = PAPI_NULL
  call expect_code(papi_create_eventset(set), PAPI_OK, 'papi_create_eventset')
  call expect_code(papi_add_named_event(set, 'perf::TASK-CLOCK  '), PAPI_OK, 'papi_add_named_event')
  call expect_code(papi_event_name_to_code('perf::TASK-CLOCK', code), PAPI_OK, 'papi_event_name_to_code')
  call counting(set)
  call overflowing(set, code)
  call texts
  call expect_code(papi_cleanup_eventset(set), PAPI_OK, 'papi_cleanup_eventset')
  call expect_code(papi_destroy_eventset(set), PAPI_OK, 'papi_destroy_eventset')
  call PAPIF_shutdown
  call finish

contains

  subroutine counting(set)
    integer(c_int), intent(in) :: set
    integer(c_long_long) :: values(1), more(1), cycles
    integer(c_int) :: check
    call expect_code(papi_attach_thread(set, int(getpid(), c_long)), PAPI_OK, 'papi_attach_thread')
    call expect_code(papi_detach_thread(set), PAPI_OK, 'papi_detach_thread')
    call expect_code(papi_start(set), PAPI_OK, 'papi_start')
    call burn
    call expect_code(papi_read(set, values), PAPI_OK, 'papi_read')
    call burn
    call PAPIF_read_ts(set, more, cycles, check)
    call expect(check == PAPI_OK .and. more(1) > values(1) .and. values(1) > 0, 'counts')
    call expect(cycles <= papi_get_real_cyc() .and. papi_get_virt_nsec() >= more(1), 'clocks')
    call expect_code(papi_stop(set, values), PAPI_OK, 'papi_stop')
    call expect_code(papi_stop(set, values), PAPI_ENOTRUN, 'papi_stop again')
    call expect_code(papi_num_events(set), 1, 'papi_num_events')
  end subroutine

  subroutine overflowing(set, code)
    integer(c_int), intent(in) :: set, code
    integer(c_long_long) :: values(1)
    integer :: i
    call expect_code(papi_overflow(set, code, 1000000_c_int, 0_c_int, c_funloc(on_overflow)), PAPI_OK, 'papi_overflow')
    call expect_code(papi_start(set), PAPI_OK, 'papi_start with a handler')
    do i = 1, 200
      call burn
      if (seen >= 3) exit
    end do
    call expect_code(papi_stop(set, values), PAPI_OK, 'papi_stop with a handler')
    call expect(seen >= 3 .and. last_vector == 1, 'overflows of the first event')
    call expect_code(papi_overflow(set, code, 0_c_int, 0_c_int, c_funloc(on_overflow)), PAPI_OK, 'no more overflows')
  end subroutine

  subroutine texts()
    character(len=PAPI_MAX_STR_LEN) :: name
    character(len=:), allocatable :: sentence
    integer(c_int) :: domain
    sentence = papi_strerror(PAPI_ENOEVST)
    call expect(len(sentence) > 0 .and. index(sentence, c_null_char) == 0, 'papi_strerror: ' // sentence)
    call expect(papi_strerror(4711_c_int) == '', 'papi_strerror of no code')
    call expect_code(papi_event_code_to_name(PAPI_TOT_CYC, name), PAPI_OK, 'papi_event_code_to_name')
    call expect(name == 'PAPI_TOT_CYC', 'the name')
    call expect_code(papi_get_domain(set, domain, PAPI_DEFDOM), PAPI_OK, 'papi_get_domain')
    call expect_code(domain, PAPI_DOM_USER, 'the default domain')
    call expect(papi_get_clockrate() >= 0, 'papi_get_clockrate')
    call expect(papi_thread_id() == PAPI_EMISC .or. papi_thread_id() > 0, 'papi_thread_id')
  end subroutine
end program
