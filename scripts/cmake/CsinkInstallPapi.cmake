# libpapi's part of the installed tree, in a prefix of its own (CsinkInstallPlaces): the libraries, headers, pkg-config
# and CMake packages. Everything is found from its own place, so that the tree may be moved.
include(CMakePackageConfigHelpers)

install(TARGETS papi papi_static EXPORT papiTargets
  LIBRARY DESTINATION "${CSINK_PAPI_LIBDIR}" COMPONENT papi NAMELINK_COMPONENT dev
  ARCHIVE DESTINATION "${CSINK_PAPI_LIBDIR}" COMPONENT dev
  INCLUDES DESTINATION "${CSINK_PAPI_INCLUDEDIR}")
install(FILES compat/papi/include/papi.h compat/papi/include/papiStdEventDefs.h compat/papi/include/csink_papi.h
  compat/papi/include/papi35.h compat/papi/include/papi35_abi.h
  DESTINATION "${CSINK_PAPI_INCLUDEDIR}" COMPONENT dev)
# For Fortran: constants for three kinds of sources, and the module's source. A .mod file is of one
# compiler and version; the source is of all.
foreach(name fpapi.h f77papi.h f90papi.h papi.f90)
  install(FILES "${CSINK_FORTRAN_INCLUDE}/${name}" DESTINATION "${CSINK_PAPI_INCLUDEDIR}" COMPONENT dev)
endforeach()

# PAPI 7.1, 7.2 and 7.3: libraries over libpapi.so.7.0, which they find by the core's own name beside them, and
# the headers of each version in a folder of its own. libpapi.so is 7.0's.
install(TARGETS papi71 papi72 papi73 EXPORT papiTargets
  LIBRARY DESTINATION "${CSINK_PAPI_LIBDIR}" COMPONENT papi NAMELINK_SKIP)
install(TARGETS appio LIBRARY DESTINATION "${CSINK_PAPI_LIBDIR}" COMPONENT papi)
install(FILES "${CSINK_PAPI_CORE_LINK}" DESTINATION "${CSINK_PAPI_LIBDIR}" COMPONENT papi)
foreach(minor 1 2 3)
  install(DIRECTORY "compat/papi/include/papi-7.${minor}" DESTINATION "${CSINK_PAPI_INCLUDEDIR}" COMPONENT dev)
  install(DIRECTORY "${CSINK_PAPI_ABIS}/fortran-7.${minor}/"
    DESTINATION "${CSINK_PAPI_INCLUDEDIR}/papi-7.${minor}" COMPONENT dev)
endforeach()

# PAPI's own name of the file carries the version; both are looked for.
get_target_property(CSINK_PAPI_VERSION papi VERSION)
configure_file(compat/papi/cmake/papi.pc.in "${PROJECT_BINARY_DIR}/papi.pc" @ONLY)
foreach(name papi.pc papi-${CSINK_PAPI_VERSION}.pc)
  install(FILES "${PROJECT_BINARY_DIR}/papi.pc" DESTINATION "${CSINK_PAPI_LIBDIR}/pkgconfig" COMPONENT dev
    RENAME "${name}")
endforeach()
foreach(CSINK_PAPI_MINOR 1 2 3)
  configure_file(compat/papi/cmake/papi-abi.pc.in "${PROJECT_BINARY_DIR}/papi-7.${CSINK_PAPI_MINOR}.pc" @ONLY)
  foreach(name papi-7.${CSINK_PAPI_MINOR}.pc papi-7.${CSINK_PAPI_MINOR}.0.0.pc)
    install(FILES "${PROJECT_BINARY_DIR}/papi-7.${CSINK_PAPI_MINOR}.pc"
      DESTINATION "${CSINK_PAPI_LIBDIR}/pkgconfig" COMPONENT dev RENAME "${name}")
  endforeach()
endforeach()

set(csink_papi_package "${CSINK_PAPI_LIBDIR}/cmake/papi")
configure_package_config_file(compat/papi/cmake/papiConfig.cmake.in "${PROJECT_BINARY_DIR}/papiConfig.cmake"
  INSTALL_DESTINATION "${csink_papi_package}" PATH_VARS CSINK_PAPI_INCLUDEDIR
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/papiConfigVersion.cmake"
  VERSION ${CSINK_PAPI_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/papiConfig.cmake" "${PROJECT_BINARY_DIR}/papiConfigVersion.cmake"
  DESTINATION "${csink_papi_package}" COMPONENT dev)
install(EXPORT papiTargets NAMESPACE papi:: DESTINATION "${csink_papi_package}" COMPONENT dev)

# Somebody who knows PAPI looks for these files in the folders of the loader and of PATH.
install(CODE "message(STATUS \"libpapi and papi_avail are in a folder of their own, \${CMAKE_INSTALL_PREFIX}/${CSINK_PAPI_PREFIX}, and replace no other PAPI; csink papi -- ./app runs a program with them\")"
  COMPONENT papi)
