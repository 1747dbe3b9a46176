! Free form: constants by INCLUDE.
program f90
  implicit none
  include 'f90papi.h'
  integer :: retval, level
  retval = PAPI_VER_CURRENT
  call PAPIF_library_init(retval)
  call expect_code(retval, PAPI_VER_CURRENT, 'library_init')
  call PAPIF_is_initialized(level)
  call expect_code(level, PAPI_LOW_LEVEL_INITED, 'is_initialized')
  call PAPIF_shutdown()
  call PAPIF_is_initialized(level)
  call expect_code(level, PAPI_NOT_INITED, 'is_initialized after shutdown')
  call finish
end program
