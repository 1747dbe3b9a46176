#pragma once

#include <new>

namespace csink {

/// Static storage for a large object that is constructed only when it is needed. Without use it
/// costs neither start-up code nor memory: untouched pages of .bss are never allocated. The object
/// is never destroyed, so it stays usable while other threads run during exit. Declare it
/// constinit.
/// Owns:    the T, for the life of the process.
/// Threads: Make and get must not overlap. Signals: safe where T's constructor is.
template <class T>
class StaticStorage {
 public:
  /// Constructs a new T in the storage, over an earlier one without destroying it: what the earlier
  /// T owned (descriptors, mappings) is then lost. References to the earlier T refer to the new
  /// one.
  T& Make() noexcept { return *new (bytes_) T; }
  /// The T that the last Make constructed. Make must have been called.
  T& get() noexcept { return *std::launder(reinterpret_cast<T*>(bytes_)); }

 private:
  // Zero-initialised, so that the linker puts the bytes into .bss.
  alignas(T) unsigned char bytes_[sizeof(T)] = {};
};

}  // namespace csink
