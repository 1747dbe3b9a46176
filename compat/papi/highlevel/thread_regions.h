#pragma once

#include <cstdint>
#include <vector>

#include "compat/papi/highlevel/region_log.h"
#include "compat/papi/highlevel/region_plan.h"

namespace csink::papi {

/// The regions of one thread (of all threads in a shared plan) and the event sets that count in
/// them.
/// The sets count from the first Begin until Stop or the end of the thread, also between regions.
/// Counts after Stop are not part of a region that is still open. Another Begin starts the sets
/// again; values continue from the old ones and never decrease.
/// Owns:    the sets and the log.
/// Threads: one at a time; the report reads the log concurrently. Signals: not safe.
class ThreadRegions {
 public:
  /// Does not start counting. `sets`: filled sets for `plan`, or none (then made when needed).
  /// `plan` must outlive this object.
  ThreadRegions(const RegionPlan& plan, std::vector<PrivateSet> sets);

  /// `who`: the thread, in a shared plan, where each thread has its own nesting; else 0. Read
  /// stores a row of the open region; End requires the innermost one. Errors: those of PAPI_start
  /// and PAPI_read; PAPI_EINVAL: no such region is open, or one inside it is.
  int Begin(const char* name, int who);
  int Read(const char* name, int who);
  int End(const char* name, int who);
  /// Stops counting. PAPI_ENOEVNT: nothing counts.
  int Stop() noexcept;
  /// Drops the sets when the thread ends; the log stays for the report.
  void Leave() noexcept;

  const RegionLog& log() const noexcept { return log_; }

 private:
  /// Starts the sets unless they count. PAPI_OK; as EventSet::Start and Add.
  int Count();
  void Suspend() noexcept;
  bool counting() const noexcept;
  /// The counts of all sets in the order of the plan, with base_ added; keeps them in last_.
  int ReadSets(long long* counts) noexcept;
  /// Fills a row: clocks and counts. `clocks_first`: at the end of a region.
  int Row(long long* row, bool clocks_first) noexcept;
  /// Finds an open region. PAPI_EINVAL, with a message.
  int Opened(const char* name, int who, Region** region) noexcept;
  /// Replaces a row by its growth since the begin of the region; a reading stays as it is,
  /// or becomes the mean of both.
  void Subtract(const long long* begin, long long* row) const noexcept;

  const RegionPlan& plan_;
  std::vector<PrivateSet> sets_;
  bool started_ = false;
  std::vector<long long> base_;  ///< Counts before the last start
  std::vector<long long> last_;  ///< The last values read, including base_
  std::vector<long long> row_;   ///< Buffer for one row
  /// How each event is reported, and whether its value is the bits of a double.
  struct Kind {
    RegionValue value;
    bool floating;
  };
  std::vector<Kind> kinds_;
  RegionLog log_;
};

}  // namespace csink::papi
