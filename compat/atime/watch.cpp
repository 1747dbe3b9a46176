#include "compat/atime/watch.h"

#include <unistd.h>

#include <cstdio>

#include "compat/atime/energy/numbers.h"

/// File: what atime does about every 100 ms beside the timers: it looks at the job, and renews the
/// line on the terminal each second.

namespace csink::atime {

using Clock = std::chrono::steady_clock;

Watch::Watch(Job* job, const Measurement& measurement, bool is_live)
    : job_(job),
      measurement_(measurement),
      is_live_(is_live && isatty(STDERR_FILENO) == 1),
      began_(Clock::now()),
      shown_(began_) {}

void Watch::Begin() {
  began_ = shown_ = Clock::now();
  if (!job_) return;
  // One directly after the other, so that both times are of the same stretch.
  machine_before_ = MachineCpuSeconds();
  job_->Look();
  job_before_ = job_->CpuSeconds();
}

bool Watch::Tick() {
  const bool lives = !job_ || job_->Look();
  // Each second, although the job is looked at every 100 ms: a line should be readable.
  if (is_live_ && Clock::now() - shown_ >= std::chrono::seconds(1)) ShowLine();
  return lives;
}

std::optional<JobTimes> Watch::End() {
  // Erases the line, so that the report begins on an empty one.
  const bool is_erased = !is_live_ || write(STDERR_FILENO, "\r\033[K", 4) == 4;
  (void)is_erased;  // a terminal that is gone has no line to erase
  if (!job_) return std::nullopt;
  job_->Look();
  JobTimes times = {job_->Name(), job_->CpuSeconds() - job_before_, 0};
  const std::optional<double> machine = MachineCpuSeconds();
  // 0 stays where /proc/stat could not be read: the share is then not known.
  if (machine && machine_before_) times.machine_seconds = *machine - *machine_before_;
  return times;
}

void Watch::ShowLine() {
  shown_ = Clock::now();
  // 0: the run has not ended, so no event can be too short for it.
  const auto total = TotalOf(measurement_.LatestEnergies(), 0);
  std::string line =
      "\ratime: " +
      std::to_string(std::chrono::duration_cast<std::chrono::seconds>(shown_ - began_).count()) +
      " s";
  if (total) {
    line += ", " + ShortNumber(total->energy.joules) + " J";
    // The power since the line before; the sample is as old as the interval of the component.
    if (total->seconds > seconds_shown_) {
      const double watts =
          (total->energy.joules - joules_shown_) / (total->seconds - seconds_shown_);
      line += ", " + ShortNumber(watts) + " W";
    }
    joules_shown_ = total->energy.joules;
    seconds_shown_ = total->seconds;
  }
  if (job_) line += ", CPU time of the job " + ShortNumber(job_->CpuSeconds() - job_before_) + " s";
  // Erases what a longer line has left behind the end of this one.
  line += "\033[K";
  // A terminal that is gone is no reason to end the measurement.
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

Ending WaitForJob(const WaitedSignals& signals, Watch& watch) {
  Ending ending;
  ending.has_program = false;
  const auto began = Clock::now();
  while (watch.Tick() && ending.asked_to_end == 0) {
    siginfo_t info = {};
    const int signal = signals.Next(info);
    if (WaitedSignals::AsksToEnd(signal)) ending.asked_to_end = signal;
  }
  ending.wall_seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return ending;
}

}  // namespace csink::atime
