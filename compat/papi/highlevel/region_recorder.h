#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "compat/papi/highlevel/region_plan.h"
#include "compat/papi/highlevel/thread_regions.h"
#include "core/util/futex_lock.h"

namespace csink::papi {

/// The regions of a process: PAPI_hl_*. The first PAPI_hl_region_begin reads the environment and
/// asks for the report at exit. A forked child begins from nothing and reports what it measures
/// itself.
///
/// Owns:    all threads' regions, until the process has ended.
/// Threads: any. Signals: not safe.
class RegionRecorder {
 public:
  /// The process's; made at the first call with `make`, else nullptr if there is none. Under the
  /// plan's reading others wait. PAPI_EMISC: an earlier call found nothing to count, or the report
  /// has been written.
  static int Get(bool make, RegionRecorder** recorder);
  /// Only the calling thread exists, and others may have been in the middle of something: all is
  /// left alone for good.
  static void ForgetAfterFork() noexcept;

  int Begin(const char* name);
  int Read(const char* name);
  int End(const char* name);
  int Stop();

  const RegionPlan& plan() const noexcept { return plan_; }
  /// For the report: visit(log) of each thread in the order in which they came.
  template <class F>
  void ForEachLog(F visit) const {
    for (const auto& thread : threads_) visit(thread->log());
  }

 private:
  int SetUp();
  int OfThisThread(ThreadRegions** regions);
  template <class F>
  int WithRegions(F body);
  static void AtExit() noexcept;
  void Report();

  RegionPlan plan_;
  std::vector<PrivateSet> first_sets_;  ///< Opened by SetUp, for the first thread
  std::vector<std::unique_ptr<ThreadRegions>> threads_;
  std::string folder_;
  pid_t pid_ = 0;
  std::atomic<bool> finished_{false};
  FutexLock lock_;  ///< Of threads_; of all in a shared plan
};

}  // namespace csink::papi
