! Events by code and by name, and what is known about them.
#include "fpapi.h"
program event_calls
  implicit none
  integer :: retval
  retval = PAPI_VER_CURRENT
  call PAPIF_library_init(retval)
  call expect_code(retval, PAPI_VER_CURRENT, 'library_init')
  call queries
  call names
  call long_names
  call enumeration
  call descriptions
  call finish

contains

  subroutine queries()
    integer :: retval
    call PAPIF_query_event(PAPI_TOT_CYC, retval)
    call expect_code(retval, PAPI_OK, 'query_event')
    call PAPIF_query_event(PAPI_L3_ICW, retval)
    call expect_code(retval, PAPI_ENOEVNT, 'query_event of what is not counted')
    call PAPIF_query_named_event('perf::PAGE-FAULTS', retval)
    call expect_code(retval, PAPI_OK, 'query_named_event')
    call PAPIF_query_named_event('no such event', retval)
    call expect(retval < 0, 'query_named_event of none')
  end subroutine

  subroutine names()
    integer :: retval, code
    character(len=PAPI_MAX_STR_LEN) :: name
    character(len=5) :: short
    character(len=30) :: padded
    name = repeat('x', len(name))
    call PAPIF_event_code_to_name(PAPI_TOT_CYC, name, retval)
    call expect_code(retval, PAPI_OK, 'event_code_to_name')
    call expect(name == 'PAPI_TOT_CYC', 'the name, blanks behind it: ' // trim(name))
    call PAPIF_event_code_to_name(PAPI_TOT_CYC, short, retval)
    call expect_code(retval, PAPI_OK, 'event_code_to_name into a short variable')
    call expect(short == 'PAPI_', 'as much as there is room for')
    name = 'as it was'
    call PAPIF_event_code_to_name(4711, name, retval)
    call expect(retval < 0 .and. name == 'as it was', 'a call that fails changes nothing')
    padded = 'PAPI_TOT_INS'
    call PAPIF_event_name_to_code(padded, code, retval)
    call expect_code(retval, PAPI_OK, 'event_name_to_code')
    call expect_code(code, PAPI_TOT_INS, 'the code')
    call PAPIF_event_name_to_code('PAPI_TOT_INS' // char(0) // 'rest', code, retval)
    call expect_code(retval, PAPI_OK, 'a name with its own end, as C wants it')
    code = 4711
    call PAPIF_event_name_to_code(' ', code, retval)
    call expect(retval < 0 .and. code == 4711, 'no name at all')
  end subroutine

  ! Longer than any event: refused as a whole, never cut to the name of another.
  subroutine long_names()
    integer :: retval, code
    character(len=100000) :: padded
    code = 4711
    call PAPIF_event_name_to_code('PAPI_TOT_INS' // repeat('S', 5000), code, retval)
    call expect(retval < 0 .and. code == 4711, 'a name that is too long')
    call PAPIF_query_named_event(repeat('perf::', 20000), retval)
    call expect(retval < 0, 'a name that is far too long')
    padded = 'PAPI_TOT_CYC'
    call PAPIF_event_name_to_code(padded, code, retval)
    call expect(retval == PAPI_OK .and. code == PAPI_TOT_CYC, 'a long variable, mostly blanks')
  end subroutine

  subroutine enumeration()
    integer :: retval, code, available
    code = PAPI_PRESET_MASK
    available = 0
    call PAPIF_enum_event(code, PAPI_ENUM_FIRST, retval)
    call expect_code(retval, PAPI_OK, 'enum_event to the first')
    do while (retval == PAPI_OK)
      call PAPIF_query_event(code, retval)
      if (retval == PAPI_OK) available = available + 1
      call PAPIF_enum_event(code, PAPI_PRESET_ENUM_AVAIL, retval)
    end do
    call expect_code(retval, PAPI_ENOEVNT, 'enum_event after the last')
    call expect(available >= 7, 'presets that are counted')
  end subroutine

  subroutine descriptions()
    integer :: retval, count, flags
    character(len=PAPI_MAX_STR_LEN) :: symbol, note, short
    character(len=12) :: long
    character(len=20) :: few
    call PAPIF_get_event_info(PAPI_TOT_CYC, symbol, long, short, count, note, flags, retval)
    call expect_code(retval, PAPI_OK, 'get_event_info')
    call expect(symbol == 'PAPI_TOT_CYC', 'symbol: ' // trim(symbol))
    call expect(len_trim(long) > 0 .and. len_trim(short) > 0, 'texts: ' // long // ' ' // trim(short))
    call expect(index(symbol // long // short // note, char(0)) == 0, 'no NUL in any text')
    call expect(count >= 1 .and. (flags == 0 .or. flags == PAPI_DERIVED), 'count and flags')
    symbol = 'as it was'
    count = 4711
    few = repeat('x', 20)
    call PAPIF_get_event_info(4711, symbol, long, short, count, few, flags, retval)
    call expect(retval < 0 .and. symbol == 'as it was' .and. count == 4711, 'a call that fails changes nothing')
  end subroutine
end program
