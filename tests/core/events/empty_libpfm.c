/* libpfm.so.4 of missing_library_test: none of the functions that we look for. */
extern const char csink_empty_libpfm;
const char csink_empty_libpfm = 0;
