/// File: what the compiler expects of a C++ runtime that we do not link.

extern "C" {

// In the vtables of abstract classes; reached only by a bug. The host is not ours
// to abort: the call does nothing.
__attribute__((visibility("hidden"))) void __cxa_pure_virtual() {}

}  // extern "C"
