#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "core/util/futex_lock.h"
#include "core/util/text.h"

namespace csink::agent {

/// The state of sampling in this process. The values are those of CSINK_RUNNING, CSINK_PAUSED and
/// CSINK_STOPPED in csink.h.
enum class Sampling : unsigned char {
  kRunning,
  kPaused,
  kStopped,  ///< For good; the report still comes at the end.
};

/// Whether the process is a rank of an MPI job whose profiles become one (libcsink-mpi.so).
enum class RankState : unsigned char {
  kNone,
  kBegun,      ///< The spool is left at the end, without a report of this process
  kDelivered,  ///< The file of the job has the samples, so the spool is removed
};

/// "running", "paused", "stopped". Signals: safe.
const char* SamplingName(Sampling sampling) noexcept;

/// A fifo in the file system that this process created, or inherited from the image before it, and
/// must remove at its end.
struct MadeFifo {
  /// Absolute; empty: there is none, or another process created it
  Text<640> path;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  /// Unlinks the fifo if the name still leads to this inode, and clears the path. A file that
  /// another process has put under the name is left alone. Signals: safe.
  void Remove() noexcept;
};

/// The answer to the request `status`.
struct ControlStatus {
  /// 0, or the errno of the request (see Controller); then only `sampling` is valid
  int error = 0;
  Sampling sampling = Sampling::kRunning;
  std::uint64_t samples = 0;    ///< Of all events since the start or the last reset
  std::uint64_t paused_ns = 0;  ///< CPU time in pauses
  Text<256> mark;               ///< Empty: none was set
  Text<512> spool;              ///< Empty: there is none yet
};

/// What scripts and the program have requested. Part of the agent's static storage.
/// Threads: as each member says; members without a note belong to the thread that starts the agent
///          and to the requests, under the collector's lock. Signals: safe.
struct ControlState {
  /// Stored under the collector's lock; loaded by any thread.
  std::atomic<Sampling> sampling{Sampling::kRunning};
  std::atomic<std::uint32_t> signals{0};  ///< Snapshots asked for by CSINK_SIGNAL; a futex
  /// CLOCK_MONOTONIC times of the end of CSINK_DELAY and of CSINK_DURATION; 0: none. Set by
  /// StartThread, cleared by the control thread when they have passed. Resume, under the
  /// collector's lock, clears the first and starts the second.
  std::atomic<std::uint64_t> resume_at_ns{0};
  std::atomic<std::uint64_t> stop_at_ns{0};
  bool forked = false;         ///< This process was forked out of the one that read the settings
  bool duration_runs = false;  ///< stop_at_ns was set once
  /// Whether sampling begins paused, and the delay in ns: from the settings, or from the image
  /// before this one if its state was requested by hand.
  bool start_paused = false;
  std::uint64_t delay_ns = 0;
  /// `sampling` was requested by a command or by the program, not by a setting. Handed to the next
  /// image.
  bool by_hand = false;
  /// The image before this one has left a handover (control_handover.h)
  bool took_handover = false;
  /// The image before this one has created the fifos, so this one removes them
  bool inherits_commands = false;
  bool inherits_answers = false;
  /// A handover for the next image exists; under the collector's lock
  bool left_handover = false;
  /// The control thread has opened the fifos
  std::atomic<bool> serves{false};
  RankState rank = RankState::kNone;
  /// Held while a report of this process is written, so that there is one at a time
  FutexLock report_lock;
  std::uint32_t snapshots = 0;  ///< Number of the last snapshot; under report_lock
  /// Held while fifos are created and recorded, and from the handover to the end of the image.
  /// Otherwise an exec in between would leave a fifo that neither image knows to be its own.
  FutexLock fifo_lock;
  MadeFifo commands;  ///< Written by the control thread before it takes the first command
  MadeFifo answers;   ///< Both: under fifo_lock

  /// In a forked child: sampling and the times stay, because the child shares its parent's clock.
  /// The fifos belong to the parent and are not removed by the child.
  void ResetAfterFork() noexcept;
};

}  // namespace csink::agent
