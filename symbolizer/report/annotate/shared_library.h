#pragma once

#include <dlfcn.h>

#include <initializer_list>

/// File: loads a library at run time, so that csink starts without it.

namespace csink::annotate {

/// A library that is opened when it is needed. It is never closed: functions that Find returned may
/// be called until the process ends.
/// Threads: any; dlopen(3) has its own lock.
class SharedLibrary {
 public:
  /// Opens the first of `names` that can be opened, by the search of dlopen(3). RTLD_NOW reports
  /// symbols that cannot be resolved here and not at the first call.
  explicit SharedLibrary(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }
  /// Sets `function` to the symbol `name`. The caller is responsible for the type. Returns false,
  /// and leaves a null pointer null, if the library does not have the symbol or was not opened.
  template <class Function>
  bool Find(const char* name, Function*& function) const {
    if (handle_ != nullptr) function = reinterpret_cast<Function*>(dlsym(handle_, name));
    return function != nullptr;
  }

 private:
  /// As dlopen(3) returned it; null if no library could be opened.
  void* handle_ = nullptr;
};

}  // namespace csink::annotate
