#pragma once

namespace csink {

/// Stores a [live] field of the spool (format.h), which a reader in another process may read at the
/// same time: relaxed, because fields are not read together. Threads: one writer for a field.
/// Signals: safe.
template <class T>
void StoreLive(T& field, T value) noexcept {
  __atomic_store(&field, &value, __ATOMIC_RELAXED);  // generic: enumerations too
}

}  // namespace csink
