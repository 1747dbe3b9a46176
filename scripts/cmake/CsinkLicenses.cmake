# Licence texts of the code that is linked into ours, and an SPDX SBOM: scripts/collect_licenses.py.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(csink_licenses "${PROJECT_BINARY_DIR}/licenses")
set(csink_sbom "${PROJECT_BINARY_DIR}/countersink.spdx.json")
set(csink_license_options --version "${PROJECT_VERSION}" --licenses "${csink_licenses}" --sbom "${csink_sbom}")
# The version of the C++ runtime is that of g++; clang takes the newest, which is g++'s too.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  string(REGEX MATCH "^[0-9]+" csink_gcc "${CMAKE_CXX_COMPILER_VERSION}")
  list(APPEND csink_license_options --gcc "${csink_gcc}")
endif()
if(LLVM_DEMANGLE_INCLUDE_DIR MATCHES "llvm-([0-9]+)")
  list(APPEND csink_license_options --llvm "${CMAKE_MATCH_1}")
endif()
if(CSINK_PACKAGING)
  list(APPEND csink_license_options --strict)
endif()
add_custom_command(OUTPUT "${csink_sbom}"
  COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/collect_licenses.py" ${csink_license_options}
  DEPENDS "${PROJECT_SOURCE_DIR}/scripts/collect_licenses.py" "${PROJECT_SOURCE_DIR}/scripts/lib/linked.list"
  COMMENT "Licence texts and SBOM" VERBATIM)
add_custom_target(csink_licenses ALL DEPENDS "${csink_sbom}")
install(DIRECTORY "${csink_licenses}" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES "${csink_sbom}" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
