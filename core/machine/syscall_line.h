#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/result.h"

/// File: what a blocked thread does: /proc/PID/task/TID/syscall.
/// Source: kernel, fs/proc/base.c (proc_pid_syscall). The kernel answers "running" unless the
/// thread is blocked, and stood still while the line was composed.

namespace csink {

/// The contents of the line.
struct SyscallLine {
  /// True: the thread runs or waits for a processor; the other members are then 0.
  bool running = false;
  /// Number of the system call; -1: blocked outside of a system call (a page fault)
  std::int64_t number = 0;
  std::uint64_t arguments[6] = {};  ///< Of the system call; 0 where `number` is -1
  std::uint64_t stack_pointer = 0;
  std::uint64_t pc = 0;  ///< In user mode: behind the system call's instruction

  friend bool operator==(const SyscallLine&, const SyscallLine&) noexcept = default;
};

/// Parses the content of the file, with or without its newline. Forms: "running"; "-1 SP PC";
/// "NUMBER ARG ARG ARG ARG ARG ARG SP PC". The number is decimal, the others are hexadecimal with
/// 0x. Errors: kInvalid (any other text, also one that was cut).
/// Threads: any. Signals: safe.
Result<SyscallLine> ParseSyscallLine(std::string_view text) noexcept;

}  // namespace csink
