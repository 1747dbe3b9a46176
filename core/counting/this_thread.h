#pragma once

#include <cstdint>

namespace csink {

/// A number of the calling thread that no other thread of this process ever had or gets; unlike
/// a thread id, or the address of a thread's data, which the next thread may inherit. The child of
/// a fork keeps its parent's. No system call.
/// Signals: safe.
std::uint64_t ThisThread() noexcept;

}  // namespace csink
