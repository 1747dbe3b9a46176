# The folders of an installation besides those of GNUInstallDirs, and the components that packages are made of:
#   countersink  csink, libagent.so and what they start; everything that names no component
#   papi         libpapi and PAPI's utilities, in a folder of their own
#   apapi        libapapi and its default files
#   atime        atime and libms_common_apapi.so, which are written over libapapi
#   dev          headers, archives, links of linkers, pkg-config and CMake packages
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME countersink)

# Programs that users do not start.
set(CSINK_LIBEXECDIR "${CMAKE_INSTALL_LIBEXECDIR}/countersink")
# libpapi has the names of PAPI's own library and papi_avail those of PAPI's own tools: in the folders of the loader and
# of PATH they would replace them for every program of the machine. So they have a prefix of their own below the
# libraries; `csink papi` runs a program with it.
set(CSINK_PAPI_PREFIX "${CMAKE_INSTALL_LIBDIR}/countersink/papi")
set(CSINK_PAPI_LIBDIR "${CSINK_PAPI_PREFIX}/lib")
set(CSINK_PAPI_BINDIR "${CSINK_PAPI_PREFIX}/bin")
set(CSINK_PAPI_INCLUDEDIR "${CSINK_PAPI_PREFIX}/include")
set(CSINK_PAPI_MANDIR "${CSINK_PAPI_PREFIX}/share/man")

# From one folder to another, so that the tree may be moved.
file(RELATIVE_PATH CSINK_LIBEXEC_FROM_LIB "/${CMAKE_INSTALL_LIBDIR}" "/${CSINK_LIBEXECDIR}")
file(RELATIVE_PATH CSINK_LIBEXEC_FROM_BIN "/${CMAKE_INSTALL_BINDIR}" "/${CSINK_LIBEXECDIR}")
file(RELATIVE_PATH CSINK_PAPI_LIB_FROM_LIB "/${CMAKE_INSTALL_LIBDIR}" "/${CSINK_PAPI_LIBDIR}")
file(RELATIVE_PATH CSINK_PAPI_LIB_FROM_BIN "/${CMAKE_INSTALL_BINDIR}" "/${CSINK_PAPI_LIBDIR}")
file(RELATIVE_PATH CSINK_LIB_FROM_PAPI_BIN "/${CSINK_PAPI_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
