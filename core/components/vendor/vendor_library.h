#pragma once

#include <initializer_list>

namespace csink {

/// A vendor's library, opened while the program runs: none of them is ever linked.
///
/// It stays open for ever: these libraries keep threads and handles of their own, and a call that
/// was given up may still be inside.
/// Threads: any, once opened.
class VendorLibrary {
 public:
  /// The first of `names` that can be opened, its symbols for nobody else (RTLD_LOCAL).
  explicit VendorLibrary(std::initializer_list<const char*> names) noexcept;

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  /// Sets `function` to the symbol of that name; nullptr when it is not there. True: it is.
  template <class F>
  bool Find(const char* name, F& function) const noexcept {
    function = reinterpret_cast<F>(Symbol(name));
    return function != nullptr;
  }

 private:
  void* Symbol(const char* name) const noexcept;

  void* handle_ = nullptr;
};

}  // namespace csink
