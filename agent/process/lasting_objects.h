#pragma once

#include <cstdint>

namespace csink::agent {

/// The loader's objects, and which code a dlclose may take away. Objects that the loader brought
/// when the program started stay as long as the process; what came after them may go.
///
/// Threads: any. Signals: the answer of CodeThatMayGo() is safe to call, the rest is not.

/// Remembers the last object in the loader's list: the objects up to it stay. Called once, from the
/// library's constructor, before the agent loads libraries.
void RememberFirstObjects() noexcept;

/// A function that tells whether the code at `pc` may be unmapped by a dlclose.
using MayGo = bool (*)(std::uint64_t pc);
/// Returns that function. Where the C library cannot tell (glibc before 2.35 has no
/// _dl_find_object), it returns true for all code. The first call takes the loader's lock for a
/// moment (dlsym), so the caller must not hold the collector's lock.
MayGo CodeThatMayGo() noexcept;

/// The path of the object that the loader keeps the code at `pc` under; null: in none, or the C
/// library cannot tell (see CodeThatMayGo). Valid as long as the object is loaded. Takes no lock,
/// but for the first call as above.
const char* ObjectOfCode(std::uint64_t pc) noexcept;

}  // namespace csink::agent
