#pragma once

#include <cstdint>

namespace csink {

/// A number that identifies the calling thread, from 1 on: no other thread of this process ever had
/// it or will get it. A thread id, or the address of thread-local data, may be used again by a
/// later thread. The child of a fork keeps its parent's number. Makes no system call: a
/// thread-local variable.
/// Threads: any. Signals: safe.
std::uint64_t ThisThread() noexcept;

}  // namespace csink
