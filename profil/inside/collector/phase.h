#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/text.h"
#include "profil/inside/spool/writer.h"

namespace csink {

/// The phase that samples belong to: the last mark of the program, and its CPU time.
///
/// A phase that is entered again is the same record of the spool; its CPU time goes on from where
/// it was. Before the first mark the phase has the id 0 and no record.
///
/// Threads: one at a time (the collector's lock).
/// Signals: safe (phase_signal.cpp); the clocks are read by the caller.
class CurrentPhase {
 public:
  /// Bytes of a mark's name, and different marks in a process. The id must fit into the 16 bits
  /// that a bucket has for it.
  static constexpr std::size_t kMaxNameBytes = 200;
  static constexpr std::uint32_t kMaxPhases = 1024;

  /// The clocks at a mark: CLOCK_MONOTONIC, CPU time of the process, and the paused part of it.
  struct Times {
    std::uint64_t monotonic_ns;
    std::uint64_t cpu_ns;
    std::uint64_t paused_ns;
  };

  /// The phase's number in the spool, a part of each bucket's key.
  std::uint32_t id() const noexcept { return id_; }
  /// Empty: no mark yet.
  std::string_view name() const noexcept { return name_.view(); }

  /// Enters the phase `name`, which is cut to kMaxNameBytes. False: the spool has no room for
  /// another phase, and the old phase goes on.
  bool Enter(SpoolWriter& spool, std::string_view name, const Times& now) noexcept;
  /// Enters the phase name(), in a new spool. Requires a name. False: no room, as in Enter.
  bool EnterAgain(SpoolWriter& spool, const Times& now) noexcept;
  /// Writes the phase's CPU time so far, without pauses, into its record. Nothing before the first
  /// mark. The spool must be open.
  void StoreTime(SpoolWriter& spool, std::uint64_t cpu_ns, std::uint64_t paused_ns) const noexcept;

  /// The spool is gone: the phase has no record any more and its CPU time begins at `cpu_ns`. Its
  /// name is kept for the next spool.
  void Leave(std::uint64_t cpu_ns) noexcept;

 private:
  std::uint32_t id_ = 0;
  Text<kMaxNameBytes + 1> name_;
  std::uint64_t from_ns_ = 0;     ///< CPU time of the process when the phase was entered
  std::uint64_t paused_ns_ = 0;   ///< The paused part of from_ns_
  std::uint64_t earlier_ns_ = 0;  ///< CPU time of the phase from earlier marks
};

}  // namespace csink
