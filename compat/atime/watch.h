#pragma once

#include <chrono>

#include "compat/atime/energy/job_share.h"
#include "compat/atime/job.h"
#include "compat/atime/measurement.h"
#include "compat/atime/program.h"

namespace csink::atime {

/// What happens during a measurement, beside the timers of the components: looks at the job, and
/// the line on the terminal.
/// Threads: one.
class Watch {
 public:
  /// `job`: nullptr for none; must outlive the object. `is_live`: write the line, if standard error
  /// is a terminal; the measurement must have been prepared with Options::live or a job.
  Watch(Job* job, const Measurement& measurement, bool is_live);
  /// The moment from which CPU times count. Call it when the timers have started.
  void Begin();
  /// Call it about every 100 ms. False: the job has ended.
  bool Tick();
  /// The last look; erases the line. Returns the times of the job; nullopt: there is no job.
  std::optional<JobTimes> End();

 private:
  void ShowLine();

  Job* const job_;
  const Measurement& measurement_;
  const bool is_live_;
  std::optional<double> machine_before_;
  double job_before_ = 0;  ///< A job has several watches with -r
  std::chrono::steady_clock::time_point began_, shown_;
  double joules_shown_ = 0, seconds_shown_ = 0;
};

/// Waits until the job ends, or until SIGHUP, SIGINT, SIGQUIT or SIGTERM comes and is not ignored.
/// Ticks meanwhile.
Ending WaitForJob(const WaitedSignals& signals, Watch& watch);

}  // namespace csink::atime
