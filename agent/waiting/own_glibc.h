#pragma once

#include <cstdint>

namespace csink::agent {

/// The release of this process's GNU C library, as spool::WaitObserver::glibc; 0: another C
/// library, or an unknown layout of its condition variables.
/// Threads: any. Signals: not safe (calls of the C library, but no heap).
std::uint32_t OwnGlibc() noexcept;

}  // namespace csink::agent
