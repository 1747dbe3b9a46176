#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace csink::atime {

inline constexpr const char* kWho = "atime";
inline constexpr std::uint64_t kDefaultIntervalNs = 100'000'000;

/// The interval that one component is to have.
struct Interval {
  std::string component;
  std::uint64_t ns = 0;
};

/// What the command line says.
struct Options {
  enum class Format : std::uint8_t { kText, kCsv, kJson };
  Format format = Format::kText;
  std::vector<Interval> intervals;
  std::uint64_t default_interval_ns = kDefaultIntervalNs;
  const char* output = nullptr;  ///< A file for the report; nullptr: stdout
  const char* series = nullptr;  ///< A file for each sample; nullptr: none
  char** program = nullptr;      ///< NULL-terminated
  /// With no program to run: whether to show the help, and how to end.
  bool help = false;
  int status = 0;
};

/// Reads the command line up to the program's name, as upstream's getopt "+t:h?" does, and long
/// options. -h, -? and unknown options: help and status 0; no program: help and 1; a bad value: 1.
Options ReadOptions(int argc, char** argv);

/// -t: NAME:TIME[:NAME:TIME...], or one TIME with a unit for all. A plain number is in ns and 10 ms
/// at least; with a unit (us, ms, s) 1 ms at least. What is wrong is said, and has the default: so
/// does a number alone, which has no unit.
void ReadIntervals(const std::string& text, Options& options);

void PrintHelp();

}  // namespace csink::atime
