# cmake -DSOURCE=FOLDER -DTEMPLATE=FILE -DOUTPUT=FILE -P CsinkCommit.cmake
# Writes OUTPUT from TEMPLATE with the commit of the sources as CSINK_COMMIT: from commit.txt where git archive
# made it, else from git, else "unknown". An unchanged OUTPUT keeps its time, so that nothing is compiled again.
file(STRINGS "${SOURCE}/scripts/cmake/commit.txt" archived LIMIT_COUNT 1)
set(CSINK_COMMIT unknown)
if(archived MATCHES "^[0-9a-f]+$")
  set(CSINK_COMMIT "${archived}")
else()
  find_program(git git)
  if(git)
    # --show-prefix prints an empty line at the top of a repository. Anywhere else the commit would be that of a
    # repository around the sources. safe.directory: root may build in the folder of another user.
    execute_process(COMMAND "${git}" -c "safe.directory=*" -C "${SOURCE}" rev-parse --show-prefix HEAD
      OUTPUT_VARIABLE answer ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed AND answer MATCHES "^\n([0-9a-f]+)\n$")
      set(CSINK_COMMIT "${CMAKE_MATCH_1}")
    endif()
  endif()
endif()
if(NOT CSINK_COMMIT STREQUAL "unknown")
  string(SUBSTRING "${CSINK_COMMIT}" 0 12 CSINK_COMMIT)
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
