#pragma once

#include <cstdint>

namespace csink::agent {

/// Which code a dlclose may take away. Objects that the loader brought when the program started
/// stay as long as the process; what came after them may go.
///
/// Threads: any. Signals: the answer of CodeThatMayGo() is safe to call, the rest is not.

/// The objects there are now are those that stay. Once, from the constructor.
void RememberFirstObjects() noexcept;

/// Whether the code at `pc` may be unmapped by a dlclose. Where the C library cannot tell (glibc
/// before 2.35) all code may. Takes the loader's lock for a moment: to be asked for without ours.
using MayGo = bool (*)(std::uint64_t pc);
MayGo CodeThatMayGo() noexcept;

}  // namespace csink::agent
