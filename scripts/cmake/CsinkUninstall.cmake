# Target uninstall: removes what `cmake --install` copied (install_manifest.txt) and the folders that it made, where
# they are empty now.
add_custom_target(uninstall
  COMMAND "${CMAKE_COMMAND}" "-DBUILD=${PROJECT_BINARY_DIR}" -P "${PROJECT_SOURCE_DIR}/scripts/cmake/CsinkUninstallRun.cmake"
  COMMENT "Removing what was installed" VERBATIM)
