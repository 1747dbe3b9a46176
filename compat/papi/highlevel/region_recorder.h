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

/// The regions of a process (PAPI_hl_*). The first PAPI_hl_region_begin reads the environment and
/// registers the report with atexit. A forked child starts without regions and reports its own. The
/// report is written once; regions that begin later are refused.
/// Owns:    the regions of all threads, until the process has ended.
/// Threads: any. Signals: not safe.
class RegionRecorder {
 public:
  /// The recorder of the process. `make`: make it if it does not exist; other threads wait
  /// meanwhile. PAPI_EMISC, with a message: it does not exist, an earlier attempt failed, or the
  /// report has been written.
  static int Get(bool make, RegionRecorder** recorder);

  /// PAPI_hl_region_begin, PAPI_hl_read, PAPI_hl_region_end and PAPI_hl_stop for the calling
  /// thread. `name` is copied. Errors: as ThreadRegions; PAPI_EMISC: called in a handler that
  /// interrupted the recorder; those of PAPI_library_init, which is called where needed.
  int Begin(const char* name);
  int Read(const char* name);
  int End(const char* name);
  int Stop();

  /// What is counted; fixed when the recorder is made.
  const RegionPlan& plan() const noexcept { return plan_; }
  /// For the report: calls visit(log) for each thread, in the order of their first regions.
  template <class F>
  void ForEachLog(F visit) const {
    for (const auto& thread : threads_) visit(thread->log());
  }

 private:
  /// Runs in a forked child. Other threads may have been changing the parent's recorder, so it is
  /// abandoned, not destroyed.
  static void ForgetAfterFork() noexcept;
  /// Starts the library and makes the plan and the first thread's sets. Errors: as MakeRegionPlan.
  int SetUp();
  /// The regions of the calling thread, made if necessary. The caller holds lock_.
  int OfThisThread(ThreadRegions** regions);
  template <class F>
  int WithRegions(F body);
  /// The exit handler: writes the report once. Exceptions end here.
  static void AtExit() noexcept;
  void Report();

  RegionPlan plan_;
  std::vector<PrivateSet> first_sets_;  ///< Opened by SetUp, for the first thread
  std::vector<std::unique_ptr<ThreadRegions>> threads_;
  std::string folder_;                 ///< Absolute
  pid_t pid_ = 0;                      ///< The process whose regions these are
  std::atomic<bool> finished_{false};  ///< The report has begun; no region begins any more
  FutexLock lock_;                     ///< Protects threads_; in a shared plan also all regions
};

}  // namespace csink::papi
