#pragma once

#include <cstdint>

namespace csink::agent {

/// The return address that the C library's makecontext puts at the bottom of a stack, by which the
/// ends of fibers are known. Found by having a context made, which is never run. 0: the C library
/// has no makecontext.
/// Threads: main, at the start. Signals: not safe.
std::uint64_t BottomOfContexts() noexcept;

}  // namespace csink::agent
