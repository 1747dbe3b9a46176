C     Fixed form without a preprocessor: constants by INCLUDE.
      program f77
      include 'f77papi.h'
      integer retval, code
      character*40 name

      retval = PAPI_VER_CURRENT
      call PAPIF_library_init(retval)
      call expect_code(retval, PAPI_VER_CURRENT, 'library_init')
      name = 'PAPI_L1_DCM'
      code = 0
      call PAPIF_event_name_to_code(name, code, retval)
      call expect_code(retval, PAPI_OK, 'event_name_to_code')
      call expect_code(code, PAPI_L1_DCM, 'the first preset, the least INTEGER')
      call PAPIF_event_name_to_code('PAPI_FP_OPS', code, retval)
      call expect_code(code, PAPI_FP_OPS, 'a preset')
      call finish()
      end
