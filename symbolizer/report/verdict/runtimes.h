#pragma once

#include <string>
#include <string_view>
#include <vector>

/// File: runtimes with a JIT compiler or an interpreter, and the switch that makes each of them
/// write the names of its functions (a perf map or a jitdump file, docs/guide.md). A runtime is
/// recognised by the base name of its program or library. Threads: any.

namespace csink::report {

/// A program, or a library, whose code has no names, and the command line that it was started with.
struct RuntimeFile {
  /// Base name: "node", "libjvm.so", "python3.12"
  std::string name;
  /// To see whether the switch is already set; empty: not known.
  std::string command;
};

/// What to do for code without a file in programs that use `files`: "node --perf-basic-prof writes
/// the names". Each runtime is named once, in the order of `files`, at most two of them. "" if no
/// file is that of a known runtime, or the switch is already set.
std::string JitAdvice(const std::vector<RuntimeFile>& files);

/// The same for an interpreter's own code: its functions are in no sample, only in call stacks. ""
/// for other files.
std::string InterpreterAdvice(const RuntimeFile& file);

/// Code of an interpreter with a smaller share, 0..1, is not mentioned.
inline constexpr double kInterpreterDominates = 0.5;
/// The same for code without a file.
inline constexpr double kJitDominates = 0.05;

}  // namespace csink::report
