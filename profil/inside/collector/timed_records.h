#pragma once

#include <cstddef>
#include <cstdint>

#include "core/sampling/sample_sink.h"
#include "profil/format/format.h"
#include "profil/inside/spool/writer.h"

namespace csink {

class TimedRecords;

/// Gives the waits of threads and what wakes them (agent/critical).
class MomentSource {
 public:
  /// Passes what was recorded since the last call to TimedRecords::AddMoments. `last`: the image
  /// ends, so waits that have not ended are passed, too. Under the collector's lock. Signals: safe.
  virtual void TakeMoments(TimedRecords& to, bool last) noexcept = 0;
  /// The spool cannot grow any more (true), or can again.
  virtual void Hold(bool held) noexcept = 0;

 protected:
  ~MomentSource() = default;
};

/// Records with times in the spool: moments, samples and context switches (CSINK_CRITICAL). All of
/// them together have at most kMostBytes; further ones are counted. The first ones are kept, and
/// nothing is recorded after the limit, so that what is there has no gaps.
///
/// Owns:    nothing. Functions that add need an open spool.
/// Threads: under the collector's lock. Signals: safe.
class TimedRecords {
 public:
  static constexpr std::uint64_t kMostBytes = 64ull << 20;

  explicit TimedRecords(SpoolWriter& spool, std::uint64_t most_bytes = kMostBytes) noexcept
      : spool_(spool), most_bytes_(most_bytes) {}

  /// Recording begins. `hooked`: moments come from hooks. Before the first sample.
  void Start(bool hooked) noexcept {
    on_ = true;
    hooked_ = hooked;
  }
  bool on() const noexcept { return on_; }

  /// Adds moments of one thread, in order.
  void AddMoments(const spool::MomentRecord* moments, std::size_t count) noexcept;
  /// Counts moments that a thread's buffer had no room for.
  void LoseMoments(std::uint64_t count) noexcept { counts_.moments_left_out += count; }
  void AddSample(const spool::TimedSampleRecord& sample) noexcept;
  /// Adds a switch of the slot's thread, unless its last one had the same direction: two events
  /// that follow each other both record it.
  void AddSwitch(ThreadSlot& slot, std::uint64_t time_ns, Switch how) noexcept;
  /// The kernel lost records of the thread between its last record and `time_ns`.
  void LostUntil(ThreadSlot& slot, std::uint64_t time_ns) noexcept;
  /// Adds the creation and the begin of the slot's thread, once.
  void AddBegin(ThreadSlot& slot) noexcept;
  /// The same, and its end.
  void AddEnd(ThreadSlot& slot, std::uint64_t end_ns) noexcept;
  /// Adds a point.
  void AddPoint(spool::MomentKind kind, std::uint64_t time_ns, std::uint64_t object,
                std::uint64_t value, pid_t thread) noexcept;

  /// Writes the counts into the spool's header.
  void Store(spool::Header& header) const noexcept;
  /// Forgets all that was recorded: another spool begins.
  void Clear() noexcept {
    counts_ = {};
    bytes_ = 0;
  }

 private:
  /// Adds as many records as have room. Returns the number of the others.
  template <class T>
  std::size_t Add(const T* records, std::size_t count) noexcept;

  SpoolWriter& spool_;
  const std::uint64_t most_bytes_;
  bool on_ = false;
  bool hooked_ = false;
  std::uint64_t bytes_ = 0;  ///< Of all records in the spool; most_bytes_: no more are added
  spool::TimedCounts counts_ = {};
};

}  // namespace csink
