#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profil/reading/model/profile.h"

/// File: what a thread waits for, in words, and the names of functions that tell it.

namespace csink::report {

/// What follows from a kind of wait, as bits.
enum WaitTraits : unsigned {
  kNothing = 0,
  kForWork = 1,  ///< The thread may just have nothing to do
  kHoldsUp = 2,  ///< Such an object keeps threads from running
  kNoCall = 4,   ///< The PC is an interrupted instruction's, not one behind a system call's
};
/// Whether the kind has this trait.
bool Is(WaitTraits trait, spool::WaitKind kind);

/// A word for programs: "mutex", "read-lock", "condition", ... (docs/report.schema.json).
const char* WordFor(spool::WaitKind kind);

/// Words for people: "mutex", "condition variable", "read of a pipe". `call`: the name of the
/// system call, which is all that is known of some waits.
std::string WaitWords(spool::WaitKind kind, spool::DescriptorKind descriptor,
                      const std::string& call);

/// The name of a system call that may block, on `machine` (e_machine). "system call 500" for
/// others; "" for -1.
std::string SystemCallName(std::uint32_t machine, std::int32_t number);

/// What a wait in a function of this name is for: kCondition for "pthread_cond_wait". kUnknown for
/// functions that do not tell.
spool::WaitKind KindOfFunction(std::string_view function);

/// Whether the C library has a function of this name that waits, or that such a function calls. A
/// static program has them in its own module.
bool IsWaitFunction(std::string_view function);

/// Whether a module, by base name, is part of the C or C++ runtime: what the program calls to wait.
bool IsRuntimeModule(std::string_view module);

/// Whether a function belongs to the C++ standard library, whose templates are in the program's own
/// code.
bool IsStandardFunction(std::string_view function);

}  // namespace csink::report
