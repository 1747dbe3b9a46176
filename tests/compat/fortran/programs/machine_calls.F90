! Clocks, the machine and the program.
#include "fpapi.h"
program machine_calls
  implicit none
  integer :: retval
  retval = PAPI_VER_CURRENT
  call PAPIF_library_init(retval)
  call expect_code(retval, PAPI_VER_CURRENT, 'library_init')
  call clocks
  call hardware
  call executable
  call memory
  call devices
  call finish

contains

  subroutine clocks()
    integer(8) :: first(5), last(5)
    call read_clocks(first)
    call burn
    call read_clocks(last)
    call expect(all(first > 0), 'clocks that run')
    call expect(all(last > first), 'clocks that went on')
    call expect(abs((last(3) - first(3)) / 1000 - (last(2) - first(2))) <= 1000, 'nanoseconds are 1000 to the microsecond')
  end subroutine

  subroutine read_clocks(now)
    integer(8), intent(out) :: now(5)
    call PAPIF_get_real_cyc(now(1))
    call PAPIF_get_real_usec(now(2))
    call PAPIF_get_real_nsec(now(3))
    call PAPIF_get_virt_cyc(now(4))
    call PAPIF_get_virt_usec(now(5))
  end subroutine

  subroutine hardware()
    integer :: ncpu, nnodes, totalcpus, vendor, model, number
    character(len=PAPI_MAX_STR_LEN) :: vendor_string, model_string
    real :: revision, mhz
    totalcpus = 0
    call PAPIF_get_hardware_info(ncpu, nnodes, totalcpus, vendor, vendor_string, model, model_string, revision, mhz)
    call expect(totalcpus >= 1 .and. ncpu >= 1 .and. nnodes >= 1 .and. ncpu <= totalcpus, 'processors')
    call expect(len_trim(vendor_string) > 0 .and. index(vendor_string // model_string, char(0)) == 0, &
                'vendor: ' // trim(vendor_string))
    call expect(mhz >= 0 .and. revision >= 0, 'clock and revision')
    number = -1
    call PAPIF_num_hwctrs(number)
    call expect(number >= 0, 'num_hwctrs')
    call PAPIF_num_cmp_hwctrs(0, number)
    call expect(number >= 0, 'num_cmp_hwctrs')
    call PAPIF_num_cmp_hwctrs(4711, number)
    call expect_code(number, PAPI_ENOCMP, 'num_cmp_hwctrs of no component')
  end subroutine

  subroutine executable()
    character(len=PAPI_HUGE_STR_LEN) :: fullname, name
    integer(8) :: edges(6)
    integer :: retval
    call PAPIF_get_exe_info(fullname, name, edges(1), edges(2), edges(3), edges(4), edges(5), edges(6), retval)
    call expect_code(retval, PAPI_OK, 'get_exe_info')
    call expect(index(trim(fullname), '/machine_calls', back=.true.) > 0, 'fullname: ' // trim(fullname))
    call expect(len_trim(name) > 0 .and. index(fullname // name, char(0)) == 0, 'name: ' // trim(name))
    call expect(edges(1) > 0 .and. edges(2) > edges(1) .and. edges(4) > edges(3), 'segments')
  end subroutine

  subroutine memory()
    integer(8) :: dmem(PAPIF_DMEM_MAXVAL + 1)
    integer :: retval
    dmem = -4711
    call PAPIF_get_dmem_info(dmem, retval)
    call expect_code(retval, PAPI_OK, 'get_dmem_info')
    call expect(all(dmem(1:PAPIF_DMEM_MAXVAL) /= -4711) .and. dmem(PAPIF_DMEM_MAXVAL + 1) == -4711, '12 numbers')
    call expect(dmem(PAPIF_DMEM_PAGESIZE) >= 4096, 'the size of a page')
    call expect(dmem(PAPIF_DMEM_VMSIZE) >= dmem(PAPIF_DMEM_RESIDENT) .and. dmem(PAPIF_DMEM_RESIDENT) > 0, &
                'the size of the program')
  end subroutine

  subroutine devices()
    integer :: retval, handle, number, kinds
    character(len=PAPI_MAX_STR_LEN) :: text
    handle = -1
    call PAPIF_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, number, text, retval)
    call expect_code(retval, PAPI_EINVAL, 'an attribute of no handle')
    kinds = 0
    do
      call PAPIF_enum_dev_type(PAPI_DEV_TYPE_ENUM__CPU, handle, retval)
      if (retval /= PAPI_OK) exit
      kinds = kinds + 1
    end do
    call expect(kinds == 1 .and. handle == PAPI_DEV_TYPE_ID__CPU, 'one kind of processor')
    text = 'as it was'
    number = -1
    call PAPIF_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, number, text, retval)
    call expect_code(retval, PAPI_OK, 'get_dev_type_attr of a number')
    call expect(number >= 1 .and. text == 'as it was', 'a number, and no text')
    call PAPIF_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__CHAR_STATUS, number, text, retval)
    call expect(retval == PAPI_OK .and. text /= 'as it was' .and. index(text, char(0)) == 0, 'a text: ' // trim(text))
    number = -1
    call PAPIF_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT, number, text, retval)
    call expect(retval == PAPI_OK .and. number >= 1, 'get_dev_attr')
    call PAPIF_get_dev_attr(handle, 4711, PAPI_DEV_ATTR__CPU_UINT_FAMILY, number, text, retval)
    call expect_code(retval, PAPI_EINVAL, 'get_dev_attr of no device')
  end subroutine
end program
