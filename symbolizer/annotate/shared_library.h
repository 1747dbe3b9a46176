#pragma once

#include <dlfcn.h>

#include <initializer_list>

namespace csink::annotate {

/// A library that is opened when it is needed. It stays open until the
/// process ends.
class SharedLibrary {
 public:
  /// Opens the first of `names` that can be opened.
  explicit SharedLibrary(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }
  /// Sets `function` to the symbol `name`. False: the library does not have it, or was not opened.
  template <class Function>
  bool Find(const char* name, Function*& function) const {
    if (handle_ != nullptr) function = reinterpret_cast<Function*>(dlsym(handle_, name));
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace csink::annotate
