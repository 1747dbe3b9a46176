! The same with the module.
program user
  use papi
  implicit none
  integer(c_int) :: set, check, i
  integer(c_long_long) :: nanoseconds(1)
  real(c_double), volatile :: sum
  if (papi_library_init(PAPI_VER_CURRENT) /= PAPI_VER_CURRENT) error stop 'no library'
  set = PAPI_NULL
  check = papi_create_eventset(set)
  check = papi_add_named_event(set, 'perf::TASK-CLOCK')
  if (check /= PAPI_OK) print '(a)', papi_strerror(check)
  check = papi_start(set)
  do i = 1, 1000000
    sum = i
  end do
  check = papi_stop(set, nanoseconds)
  if (check /= PAPI_OK .or. nanoseconds(1) <= 0) error stop 'not counted'
  print '(a)', 'counted'
end program
