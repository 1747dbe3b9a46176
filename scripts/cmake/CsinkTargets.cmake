# Flag sets and the two functions that every CMakeLists of the house uses.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

find_program(CSINK_CCACHE ccache)
if(CSINK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CSINK_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CSINK_CCACHE}")
endif()

add_library(csink_flags INTERFACE)
target_compile_options(csink_flags INTERFACE -Wall -Wextra)
if(CSINK_WERROR)
  target_compile_options(csink_flags INTERFACE -Werror)
endif()
# g++ 12 sees overlapping copies in std::string's own operators at -O3 (GCC bug 105651).
target_compile_options(csink_flags INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
target_include_directories(csink_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(csink_flags INTERFACE _GNU_SOURCE)
if(CSINK_PACKAGING)
  # Debug information, too. Elsewhere debuggers and `csink annotate` find the sources in the checkout.
  add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}=/usr/src/countersink"
    "-ffile-prefix-map=${PROJECT_BINARY_DIR}=/usr/src/countersink/build")
endif()
if(CSINK_SANITIZE)
  target_compile_definitions(csink_flags INTERFACE CSINK_SANITIZED)
  # No vptr check: it needs the RTTI that the lean rooms do without.
  # No check of functions' types (clang's): those of makers' libraries are called without their structures.
  target_compile_options(csink_flags INTERFACE -fsanitize=${CSINK_SANITIZE} -fno-sanitize=vptr
                         $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function> -fno-omit-frame-pointer)
  target_link_options(csink_flags INTERFACE -fsanitize=${CSINK_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CSINK_SANITIZE MATCHES "address")
    # GCC's macro; clang 14 has __has_feature(address_sanitizer) instead.
    target_compile_definitions(csink_flags INTERFACE __SANITIZE_ADDRESS__=1)
  endif()
endif()
if(CSINK_COVERAGE)
  target_compile_options(csink_flags INTERFACE --coverage)
  target_link_options(csink_flags INTERFACE --coverage)
endif()

# Code that may be linked into libagent.so lives inside somebody else's process:
# no exceptions, no RTTI, no guarded statics, TLS without a call.
add_library(csink_lean_flags INTERFACE)
target_link_libraries(csink_lean_flags INTERFACE csink_flags)
target_compile_options(csink_lean_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti -fno-threadsafe-statics>
  # Every global that is filled in at the start costs each process a page fault (StaticStorage).
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wglobal-constructors>
  -ftls-model=initial-exec -fno-asynchronous-unwind-tables -fstack-protector-strong
  -ffunction-sections -fdata-sections)

# csink_add_room(NAME [LEAN] SOURCES ... [LIBS ...])
# One static library, sources listed by hand, alias csink::<name without csink_>.
function(csink_add_room name)
  cmake_parse_arguments(arg "LEAN" "" "SOURCES;LIBS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  if(arg_LEAN)
    target_link_libraries(${name} PRIVATE csink_lean_flags)
  else()
    target_link_libraries(${name} PRIVATE csink_flags)
  endif()
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PUBLIC ${arg_LIBS})
  string(REPLACE "csink_" "" short ${name})
  add_library(csink::${short} ALIAS ${name})
endfunction()

# csink_forbid(FOLDER TARGETS ...)
# Configuring fails where one of the targets links a source below FOLDER, directly or by a room.
function(csink_forbid folder)
  foreach(target IN LISTS ARGN)
    set(todo ${target})
    set(seen)
    while(NOT "${todo}" STREQUAL "") # an absent property ends in NOTFOUND, which is false
      list(POP_FRONT todo room)
      if(NOT TARGET "${room}" OR room IN_LIST seen)
        continue()
      endif()
      list(APPEND seen ${room})
      get_target_property(type ${room} TYPE)
      if(type STREQUAL "SHARED_LIBRARY" AND NOT room STREQUAL target)
        continue() # a file of its own
      endif()
      foreach(property SOURCES LINK_LIBRARIES INTERFACE_LINK_LIBRARIES SOURCE_DIR)
        get_target_property(${property} ${room} ${property})
      endforeach()
      foreach(source IN LISTS SOURCES)
        get_filename_component(source "${source}" ABSOLUTE BASE_DIR "${SOURCE_DIR}")
        string(FIND "${source}" "${PROJECT_SOURCE_DIR}/${folder}/" at)
        if(at EQUAL 0)
          message(FATAL_ERROR "${target} links ${room}: nothing of ${folder} belongs there")
        endif()
      endforeach()
      set(rooms ${LINK_LIBRARIES} ${INTERFACE_LINK_LIBRARIES})
      list(TRANSFORM rooms REPLACE "^\\$<LINK_ONLY:(.+)>$" "\\1")
      list(APPEND todo ${rooms})
    endwhile()
  endforeach()
endfunction()

# Nothing in them depends on the machine, and they take half of the guest's time: its plan unit leaves them out,
# plan unit_all builds (target portable_tests) and runs them.
set(CSINK_PORTABLE_TESTS papi_bad_input_test papi_threads_test profile_test profil_writer_test report_test report_html_test
  catalogue_test catalogue_threads_test symbolizer_demangle_test)

# The guest runs unit tests that need nothing of the host; the cross build makes no others by default.
function(csink_leave_out_of_guest name labels)
  if(name IN_LIST CSINK_PORTABLE_TESTS)
    if(NOT TARGET portable_tests)
      add_custom_target(portable_tests)
    endif()
    add_dependencies(portable_tests ${name})
    set_property(TEST ${name} APPEND PROPERTY LABELS portable)
  elseif("unit" IN_LIST labels AND NOT "host-tools" IN_LIST labels)
    return()
  endif()
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()

# Tests are compiled with -O1: -O2 doubles the time of compilation, and the tests do not run faster. With -g1 instead
# of -g (lines, no variables) a test's source compiles in two thirds of the time; preset dev has -g.
# At -O1 g++ 12 reports false overflows in std::string's copies of short strings.
set(csink_test_options $<$<NOT:$<CONFIG:Debug>>:-O1> $<$<CONFIG:Release>:-g1>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds$<SEMICOLON>-Wno-stringop-overflow>)

# ccache stores a compilation with a precompiled header only with these, and with
# CCACHE_SLOPPINESS=pch_defines,time_macros (.ci/run sets it).
set(csink_pch_options $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>
  "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")

# csink_add_test(NAME [ALONE] [PLAIN|UNSANITIZED] SOURCES ... LIBS ... [LABELS ...])
# A GoogleTest program; one ctest entry for the program; exit 77 means skipped. ALONE: it compares
# samples or clocks with the processor time it got, and runs beside no other test. PLAIN: the builds with
# sanitizers cannot show all of it, so .ci/run runs it without them as well (CSINK_PLAIN_UNIT_TESTS).
# UNSANITIZED: thousands of simulated runs, which take minutes with the sanitizers; other tests call the same code.
function(csink_add_test name)
  cmake_parse_arguments(arg "ALONE;PLAIN;UNSANITIZED" "" "SOURCES;LIBS;LABELS" ${ARGN})
  if(arg_UNSANITIZED)
    if(CSINK_SANITIZE)
      return()
    endif()
    set(arg_PLAIN ON)
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS fast unit)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE csink_flags ${arg_LIBS} GTest::gmock GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${csink_test_options})
  if(CSINK_PCH)
    target_compile_options(${name} PRIVATE ${csink_pch_options})
    target_precompile_headers(${name} REUSE_FROM csink_test_pch)
    set(c_sources ${arg_SOURCES})
    list(FILTER c_sources INCLUDE REGEX "\\.c$")
    set_source_files_properties(${c_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  if("unit" IN_LIST arg_LABELS)
    if(NOT TARGET unit_tests)
      add_custom_target(unit_tests) # what the sanitizer presets build
    endif()
    add_dependencies(unit_tests ${name})
  endif()
  set(timeout 120)
  if(CSINK_SANITIZE OR CSINK_COVERAGE)
    set(timeout 600)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT ${timeout}
                       RUN_SERIAL ${arg_ALONE})
  if(CMAKE_CROSSCOMPILING)
    csink_leave_out_of_guest(${name} "${arg_LABELS}")
  elseif(NOT CSINK_PLAIN_UNIT_TESTS AND NOT CSINK_SANITIZE AND NOT arg_PLAIN AND "unit" IN_LIST arg_LABELS)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    set_tests_properties(${name} PROPERTIES LABELS "unit;sanitized-only")
  endif()
endfunction()
