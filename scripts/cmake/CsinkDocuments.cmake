# Man pages and shell completion, made from what the programs' --help prints, from core/settings/table.h and from the
# public headers. They are made in the build and installed from there; new subcommands and options need no change here.
if(CMAKE_CROSSCOMPILING OR CSINK_SANITIZE OR CSINK_COVERAGE)
  return() # the programs that print the help do not run here, or the build is not for installing
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(CSINK_DOCUMENTS "${PROJECT_BINARY_DIR}/documents")
set(csink_document_programs)
set(csink_document_targets)
if(TARGET atime)
  list(APPEND csink_document_programs --atime "$<TARGET_FILE:atime>")
  list(APPEND csink_document_targets atime)
endif()
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
set(csink_completions "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
set(csink_zsh_functions "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
set(csink_fish_completions "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
install(DIRECTORY "${CSINK_DOCUMENTS}/man/user/" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT countersink
  PATTERN atime.1 EXCLUDE)
set(csink_pages_of_others PATTERN "PAPI_*.3" EXCLUDE PATTERN papi.h.3 EXCLUDE PATTERN "csink_papi*.3" EXCLUDE)
if(CSINK_WITH_PAPI)
  install(FILES "${CSINK_DOCUMENTS}/man/user/man1/atime.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT atime)
else()
  list(APPEND csink_pages_of_others PATTERN "*apapi*.3" EXCLUDE PATTERN "APAPI_*.3" EXCLUDE)
endif()
# The pages of libpapi have the names of PAPI's own, which Debian's libpapi-dev installs: they are in the prefix of our
# libpapi, where man finds them by PATH (csink papi -- man PAPI_start).
install(DIRECTORY "${CSINK_DOCUMENTS}/man/dev/" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT dev ${csink_pages_of_others})
if(CSINK_WITH_PAPI)
  install(DIRECTORY "${CSINK_DOCUMENTS}/man/dev/" DESTINATION "${CSINK_PAPI_MANDIR}" COMPONENT dev
    FILES_MATCHING PATTERN "PAPI_*.3" PATTERN papi.h.3 PATTERN "csink_papi*.3")
endif()
if(TARGET csink)
  install(FILES "${CSINK_DOCUMENTS}/completion/bash/csink" DESTINATION "${csink_completions}" COMPONENT countersink)
  install(FILES "${CSINK_DOCUMENTS}/completion/zsh/_csink" DESTINATION "${csink_zsh_functions}" COMPONENT countersink)
  install(FILES "${CSINK_DOCUMENTS}/completion/fish/csink.fish" DESTINATION "${csink_fish_completions}" COMPONENT countersink)
endif()
if(TARGET atime)
  install(FILES "${CSINK_DOCUMENTS}/completion/bash/atime" DESTINATION "${csink_completions}" COMPONENT atime)
  install(FILES "${CSINK_DOCUMENTS}/completion/zsh/_atime" DESTINATION "${csink_zsh_functions}" COMPONENT atime)
  install(FILES "${CSINK_DOCUMENTS}/completion/fish/atime.fish" DESTINATION "${csink_fish_completions}" COMPONENT atime)
endif()
