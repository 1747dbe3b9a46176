# Read by CPack once for each generator.
if(CPACK_GENERATOR STREQUAL "RPM")
  set(CPACK_STRIP_FILES ON)
endif()
# Dates in the packages. CPack and dpkg-deb take it from the environment.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  message(STATUS "SOURCE_DATE_EPOCH is not set: two builds of the same source differ in dates (scripts/package sets it)")
endif()
