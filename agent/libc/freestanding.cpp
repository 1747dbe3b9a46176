/// File: functions that others expect of this library by name: the compiler of a C++ runtime, which
/// we do not link, and AddressSanitizer of every program.

extern "C" {

// The vtables of abstract classes refer to this function; only a bug reaches it. It returns instead
// of calling abort, because the agent must never end the program.
__attribute__((visibility("hidden"))) void __cxa_pure_virtual() {}

// The default options of AddressSanitizer for programs with the agent. AddressSanitizer's library
// ends a program in which another library was loaded before it, as every preloaded library is
// (verify_asan_link_order). The check protects its malloc, which the agent does not replace. The
// library asks this function for its options. If the program defines the function itself, that
// definition is used.
__attribute__((visibility("default"))) const char* __asan_default_options() noexcept;

const char* __asan_default_options() noexcept { return "verify_asan_link_order=0"; }

}  // extern "C"
