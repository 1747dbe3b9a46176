# libpapi's part of the installed tree: the libraries, headers, pkg-config and CMake packages.
# Everything is found from its own place, so that the tree may be moved.
include(CMakePackageConfigHelpers)

install(TARGETS papi papi_static EXPORT papiTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES compat/papi/include/papi.h compat/papi/include/papiStdEventDefs.h compat/papi/include/csink_papi.h
  compat/papi/include/papi35.h compat/papi/include/papi35_abi.h
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# For Fortran: constants for three kinds of sources, and the module's source. A .mod file is of one
# compiler and version; the source is of all.
foreach(name fpapi.h f77papi.h f90papi.h papi.f90)
  install(FILES "${CSINK_FORTRAN_INCLUDE}/${name}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endforeach()

# PAPI 7.1 and 7.2: libraries over libpapi.so.7.0, which they find by the core's own name beside them, and
# the headers of each version in a folder of its own. libpapi.so is 7.0's.
install(TARGETS papi71 papi72 EXPORT papiTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" NAMELINK_SKIP)
install(FILES "${CSINK_PAPI_CORE_LINK}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
foreach(minor 1 2)
  install(DIRECTORY "compat/papi/include/papi-7.${minor}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(DIRECTORY "${CSINK_PAPI_FACES}/fortran-7.${minor}/"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/papi-7.${minor}")
endforeach()

# PAPI's own name of the file carries the version; both are looked for.
file(RELATIVE_PATH CSINK_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" CSINK_PC_TO_PREFIX "${CSINK_PC_TO_PREFIX}")
get_target_property(CSINK_PAPI_VERSION papi VERSION)
configure_file(compat/papi/cmake/papi.pc.in "${PROJECT_BINARY_DIR}/papi.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/papi.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${PROJECT_BINARY_DIR}/papi.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
  RENAME "papi-${CSINK_PAPI_VERSION}.pc")
foreach(CSINK_PAPI_MINOR 1 2)
  configure_file(compat/papi/cmake/papi-face.pc.in "${PROJECT_BINARY_DIR}/papi-7.${CSINK_PAPI_MINOR}.pc" @ONLY)
  foreach(name papi-7.${CSINK_PAPI_MINOR}.pc papi-7.${CSINK_PAPI_MINOR}.0.0.pc)
    install(FILES "${PROJECT_BINARY_DIR}/papi-7.${CSINK_PAPI_MINOR}.pc"
      DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" RENAME "${name}")
  endforeach()
endforeach()

set(csink_papi_package "${CMAKE_INSTALL_LIBDIR}/cmake/papi")
configure_package_config_file(compat/papi/cmake/papiConfig.cmake.in "${PROJECT_BINARY_DIR}/papiConfig.cmake"
  INSTALL_DESTINATION "${csink_papi_package}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/papiConfigVersion.cmake"
  VERSION ${CSINK_PAPI_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/papiConfig.cmake" "${PROJECT_BINARY_DIR}/papiConfigVersion.cmake"
  DESTINATION "${csink_papi_package}")
install(EXPORT papiTargets NAMESPACE papi:: DESTINATION "${csink_papi_package}")
