#include "compat/papi/highlevel/region_recorder.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>

#include "compat/papi/boundary/debug.h"
#include "compat/papi/boundary/library_state.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/highlevel/high_level.h"
#include "compat/papi/highlevel/region_report.h"
#include "compat/papi/threads/thread_list.h"

/// File: the regions of a process. A thread finds its own regions in its context and takes no lock;
/// the lock is taken by a thread's first region, by the report, and always in a shared plan. The
/// recorder is made once and never freed: other threads may be in a region while the process exits.

namespace csink::papi {
namespace {

/// The recorder of the process, and whether making it failed. A forked child makes its own.
struct Making {
  FutexLock lock;
  std::atomic<RegionRecorder*> made{nullptr};
  bool refused = false;
  bool at_exit = false;
  std::atomic<bool> fork_watched{false};
};
constinit Making g_making;

void SayPlan(const RegionPlan& plan) {
  for (const RegionGroup& group : plan.groups) {
    const std::string component(Components().At(group.component)->name());
    for (const RegionEvent& event : group.events) {
      const char* const how = event.value == RegionValue::kInstant   ? " (current value)"
                              : event.value == RegionValue::kAverage ? " (mean of begin and end)"
                                                                     : "";
      SayInfo("regions count " + event.name + " of " + component + how);
    }
  }
}

}  // namespace

/// Double-checked: only the first region of the process takes the lock. A failure is remembered:
/// later calls fail with PAPI_EMISC without another attempt, as PAPI's do.
int RegionRecorder::Get(bool make, RegionRecorder** recorder) {
  *recorder = g_making.made.load(std::memory_order_acquire);
  if (*recorder == nullptr) {
    // Once a process, and before the lock is taken: from then on a child of another thread's fork
    // finds the lock free.
    if (!g_making.fork_watched.exchange(true)) pthread_atfork(nullptr, nullptr, ForgetAfterFork);
    const FutexHolding held(g_making.lock, OwnTid());
    if (!held.held()) return kBusy;
    if (g_making.refused) {
      return Complain(
          PAPI_EMISC,
          "there are no regions in this process: the first PAPI_hl_region_begin failed");
    }
    *recorder = g_making.made.load(std::memory_order_acquire);
    if (*recorder == nullptr && !make) return Complain(PAPI_EMISC, "no region has begun");
    if (*recorder == nullptr) {
      auto fresh = std::make_unique<RegionRecorder>();
      if (const int code = fresh->SetUp(); code != PAPI_OK) {
        g_making.refused = true;
        return code;
      }
      // Once: a forked child inherits the exit handler.
      if (!g_making.at_exit) g_making.at_exit = std::atexit(AtExit) == 0;
      *recorder = fresh.release();  // never freed: other threads go on while the process exits
      g_making.made.store(*recorder, std::memory_order_release);
    }
  }
  if ((*recorder)->finished_.load(std::memory_order_relaxed)) {
    return Complain(PAPI_EMISC, "the report of the regions has been written");
  }
  return PAPI_OK;
}

void RegionRecorder::ForgetAfterFork() noexcept {
  g_making.lock.ResetAfterFork();
  g_making.made.store(nullptr, std::memory_order_relaxed);
  g_making.refused = false;
  if (t_context) t_context->regions = nullptr;
}

/// The folder is fixed now: the program may change its working directory before the report.
int RegionRecorder::SetUp() {
  pid_ = getpid();
  if (const int code = StartLibrary(PAPI_LOW_LEVEL_INITED); code != PAPI_OK) return code;
  if (const int code = MakeRegionPlan(plan_, first_sets_); code != PAPI_OK) return code;
  folder_ = ReportFolder();
  if (plan_.verbose) SayPlan(plan_);
  return PAPI_OK;
}

/// The caller holds the lock. In a shared plan all threads get the first thread's regions, and no
/// context points to them: they must come here for the lock each time.
int RegionRecorder::OfThisThread(ThreadRegions** regions) {
  ThreadContext* context = Threads().Current();
  if (context == nullptr) return PAPI_ENOMEM;
  *regions = context->regions;
  if (*regions) [[likely]]
    return PAPI_OK;
  if (!plan_.shared || threads_.empty()) {
    threads_.push_back(std::make_unique<ThreadRegions>(plan_, std::move(first_sets_)));
    first_sets_.clear();
  }
  *regions = threads_.back().get();
  if (!plan_.shared) {
    context->regions = *regions;
    context->leave_high_level = DropHighLevel;
  }
  return PAPI_OK;
}

/// Calls body(regions, who) for the calling thread. Takes the lock only if threads share the
/// regions or the thread is new.
template <class F>
int RegionRecorder::WithRegions(F body) {
  // PAPI_shutdown may have been called since the last region.
  if (const int code = StartLibrary(PAPI_LOW_LEVEL_INITED); code != PAPI_OK) return code;
  NumberThreads();
  ThreadRegions* regions = t_context ? t_context->regions : nullptr;
  if (regions) [[likely]]
    return body(*regions, 0);
  const FutexHolding held(lock_, OwnTid());
  if (!held.held()) return kBusy;
  const int code = OfThisThread(&regions);
  return code == PAPI_OK ? body(*regions, plan_.shared ? OwnTid() : 0) : code;
}

int RegionRecorder::Begin(const char* name) {
  return WithRegions([&](ThreadRegions& regions, int who) { return regions.Begin(name, who); });
}

int RegionRecorder::Read(const char* name) {
  return WithRegions([&](ThreadRegions& regions, int who) { return regions.Read(name, who); });
}

int RegionRecorder::End(const char* name) {
  return WithRegions([&](ThreadRegions& regions, int who) { return regions.End(name, who); });
}

int RegionRecorder::Stop() {
  return WithRegions([](ThreadRegions& regions, int) { return regions.Stop(); });
}

void RegionRecorder::AtExit() noexcept {
  RegionRecorder* recorder = g_making.made.load(std::memory_order_acquire);
  // A child made by vfork or clone runs exit handlers without having run fork handlers: the report
  // is its parent's.
  if (recorder == nullptr || recorder->pid_ != getpid()) return;
  if (recorder->finished_.exchange(true)) return;
  try {
    recorder->Report();
  } catch (...) {
    SayWarning("not enough memory for the report of the regions: the report is lost");
  }
}

void RegionRecorder::Report() {
  const FutexHolding held(lock_, OwnTid());
  if (!held.held()) {
    return SayWarning(
        "exit() was called in a signal handler that interrupted PAPI_hl_*: the regions are lost");
  }
  // Other threads may still count; only regions that have ended are written.
  const RegionReport report = WriteRegionReport(*this);
  if (report.unended != 0) {
    SayWarning(std::to_string(report.unended) +
               " region(s) did not end and are not in the report: call PAPI_hl_region_end for each "
               "region");
  }
  if (report.ended == 0) return;
  if (plan_.verbose) SayInfo("the regions are written to " + folder_);
  if (secure_getenv("PAPI_REPORT")) PrintReport(report.text);
  SaveReport(folder_, report.text);
}

}  // namespace csink::papi
