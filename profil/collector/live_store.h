#pragma once

namespace csink {

/// Stores into a [live] field of the spool, which a reader may look at meanwhile.
/// Signals: safe.
template <class T>
void StoreLive(T& field, T value) noexcept {
  __atomic_store(&field, &value, __ATOMIC_RELAXED);  // generic: enumerations too
}

}  // namespace csink
