#pragma once

#include <span>
#include <string_view>

#include "core/overflow/set_overflow.h"

namespace csink {

struct SourceChoice {
  OverflowSourceKind kind = OverflowSourceKind::kTimer;
  const char* reason = "";
};

/// What the choice depends on; made by LookAtMachine, or by a test.
struct SourceFacts {
  bool sigtrap_kernel = false;  ///< Linux 6.1: a SIGTRAP that finds itself blocked waits
  bool traced = false;          ///< A debugger sees each signal of this process first
  bool on_valgrind = false;     ///< Its own code runs on the counted thread, too
};

/// Reads /proc/self/status and uname(2). Signals: safe.
SourceFacts LookAtMachine() noexcept;

/// The source for these armings. Fails with kUnsupported when `forced` cannot be had, with kInvalid
/// when it contradicts `mode`.
/// Signals: safe.
Result<SourceChoice> ChooseSource(const SourceFacts& facts, std::span<const OverflowArming> armings,
                                  OverflowMode mode, OverflowSourceKind forced) noexcept;

/// True for "6.1.0-25-amd64" and later. Signals: safe.
bool IsSigtrapRelease(std::string_view release) noexcept;

}  // namespace csink
