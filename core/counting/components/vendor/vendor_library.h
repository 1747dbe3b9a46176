#pragma once

#include <initializer_list>

namespace csink {

/// A vendor's library, loaded at run time: none is ever linked, so that our libraries work without
/// it.
///
///   const VendorLibrary library({"libnvidia-ml.so.1", "libnvidia-ml.so"});
///   int (*init)() = nullptr;
///   if (library.Find("nvmlInit_v2", init)) init();
///
/// It is never closed: these libraries keep threads and handles, and a call that was given up may
/// still be inside. Copies refer to the same library.
/// Threads: any, after construction. Signals: not safe.
class VendorLibrary {
 public:
  /// Loads the first of `names` that can be loaded (dlopen). Its symbols are not visible to others
  /// (RTLD_LOCAL). If none can be loaded, the object is false and finds nothing.
  explicit VendorLibrary(std::initializer_list<const char*> names) noexcept;

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  /// Sets `function` to the function of this name, whose type is the caller's responsibility.
  /// Returns false if there is none; `function` is then nullptr.
  template <class F>
  bool Find(const char* name, F& function) const noexcept {
    function = reinterpret_cast<F>(Symbol(name));
    return function != nullptr;
  }

 private:
  void* Symbol(const char* name) const noexcept;

  /// dlopen's; nullptr: no library.
  void* handle_ = nullptr;
};

}  // namespace csink
