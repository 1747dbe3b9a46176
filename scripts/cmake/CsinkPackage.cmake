# Packages by CPack, one for each component (CsinkInstallPlaces); scripts/package builds them.
set(CSINK_PACKAGER "Countersink maintainers <maintainers@countersink.invalid>" CACHE STRING
  "Maintainer of the packages, \"Name <address>\"; whoever gives packages to others sets it")

# Descriptions have quotes.
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_NAME countersink)
set(CPACK_PACKAGE_VENDOR Countersink)
set(CPACK_PACKAGE_CONTACT "${CSINK_PACKAGER}")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL countersink)
set(csink_dev_needs countersink)
if(CSINK_WITH_PAPI)
  list(APPEND CPACK_COMPONENTS_ALL papi apapi atime)
  list(APPEND csink_dev_needs papi apapi atime)
endif()
list(APPEND CPACK_COMPONENTS_ALL dev)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
# csink starts programs with libpapi, and its package has the licence texts of them all.
set(CPACK_COMPONENT_PAPI_DEPENDS countersink)
set(CPACK_COMPONENT_APAPI_DEPENDS papi)
set(CPACK_COMPONENT_ATIME_DEPENDS apapi)
set(CPACK_COMPONENT_DEV_DEPENDS ${csink_dev_needs})
# Not by CPack: packages of debug symbols are made of what it would strip.
set(CPACK_STRIP_FILES OFF)

set(csink_about_countersink "profiler for unmodified programs, by LD_PRELOAD
 Preloads one library; at its end any program reports which functions and
 lines used which hardware events, with confidence intervals and a count of
 what was lost. No relinking, no daemon, no root.")
set(csink_about_papi "performance counters of programs written for PAPI
 libpapi.so.7.0 to 7.3 and PAPI's utilities over the core of
 Countersink. They are in a folder of their own and replace no other PAPI of
 the machine; \"csink papi -- ./app\" runs a program with them.")
set(csink_about_apapi "counters of PAPI read periodically, with statistics
 APAPI's interface: event sets that a timer reads, and minimum, maximum,
 average and integral of each event.")
set(csink_about_atime "energy, power and counters of a program's run
 atime runs a program and reads energy, power, temperatures and other
 counters of devices meanwhile. libms_common_apapi.so gives hettime the same
 counters by LD_PRELOAD.")
set(csink_about_dev "headers and packages for programs that use Countersink
 csink.h, apapi.h, csink_events.h, papi.h of PAPI 7.0 to 7.3, the
 module papi for Fortran, libpapi.a, and the files of pkg-config and CMake.")

set(csink_name_countersink countersink)
set(csink_name_papi countersink-papi)
set(csink_name_apapi libapapi1)
set(csink_name_atime countersink-atime)
set(csink_name_dev countersink-dev)

# Debian. Dependencies on other packages come from dpkg-shlibdeps, those among these packages from the components.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SOURCE countersink)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CSINK_PACKAGER}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libapapi's libpapi is that of package papi. Where Debian's libpapi7.0 is installed, dpkg-shlibdeps takes that one in
# any case; both packages need the C library alone besides.
find_program(CSINK_DPKG_QUERY dpkg-query)
mark_as_advanced(CSINK_DPKG_QUERY)
if(CSINK_DPKG_QUERY)
  execute_process(COMMAND "${CSINK_DPKG_QUERY}" -W "-f=\${Version}" libc6 OUTPUT_VARIABLE csink_libc ERROR_QUIET)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" csink_libc "${csink_libc}")
endif()
foreach(component IN ITEMS APAPI ATIME)
  set(CPACK_DEBIAN_${component}_PACKAGE_SHLIBDEPS OFF)
  if(csink_libc)
    set(CPACK_DEBIAN_${component}_PACKAGE_DEPENDS "libc6 (>= ${csink_libc})")
  endif()
endforeach()
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
set(CPACK_DEBIAN_DEV_DEBUGINFO_PACKAGE OFF)
set(CPACK_DEBIAN_COUNTERSINK_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PAPI_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_APAPI_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_ATIME_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# Opened at run time, and missed with a message: names of events, decoders, debug files of other machines.
set(CPACK_DEBIAN_COUNTERSINK_PACKAGE_RECOMMENDS "libpfm4")
set(CPACK_DEBIAN_COUNTERSINK_PACKAGE_SUGGESTS "libzydis4.0, libcapstone4, libdebuginfod1")
set(CPACK_DEBIAN_PAPI_PACKAGE_RECOMMENDS "libpfm4")
set(CPACK_DEBIAN_PAPI_PACKAGE_SUGGESTS "python3") # papi_hl_output_writer
set(CPACK_DEBIAN_APAPI_PACKAGE_GENERATE_SHLIBS ON)

# RPM.
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_MAIN_COMPONENT countersink)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_RELEASE 1)
set(CPACK_RPM_PACKAGE_LICENSE "BSD-3-Clause")
set(CPACK_RPM_PACKAGE_AUTOREQPROV ON)
# Folders of other packages.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
  /usr/libexec /usr/lib/pkgconfig /usr/lib/cmake /usr/lib64/pkgconfig /usr/lib64/cmake
  "/usr/${CMAKE_INSTALL_LIBDIR}" "/usr/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/usr/${CMAKE_INSTALL_LIBDIR}/cmake"
  /usr/share/man /usr/share/man/man1 /usr/share/man/man3 /usr/share/man/man7 /usr/share/doc)

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER "${component}" upper)
  # Not by a regular expression: REPLACE takes "^" for the begin of what is left after each match.
  string(FIND "${csink_about_${component}}" "\n" end)
  string(SUBSTRING "${csink_about_${component}}" 0 ${end} summary)
  string(SUBSTRING "${csink_about_${component}}" ${end} -1 text)
  string(REPLACE "\n " "\n" text "${text}")
  string(STRIP "${text}" text)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${text}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME "${csink_name_${component}}")
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
  set(CPACK_RPM_${upper}_PACKAGE_NAME "${csink_name_${component}}")
  set(CPACK_RPM_${upper}_PACKAGE_SUMMARY "${summary}")
  set(CPACK_RPM_${upper}_PACKAGE_DESCRIPTION "${text}")
  list(APPEND CSINK_PACKAGE_NAMES "${component}=${csink_name_${component}}")
