# What is installed besides the libraries (agent/ installs its own). The tree is relocatable: libagent.so
# finds bin/csink from its own place, nothing carries an absolute path, and every run path begins with $ORIGIN.
set(CMAKE_INSTALL_MESSAGE LAZY)

if(TARGET csink)
  install(TARGETS csink RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

include(CsinkLicenses)
if(CSINK_WITH_PAPI)
  include(CsinkInstallPapi)
  include(CsinkInstallApapi)
  include(CsinkInstallApapiClients)
  include(CsinkInstallPapiUtilities)
endif()
include(CsinkDocuments)
include(CsinkInstallPackages)

# Laid out as here, so that the pages' links to each other hold.
install(FILES README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md LICENSE
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" FILES_MATCHING PATTERN "*.md" PATTERN "*.schema.json" PATTERN "*.sql" PATTERN "*.csv" PATTERN "*.png" PATTERN "*.cpp")
