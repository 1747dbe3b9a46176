# csink_add_papi_utility(NAME SOURCES ... [LIBS ...])
# One of PAPI's utilities: a program over libpapi.so's C interface, with its man page, which it prints
# itself. Both are installed (CsinkInstallPapiUtilities).
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "The utilities' man pages are not made: the programs that print them do not run here")
endif()

function(csink_add_papi_utility name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE csink_flags csink_papi_utility papi ${arg_LIBS})
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
  target_link_options(${name} PRIVATE -Wl,--as-needed -Wl,--gc-sections)
  if(NOT CSINK_SANITIZE)
    # A program whose start is most of what it costs.
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  set_property(GLOBAL APPEND PROPERTY CSINK_PAPI_UTILITIES ${name})

  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    return()
  endif()
  set(page "${CMAKE_CURRENT_BINARY_DIR}/man/${name}.1")
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/man")
  add_custom_command(OUTPUT "${page}" DEPENDS ${name} VERBATIM
    COMMAND "${CMAKE_COMMAND}" "-DTOOL=$<TARGET_FILE:${name}>" "-DPAGE=${page}"
            -P "${PROJECT_SOURCE_DIR}/scripts/cmake/CsinkManPage.cmake"
    COMMENT "Man page of ${name}")
  add_custom_target(${name}_man ALL DEPENDS "${page}")
  set_property(GLOBAL APPEND PROPERTY CSINK_PAPI_UTILITY_PAGES "${page}")
endfunction()
