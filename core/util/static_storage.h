#pragma once

#include <new>

namespace csink {

/// Room for a large object in static storage that costs nothing until it is made: no start-up code,
/// no page touched. Never destroyed. Threads: the user's matter. Signals: safe.
template <class T>
class StaticStorage {
 public:
  /// A new T in the place of the last one.
  T& Make() noexcept { return *new (bytes_) T; }
  /// The T of the last Make.
  T& get() noexcept { return *std::launder(reinterpret_cast<T*>(bytes_)); }

 private:
  alignas(T) unsigned char bytes_[sizeof(T)] = {};
};

}  // namespace csink
