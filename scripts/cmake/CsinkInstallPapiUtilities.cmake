# PAPI's utilities and their man pages, beside libpapi in its prefix: PAPI's own have the same names. They find
# libpapi.so.7.0 from their own place ($ORIGIN).
get_property(csink_papi_utilities GLOBAL PROPERTY CSINK_PAPI_UTILITIES)
if(csink_papi_utilities)
  install(TARGETS ${csink_papi_utilities} RUNTIME DESTINATION "${CSINK_PAPI_BINDIR}" COMPONENT papi)
endif()
install(PROGRAMS "${PROJECT_SOURCE_DIR}/compat/utils/papi_hl_output_writer.py" DESTINATION "${CSINK_PAPI_BINDIR}"
  RENAME papi_hl_output_writer COMPONENT papi)
install(FILES "${PROJECT_SOURCE_DIR}/compat/utils/papi_hl_output_writer.1" DESTINATION "${CSINK_PAPI_MANDIR}/man1"
  COMPONENT papi)
get_property(csink_papi_utility_pages GLOBAL PROPERTY CSINK_PAPI_UTILITY_PAGES)
if(csink_papi_utility_pages) # none when cross-compiling
  install(FILES ${csink_papi_utility_pages} DESTINATION "${CSINK_PAPI_MANDIR}/man1" COMPONENT papi)
endif()
