# Man pages and shell completion, made from what the programs' --help prints, from core/settings/table.h and from the
# public headers. They are made in the build and installed from there; new subcommands and options need no change here.
if(CMAKE_CROSSCOMPILING OR CSINK_SANITIZE OR CSINK_COVERAGE)
  return() # the programs that print the help do not run here, or the build is not for installing
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(CSINK_DOCUMENTS "${PROJECT_BINARY_DIR}/documents")
set(csink_document_programs --atime "$<TARGET_FILE:atime>")
set(csink_document_targets atime)
if(TARGET csink)
  list(APPEND csink_document_programs --csink "$<TARGET_FILE:csink>")
  list(APPEND csink_document_targets csink)
endif()
file(GLOB csink_document_sources "${PROJECT_SOURCE_DIR}/scripts/man/*.txt")
foreach(name scripts/generate_man.py scripts/generate_completion.py scripts/lib/command_help.py scripts/lib/roff.py
    scripts/lib/header_contracts.py scripts/lib/settings_table.py core/settings/table.h agent/include/csink.h
    compat/apapi/include/apapi.h compat/apapi/include/apapi_csink.h compat/events/include/csink_events.h
    compat/papi/include/csink_papi.h compat/papi/include/papi.h)
  list(APPEND csink_document_sources "${PROJECT_SOURCE_DIR}/${name}")
endforeach()
set(csink_python "${CMAKE_COMMAND}" -E env PYTHONDONTWRITEBYTECODE=1 "$<TARGET_FILE:Python3::Interpreter>")
add_custom_command(OUTPUT "${CSINK_DOCUMENTS}/made" VERBATIM
  DEPENDS ${csink_document_targets} ${csink_document_sources}
  COMMAND ${csink_python} "${PROJECT_SOURCE_DIR}/scripts/generate_man.py" ${csink_document_programs}
          --version "${PROJECT_VERSION}" --out "${CSINK_DOCUMENTS}/man"
  COMMAND ${csink_python} "${PROJECT_SOURCE_DIR}/scripts/generate_completion.py" ${csink_document_programs}
          --out "${CSINK_DOCUMENTS}/completion"
  COMMAND "${CMAKE_COMMAND}" -E touch "${CSINK_DOCUMENTS}/made"
  COMMENT "Man pages and shell completion")
add_custom_target(csink_documents ALL DEPENDS "${CSINK_DOCUMENTS}/made")

# Folders, because the subcommands and functions with a page are known only when they were made.
# Those of atime are in its package.
function(csink_install_documents folder destination component)
  install(DIRECTORY "${CSINK_DOCUMENTS}/${folder}/" DESTINATION "${destination}" COMPONENT ${component} ${ARGN})
endfunction()
foreach(place IN ITEMS "man/user=${CMAKE_INSTALL_MANDIR}"
    "completion/bash=${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
    "completion/zsh=${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
    "completion/fish=${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  string(REGEX MATCH "^([^=]*)=(.*)$" csink_unused "${place}")
  csink_install_documents("${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}" countersink REGEX "/_?atime(\\.[^/]*)?$" EXCLUDE)
  csink_install_documents("${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}" atime
    FILES_MATCHING REGEX "/_?atime(\\.[^/]*)?$")
endforeach()
csink_install_documents(man/dev "${CMAKE_INSTALL_MANDIR}" dev)
