# libapapi's part of the installed tree. The library finds its libpapi, and its default files, from its own place.
install(TARGETS apapi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT apapi NAMELINK_COMPONENT dev)
install(FILES compat/apapi/include/apapi.h compat/apapi/include/apapi_csink.h
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev)
install(FILES compat/apapi/share/apapi/default_eventops.csv compat/apapi/share/apapi/default_eventlist.txt
  DESTINATION "${CMAKE_INSTALL_DATADIR}/apapi" COMPONENT apapi)
