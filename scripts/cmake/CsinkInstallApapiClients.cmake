# What is built on libapapi: atime, and libms_common_apapi.so for LD_PRELOAD under hettime. Both find
# libapapi and libpapi from their own place ($ORIGIN), so that the tree may be moved.
install(TARGETS atime RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT atime)
install(TARGETS csink_marks LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT atime)
# The link libms_common_apapi.so is no file of developers: users name it in LD_PRELOAD.
install(TARGETS ms_common_apapi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT atime)
install(FILES compat/ms_common/include/ms_common_apapi.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev)
