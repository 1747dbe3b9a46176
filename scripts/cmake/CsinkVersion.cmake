# csink_version: the text of --version, in one generated source. Each build looks for the commit (10 ms) and writes the
# source only if it changed, so a new commit compiles this file and links the programs, nothing else.
set(csink_version_source "${PROJECT_BINARY_DIR}/version/version.cpp")
add_custom_target(csink_find_commit VERBATIM BYPRODUCTS "${csink_version_source}"
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DTEMPLATE=${PROJECT_SOURCE_DIR}/core/version/version.cpp.in"
          "-DOUTPUT=${csink_version_source}" -P "${PROJECT_SOURCE_DIR}/scripts/cmake/CsinkCommit.cmake"
  COMMENT "Commit of the sources")
csink_add_room(csink_version LEAN SOURCES "${csink_version_source}")
add_dependencies(csink_version csink_find_commit)
