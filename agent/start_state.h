#pragma once

#include <sys/types.h>

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
  pid_t parent_pid = 0;
  char directory[512] = {};  ///< "" when unknown
};

/// Fills everything in. Signals: safe.
void ReadStartState(StartState& state) noexcept;

/// True when `fd` leads where descriptor 2 led at start. Signals: safe.
bool IsStartStderr(const StartState& state, int fd) noexcept;

/// Fills the header's texts about this process from /proc and uname. What cannot
/// be read stays empty. Signals: safe.
void DescribeProcess(const StartState& state, spool::Header& header) noexcept;

/// The spool's file name up to the generation: <program>.<host>.<pid>.<start ticks>.
/// Signals: safe.
void SpoolStem(const spool::Header& header, Text<256>& stem) noexcept;

}  // namespace csink::agent