endforeach()
set(CPACK_RPM_PAPI_PACKAGE_REQUIRES "countersink = ${PROJECT_VERSION}")
set(CPACK_RPM_APAPI_PACKAGE_REQUIRES "countersink-papi = ${PROJECT_VERSION}")
set(CPACK_RPM_ATIME_PACKAGE_REQUIRES "libapapi1 = ${PROJECT_VERSION}")
foreach(component IN LISTS csink_dev_needs)
  list(APPEND csink_dev_packages "${csink_name_${component}} = ${PROJECT_VERSION}")
endforeach()
list(JOIN csink_dev_packages ", " CPACK_RPM_DEV_PACKAGE_REQUIRES)
# libpapi.so.7.0 in its own folder is no answer to a package that asks for PAPI's.
set(CPACK_RPM_SPEC_MORE_DEFINE
  "%global __provides_exclude_from ^.*/countersink/papi/.*$\n%global __requires_exclude ^lib(papi\\\\.so|csink_papi).*$")

# What Debian wants in each package and CPack does not make: copyright, changelogs, compressed pages, overrides.
set(CSINK_DEBIAN_FILES "${PROJECT_SOURCE_DIR}/packaging/debian")
configure_file("${CSINK_DEBIAN_FILES}/CsinkDebianFiles.cmake.in" "${PROJECT_BINARY_DIR}/CsinkDebianFiles.cmake" @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_BINARY_DIR}/CsinkDebianFiles.cmake")
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/packaging/CPackOptions.cmake")
include(CPack)
