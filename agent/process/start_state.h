#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "core/util/text.h"
#include "profil/spool/format.h"

namespace csink::agent {

/// What must be remembered from the start, because the program may change it:
/// where descriptor 2 led, the working directory, the CPU time spent before us.
struct StartState {
  bool has_stderr = false;
  std::uint64_t stderr_device = 0;
  std::uint64_t stderr_inode = 0;
  int saved_stderr = -1;  ///< A duplicate, made when the program closes stderr by fclose
  std::uint64_t monotonic_ns = 0;
  std::uint64_t realtime_ns = 0;
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  std::uint64_t switches = 0;
  pid_t parent_pid = 0;
  char directory[512] = {};  ///< "" when unknown
  /// The arguments where the kernel put them: on the first stack, which stays. A program may
  /// write its title there, as /proc/PID/cmdline shows it.
  const char* arguments = nullptr;
  std::size_t argument_bytes = 0;
};

/// Fills everything in but the arguments. Signals: safe.
void ReadStartState(StartState& state) noexcept;

/// Remembers where the arguments lie. `arguments`: main's, untouched so far.
void RememberArguments(StartState& state, int count, char* const* arguments) noexcept;

/// The arguments as one line, a blank between; cut when longer. Returns its length.
/// Signals: safe.
std::size_t CopyCommand(const StartState& state, char (&command)[1024]) noexcept;

/// When this process began, in clock ticks since boot: the same over exec. 0: not known (no /proc).
/// Signals: safe.
std::uint64_t ProcessStartTicks() noexcept;

/// True when `fd` leads where descriptor 2 led at start. Signals: safe.
bool IsStartStderr(const StartState& state, int fd) noexcept;

/// Fills the header's texts about this process from /proc and uname. What cannot
/// be read stays empty. `brief`: without start ticks, processor and kernel, which
/// together cost more than the rest. Signals: safe.
void DescribeProcess(const StartState& state, spool::Header& header, bool brief = false) noexcept;

/// The spool's file name up to the generation: <program>.<host>.<pid>.<start ticks>.
/// Signals: safe.
void SpoolStem(const spool::Header& header, Text<256>& stem) noexcept;

}  // namespace csink::agent
