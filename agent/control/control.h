#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "core/util/futex_lock.h"
#include "core/util/text.h"

namespace csink::agent {

enum class Sampling : unsigned char {
  kRunning,
  kPaused,
  kStopped,  ///< For good; the report still comes at the end.
};

/// "running", "paused", "stopped". Signals: safe.
const char* SamplingName(Sampling sampling) noexcept;

/// A fifo that we have made, and whether it is still ours to remove.
struct MadeFifo {
  Text<640> path;  ///< Empty: none, or not made by us
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  /// Unlinks it when the name still leads to it. Signals: safe.
  void Remove() noexcept;
};

/// What `status` tells.
struct ControlStatus {
  int error = 0;  ///< Errno as for the other requests; only `sampling` is known then
  Sampling sampling = Sampling::kRunning;
  std::uint64_t samples = 0;
  std::uint64_t paused_ns = 0;  ///< CPU time in pauses
  Text<256> mark;               ///< Empty: none was set
  Text<512> spool;              ///< Empty: there is none yet
};

/// What scripts and the program have asked for. Part of the agent's static storage.
/// Threads: as each member says. Signals: safe.
struct ControlState {
  /// Stored under the collector's lock; anybody may look.
  std::atomic<Sampling> sampling{Sampling::kRunning};
  std::atomic<std::uint32_t> signals{0};  ///< Snapshots asked for by CSINK_SIGNAL; a futex
  /// CLOCK_MONOTONIC times; 0: none. The control thread's, but for Resume, which starts the
  /// duration's clock under the collector's lock.
  std::atomic<std::uint64_t> resume_at_ns{0};
  std::atomic<std::uint64_t> stop_at_ns{0};
  bool forked = false;         ///< This process was forked out of the one that read the settings
  bool duration_runs = false;  ///< stop_at_ns was set once
  /// How sampling begins: as the settings say, or as the image before this one left it.
  bool start_paused = false;
  std::uint64_t delay_ns = 0;
  bool by_hand = false;  ///< `sampling` was asked for, not a setting's. Under the collector's lock
  bool took_word = false;          ///< Of the image before this one
  bool inherits_commands = false;  ///< That one has made the fifos
  bool inherits_answers = false;
  bool left_word = false;           ///< For the next image; under the collector's lock
  std::atomic<bool> serves{false};  ///< The fifos are open
  FutexLock report_lock;            ///< Reports of this process, one at a time
  std::uint32_t snapshots = 0;      ///< Under report_lock
  MadeFifo commands;  ///< Written by the control thread before it takes the first command
  MadeFifo answers;

  /// What a forked child keeps: sampling and the times. Its fifos are the parent's.
  void ResetAfterFork() noexcept;
  /// At the end of the program. Signals: safe.
  void RemoveFifos() noexcept {
    commands.Remove();
    answers.Remove();
  }
};

}  // namespace csink::agent
