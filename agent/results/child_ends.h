#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/process/process_state.h"
#include "agent/settings/config.h"
#include "profil/format/small_record.h"

namespace csink::agent {

/// The ends of children that the wait calls of this process return: number, status and CPU time.
/// In a tree (`csink run`) they are records in the tree's file, from which the report knows how
/// each process ended and what it used behind its last reading. A child costs a getrusage and a
/// clock reading; the file is written when the table is full and at the end of the image.
///
/// The wait calls of a tracer (strace, gdb) also return the ends of threads and of other processes'
/// children. These are not kept. They are told from the ends of own children by RUSAGE_CHILDREN: it
/// has grown by a child's CPU time before the wait for that child returns, and a traced thread or
/// process does not add to it.
///
/// Owns:    the table, static and one for the process.
/// Threads: any, without a lock. An end that finds the table full while another thread writes it is
///          counted as dropped. Signals: safe; keeps errno.
class ChildEnds {
 public:
  ChildEnds(const ProcessState& process, const Config& config) noexcept
      : process_(process), config_(config) {}

  /// False outside a tree: the hooks then only forward.
  bool wanted() const noexcept { return config_.tree != 0 && config_.spool_dir.c_str()[0] == '/'; }
  /// At the begin of an image: what children used whose ends an earlier image knows.
  void Start() noexcept;
  /// A wait call has returned the end of `pid`, which may be a traced thread or process.
  void Add(pid_t pid, int status, const struct rusage& usage) noexcept;
  /// At the end of the image: writes what is in the table, and what all children used. Nothing in a
  /// sandbox, and in a process that made no child.
  void Finish(bool made_children) noexcept;
  /// In a forked child: the ends are the parent's.
  void ForgetAfterFork() noexcept;

 private:
  /// Ends between two writes; a record of them has 2 KB.
  static constexpr std::uint32_t kRoom = 64;

  /// Writes the table and empties it. False: another thread does so, or an end is being stored.
  bool Write() noexcept;

  const ProcessState& process_;
  const Config& config_;
  /// Whether RUSAGE_CHILDREN has room for a child that used this much; takes the room.
  bool IsOfAChild(std::uint64_t cpu_ns) noexcept;

  std::uint64_t before_ns_ = 0;             ///< RUSAGE_CHILDREN at the begin of the image
  std::atomic<std::uint64_t> known_ns_{0};  ///< Of all ends that were kept
  std::atomic<std::uint32_t> used_{0};      ///< Claimed places; more than kRoom: the table is full
  std::atomic<std::uint32_t> stored_{0};    ///< Places that are filled
  std::atomic<std::uint32_t> dropped_{0};   ///< Since the last record
  std::atomic<bool> writing_{false};
  spool::SmallChildEnd ends_[kRoom] = {};
};

}  // namespace csink::agent
