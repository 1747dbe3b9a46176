# Every option of the build. Name, default, meaning.
option(BUILD_TESTING "Build the tests (needs GoogleTest); CTest's own name" ON)
option(CSINK_WITH_TOOL "Build the symbolizer and the csink tool (of elfutils it needs dwarf.h alone)" ON)
option(CSINK_WITH_PAPI "Build libpapi, its presets and utilities, libapapi, and atime and libms_common_apapi, which need it" ON)
option(CSINK_WITH_FUZZERS "Build the libFuzzer targets (needs clang)" OFF)
option(CSINK_WERROR "Treat compiler warnings as errors" OFF)
option(CSINK_PLAIN_UNIT_TESTS "Build and run every unit test here; OFF: only those marked PLAIN, as .ci/run does" ON)
set(CSINK_SANITIZE "" CACHE STRING "Sanitizers for everything, e.g. address,undefined or thread")
set(csink_pch_default OFF)
if("$ENV{COUNTERSINK_PCH}") # .ci/run sets it for all its builds
  set(csink_pch_default ON)
endif()
option(CSINK_PCH "Precompile the headers of GoogleTest for the unit tests" ${csink_pch_default})
option(CSINK_COVERAGE "Instrument for gcov" OFF)
option(CSINK_PACKAGING "Build what packages hold (preset package): debug information without the paths of this machine, all licence texts" OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
