#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profil/statistics/sequential.h"
#include "profil/statistics/statistics.h"

/// File: what two commands' measured rounds say, as data. The commands are A and B; B is what A is
/// compared with. profil/statistics/sequential.h has the rule by which a measurement stops.
///
/// Threads: any (no state). Signals: not safe (heap).

namespace csink::bench {

/// The largest number of rounds that can be asked for: more would need days of runs.
inline constexpr std::size_t kMostRounds = 500;

/// What is measured of each run.
enum class Metric { kInstructions, kCpu, kWall, kFaults, kMemory };
inline constexpr std::size_t kMetricCount = 5;

/// The name of a metric on the command line and in JSON: "instructions", "cpu", "wall",
/// "page-faults", "memory".
const char* WordOf(Metric metric);

/// One run of one command, by Metric: instructions in user mode, seconds of CPU time (user and
/// system), seconds of wall time, page faults, bytes of the largest resident set. 0: not measured.
using Run = std::array<double, kMetricCount>;

/// One round: both commands, one after the other, in an order that chance decided.
struct Round {
  Run a{};
  Run b{};
};

/// What is asked.
struct Question {
  /// The change of A against B that is allowed, 0.03 for 3 %. nullopt: nothing is asked.
  std::optional<double> max_slowdown;
  /// The measurement ends if the change is known to +- this, 0.01 for 1 %.
  double precision = 0.01;
  /// The measurement goes on until the precision is reached, whatever is known before.
  bool only_precision = false;
  /// The metric that decides. nullopt: instructions where all runs have them, else CPU time.
  std::optional<Metric> decides;
};

/// One metric of both commands.
struct Measured {
  Metric metric = Metric::kCpu;
  double a = 0;  ///< Median of A's runs
  double b = 0;
  /// A / B of a round: the centre of all rounds, and its interval.
  double ratio = 1;
  /// The 95 % interval, of each metric for itself. 0 to infinity after too few rounds.
  Interval interval;
  /// Standard deviation of the logarithm of A / B from round to round: about the relative one.
  double noise = 0;
};

enum class Change {
  kSlower,   ///< A needs more than B
  kFaster,   ///< A needs less
  kSame,     ///< no difference was found, and the interval is as narrow as was wanted
  kUnclear,  ///< no difference was found; the interval is wider
};

enum class Limit {
  kNone,      ///< not asked
  kKept,      ///< the change is at most what is allowed
  kExceeded,  ///< it is more
  kUnclear,   ///< the interval contains the limit
};

/// What is known after a look.
struct Outcome {
  std::size_t rounds = 0;
  /// The metric that decides is the first. Empty if it was not measured in all rounds.
  std::vector<Measured> metrics;
  Change change = Change::kUnclear;
  Limit limit = Limit::kNone;
  /// Nothing more is to be learned: the question is answered, or the precision is reached.
  bool is_answered = false;
  /// About as many rounds as the precision would need with this noise. At least `rounds`.
  std::size_t rounds_for_precision = 0;
};

/// What the first `look.rounds` rounds say. There must be as many. The result depends on its
/// arguments alone.
Outcome Judge(std::span<const Round> rounds, const Look& look, const Question& question);

}  // namespace csink::bench
