! The high level of PAPI 7.0: regions by name. Who runs this looks into the report for the name.
#include "fpapi.h"
program region_calls
  implicit none
  integer :: retval
  character(len=40) :: region
  region = 'region of a fortran program'
  call PAPIF_hl_region_begin(region, retval)
  call expect_code(retval, PAPI_OK, 'hl_region_begin')
  call burn
  call PAPIF_hl_read(region, retval)
  call expect_code(retval, PAPI_OK, 'hl_read')
  call burn
  call PAPIF_hl_region_end(region, retval)
  call expect_code(retval, PAPI_OK, 'hl_region_end')
  call PAPIF_hl_region_end('another region', retval)
  call expect(retval < 0, 'hl_region_end of what has not begun')
  call PAPIF_hl_stop(retval)
  call expect_code(retval, PAPI_OK, 'hl_stop')
  call finish
end program
