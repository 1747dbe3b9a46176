#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace csink::atime {

inline constexpr const char* kWho = "atime";
/// The interval of components that -t does not name: 100 ms, as upstream's.
inline constexpr std::uint64_t kDefaultIntervalNs = 100'000'000;

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
  const char* output = nullptr;  ///< A file for the report; nullptr: stdout
  const char* series = nullptr;  ///< A file for each sample; nullptr: none
  char** program = nullptr;  ///< The program and its arguments, NULL-terminated; nullptr: run none
  /// Without a program: whether to print the help, and the exit status.
  bool help = false;
  int status = 0;
};

/// Parses the command line up to the program's name: upstream's options (getopt "+t:h?") and long
/// options. -h, -? and unknown options: help and status 0. No program: help and status 1. An
/// invalid value: a message and status 1.
Options ReadOptions(int argc, char** argv);

/// Parses the value of -t: NAME:TIME[:NAME:TIME...], or one TIME with a unit for all components. A
/// number without unit is in ns, at least 10 ms; with a unit (ns, us, ms, s) at least 1 ms; at most
/// an hour. Invalid times, and a single number without unit, are reported on stderr and replaced by
/// the default.
void ReadIntervals(const std::string& text, Options& options);

/// Prints the usage on stdout.
void PrintHelp();

}  // namespace csink::atime
