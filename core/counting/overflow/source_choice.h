#pragma once

#include <span>
#include <string_view>

#include "core/counting/overflow/set_overflow.h"

namespace csink {

/// The chosen source and the reason, a static phrase for the user.
struct SourceChoice {
  /// Never kAutomatic: the choice is made.
  OverflowSourceKind kind = OverflowSourceKind::kTimer;
  const char* reason = "";
};

/// The facts that the choice depends on: from LookAtMachine, or made up by a test.
struct SourceFacts {
  bool sigtrap_kernel = false;  ///< Linux 6.1 and later: a blocked SIGTRAP stays pending
  bool traced = false;          ///< A debugger receives each signal of this process first
  bool on_valgrind = false;     ///< valgrind's own code also runs on the counted thread
};

/// Finds the facts by uname(2) and /proc/thread-self/status. Signals: safe.
SourceFacts LookAtMachine() noexcept;

/// Chooses the source for these armings; one source serves the whole set. A pure function: the same
/// facts give the same choice.
/// Errors: kUnsupported (`forced` is not possible here), kInvalid (`forced` contradicts `mode`).
/// Signals: safe.
Result<SourceChoice> ChooseSource(const SourceFacts& facts, std::span<const OverflowArming> armings,
                                  OverflowMode mode, OverflowSourceKind forced) noexcept;

/// Whether a kernel release as uname(2) reports it ("6.1.0-25-amd64") is 6.1 or later. A release
/// without numbers is not. Signals: safe.
bool IsSigtrapRelease(std::string_view release) noexcept;

}  // namespace csink
