#pragma once

#include <cstdint>
#include <vector>

#include "compat/papi/highlevel/region_log.h"
#include "compat/papi/highlevel/region_plan.h"

namespace csink::papi {

/// The regions of one thread (or of all, in a shared plan) and the event sets that count in them.
///
/// Counting goes on between regions, until Stop or the thread's end. Stop in an open region leaves
/// out of it what comes after, and another Begin starts the counters again: values never shrink.
///
/// Owns:    the sets and the log.
/// Threads: one at a time; the log also by the report. Signals: not safe.
class ThreadRegions {
 public:
  /// Not yet counting. `sets`: open ones for `plan`, or none: they are opened when needed. `plan`
  /// stays.
  ThreadRegions(const RegionPlan& plan, std::vector<PrivateSet> sets);

  /// `who` began or ends it: in a shared plan each thread has its own nesting. The codes are those
  /// of PAPI_start and PAPI_read, and PAPI_EINVAL: no such region is open, or another inside it.
  int Begin(const char* name, int who);
  int Read(const char* name, int who);
  int End(const char* name, int who);
  /// PAPI_ENOEVNT: nothing counts.
  int Stop() noexcept;
  /// The thread has ended: what is left is the log.
  void Leave() noexcept;

  const RegionLog& log() const noexcept { return log_; }

 private:
  static constexpr unsigned char kInstant = 1, kFloating = 2;

  int Count();
  void Rest() noexcept;
  bool counting() const noexcept;
  int ReadSets(long long* counts) noexcept;
  int Row(long long* row, bool clocks_first) noexcept;
  int Opened(const char* name, int who, Region** region) noexcept;
  /// What grew since the region began; instant events as they are.
  void Subtract(const long long* begin, long long* row) const noexcept;

  const RegionPlan& plan_;
  std::vector<PrivateSet> sets_;
  bool started_ = false;
  std::vector<long long> base_;       ///< Counts of earlier starts
  std::vector<long long> last_;       ///< The newest counts, base_ included
  std::vector<long long> row_;        ///< Scratch
  std::vector<unsigned char> kinds_;  ///< Of each event
  RegionLog log_;
};

}  // namespace csink::papi
