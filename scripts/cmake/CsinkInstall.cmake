# What is installed besides the libraries (agent/ installs its own). The tree is relocatable: libagent.so
# finds bin/csink from its own place, and nothing carries an absolute path or a run path.
set(CMAKE_INSTALL_MESSAGE LAZY)

if(TARGET csink)
  install(TARGETS csink RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

include(CsinkInstallPapi)

install(FILES LICENSE CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
foreach(page README.md docs/json.md docs/papi.md)
  if(EXISTS "${PROJECT_SOURCE_DIR}/${page}")
    install(FILES ${page} DESTINATION "${CMAKE_INSTALL_DOCDIR}")
  endif()
endforeach()
