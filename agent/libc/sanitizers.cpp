/// File: the default options of AddressSanitizer for programs with the agent.
///
/// AddressSanitizer's library ends a program in which another library was loaded before it, as
/// every preloaded library is (verify_asan_link_order). The check protects its malloc, which the
/// agent does not replace. The library asks this function for its options. If the program defines
/// the function itself, that definition is used.

extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() noexcept;

const char* __asan_default_options() noexcept { return "verify_asan_link_order=0"; }
