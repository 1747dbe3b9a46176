# pkg-config and CMake packages of our own interfaces: csink.h, libcsink_events, libapapi. libpapi's are in its prefix.
include(CMakePackageConfigHelpers)

file(RELATIVE_PATH CSINK_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" CSINK_PC_TO_PREFIX "${CSINK_PC_TO_PREFIX}")
set(csink_interfaces csink_events)
set(csink_interface_targets csink_events_api)
if(CSINK_WITH_PAPI)
  list(APPEND csink_interfaces apapi)
  list(APPEND csink_interface_targets apapi)
endif()
foreach(target IN LISTS csink_interface_targets)
  get_target_property(csink_version ${target} VERSION)
  get_target_property(csink_soversion ${target} SOVERSION)
  string(TOUPPER "CSINK_${target}" csink_name)
  set(${csink_name}_VERSION "${csink_version}")
  set(${csink_name}_SOVERSION "${csink_soversion}")
endforeach()
foreach(name IN ITEMS countersink ${csink_interfaces})
  configure_file(packaging/pkgconfig/${name}.pc.in "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endforeach()

set(csink_package "${CMAKE_INSTALL_LIBDIR}/cmake/countersink")
configure_package_config_file(packaging/cmake/countersinkConfig.cmake.in
  "${PROJECT_BINARY_DIR}/countersinkConfig.cmake" INSTALL_DESTINATION "${csink_package}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR CSINK_PAPI_PREFIX
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/countersinkConfigVersion.cmake"
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/countersinkConfig.cmake" "${PROJECT_BINARY_DIR}/countersinkConfigVersion.cmake"
  DESTINATION "${csink_package}" COMPONENT dev)
