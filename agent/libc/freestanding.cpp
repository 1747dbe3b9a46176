/// File: what the compiler expects of a C++ runtime that we do not link.

extern "C" {

// The vtables of abstract classes refer to this function; only a bug reaches it. It returns instead
// of calling abort, because the agent must never end the program.
__attribute__((visibility("hidden"))) void __cxa_pure_virtual() {}

}  // extern "C"
