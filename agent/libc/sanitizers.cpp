/// File: what AddressSanitizer's library asks whoever comes first in the program.
///
/// It ends a program in which another library was loaded before it, as every preloaded one
/// is. It fears for its own malloc, of which we take nothing away: all that we interpose
/// ends up in it. A program that has this function itself is asked instead of us.

extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() noexcept;

const char* __asan_default_options() noexcept { return "verify_asan_link_order=0"; }
