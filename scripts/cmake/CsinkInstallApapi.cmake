# libapapi's part of the installed tree. The library finds its own libpapi beside it, and its default
# files by its own place.
install(TARGETS apapi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES compat/apapi/include/apapi.h compat/apapi/include/apapi_csink.h
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES compat/apapi/share/apapi/default_eventops.csv compat/apapi/share/apapi/default_eventlist.txt
  DESTINATION "${CMAKE_INSTALL_DATADIR}/apapi")
