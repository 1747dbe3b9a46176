#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace csink::atime {

inline constexpr const char* kWho = "atime";
/// The interval of components that -t does not name: 100 ms, as upstream's.
inline constexpr std::uint64_t kDefaultIntervalNs = 100'000'000;

inline constexpr unsigned kMostRuns = 10'000;
/// How long --idle measures without a TIME. NVML's power is a mean of 1 s, and RAPL's steps are
/// below 0.1 % then.
inline constexpr std::uint64_t kDefaultIdleNs = 5'000'000'000;

/// The sampling interval of one component, which `component` names by its name or short name. From
/// the command line, so there may be no such component.
struct Interval {
  std::string component;
  std::uint64_t ns = 0;
};

/// The command line.
struct Options {
  enum class Format : std::uint8_t { kText, kCsv, kJson };
  Format format = Format::kText;
  std::vector<Interval> intervals;
  std::uint64_t default_interval_ns = kDefaultIntervalNs;
  const char* output = nullptr;        ///< A file for the report; nullptr: stdout
  const char* series = nullptr;        ///< A file for each sample; nullptr: none
  const char* open_metrics = nullptr;  ///< A file for OpenMetrics text; nullptr: none
  unsigned runs = 1;                   ///< How often the program is run; 1 to kMostRuns
  std::uint64_t idle_ns = 0;           ///< How long idle power is measured first; 0: not at all
  std::vector<pid_t> pids;             ///< Processes whose share of the energy is estimated (-p)
  const char* cgroup = nullptr;        ///< A control group likewise; not together with pids
  bool phases = false;                 ///< The program's marks divide the run (csink_mark)
  bool live = false;                   ///< A line on the terminal while the program runs
  char** program = nullptr;  ///< The program and its arguments, NULL-terminated; nullptr: run none
  /// Whether processes are measured that atime did not start. Without a program, the measurement
  /// ends with them.
  bool has_job() const noexcept { return !pids.empty() || cgroup != nullptr; }
  /// Without a program and a job: whether to print the help, and the exit status.
  bool help = false;
  bool version = false;  ///< Print the version and exit
  int status = 0;
};

/// Parses the command line up to the program's name: upstream's options (getopt "+t:h?") and long
/// options. -h, -? and unknown options: help and status 0. Neither a program nor a job: help and
/// status 1. An invalid value, or options that contradict: a message and status 1, and neither a
/// program nor a job.
Options ReadOptions(int argc, char** argv);

/// Parses the value of -t: NAME:TIME[:NAME:TIME...], or one TIME with a unit for all components. A
/// number without unit is in ns, at least 10 ms; with a unit (ns, us, ms, s) at least 1 ms; at most
/// an hour. Invalid times, and a single number without unit, are reported on stderr and replaced by
/// the default.
void ReadIntervals(const std::string& text, Options& options);

/// Parses a length of time: a number with the unit ns, us, ms or s, 1 ms to an hour. nullopt: it is
/// none; `complaint` says why ("is not a time ...").
std::optional<std::uint64_t> ReadLength(const std::string& text, std::string& complaint);

/// Prints the usage on stdout.
void PrintHelp();

}  // namespace csink::atime
