! What the module has beside the rows of papif.table; put into it by scripts/generate_fortran.py.
  ! A function that PAPIF_thread_init takes.
  abstract interface
    function papi_thread_number() result(number)
      import
      integer(c_int) :: number
    end function
  end interface

  ! Called at an overflow, as a signal handler: bind(C), and it must not allocate, print or stop.
  abstract interface
    subroutine papi_overflow_handler(EventSet, address, overflow_vector, context) bind(C)
      import
      integer(c_int), value :: EventSet
      type(c_ptr), value :: address, context
      integer(c_long_long), value :: overflow_vector
    end subroutine
  end interface

  ! Functions of papi.h that PAPI's Fortran interface lacks. The constants PAPI_ATTACH and
  ! PAPI_DETACH have the names of two of them, so those are called otherwise.
  interface
    function papi_thread_id() bind(C, name="PAPI_thread_id") result(id)
      import
      integer(c_long) :: id
    end function
    function papi_get_virt_nsec() bind(C, name="PAPI_get_virt_nsec") result(time)
      import
      integer(c_long_long) :: time
    end function
    function papi_num_components() bind(C, name="PAPI_num_components") result(count)
      import
      integer(c_int) :: count
    end function
    function papi_attach_thread(EventSet, tid) bind(C, name="PAPI_attach") result(check)
      import
      integer(c_int), value :: EventSet
      integer(c_long), value :: tid
      integer(c_int) :: check
    end function
    function papi_detach_thread(EventSet) bind(C, name="PAPI_detach") result(check)
      import
      integer(c_int), value :: EventSet
      integer(c_int) :: check
    end function
    ! handler: c_funloc of a procedure with the interface papi_overflow_handler
    function papi_overflow(EventSet, EventCode, threshold, flags, handler) &
        bind(C, name="PAPI_overflow") result(check)
      import
      integer(c_int), value :: EventSet, EventCode, threshold, flags
      type(c_funptr), value :: handler
      integer(c_int) :: check
    end function
  end interface

  interface
    function csink_text_of_code(code) bind(C, name="PAPI_strerror") result(text)
      import
      integer(c_int), value :: code
      type(c_ptr) :: text
    end function
    function csink_text_length(text) bind(C, name="strlen") result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface
  private :: csink_text_of_code, csink_text_length

contains
  ! The sentence for a return code; empty where there is none.
  function papi_strerror(code) result(sentence)
    integer(c_int), intent(in) :: code
    character(len=:), allocatable :: sentence
    character(kind=c_char), pointer :: characters(:)
    type(c_ptr) :: text
    integer :: i
    text = csink_text_of_code(code)
    if (.not. c_associated(text)) then
      sentence = ''
      return
    end if
    call c_f_pointer(text, characters, [csink_text_length(text)])
    allocate (character(len=size(characters)) :: sentence)
    do i = 1, size(characters)
      sentence(i:i) = characters(i)
    end do
  end function
