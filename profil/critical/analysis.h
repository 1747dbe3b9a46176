#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "profil/critical/path.h"
#include "profil/critical/replay.h"
#include "profil/critical/shares.h"
#include "profil/statistics/statistics.h"

/// File: what holds a run up, and what it would save if some code were faster. Why several methods:
/// docs/design/profil.md.

namespace csink::critical {

/// Whether savings are predicted.
enum class Forecast : std::uint8_t {
  kMade,
  kNoRun,          ///< No thread, or no time
  kFewSamples,     ///< Less than AnalysisLimits::kSamples
  kUnknownPath,    ///< Too much of the path is not known
  kReplayDiffers,  ///< The replay of the unchanged log does not take the run's time
};

struct AnalysisLimits {
  static constexpr std::uint64_t kSamples = 30;
  static constexpr double kUnknown = 0.1;  ///< Of the run
  static constexpr double kReplay = 0.06;  ///< Of the run, to both sides
  /// Of the run: from this on, the time of a run is CPU time over processors as well
  static constexpr double kCrowded = 0.1;
  static constexpr double kShorter = 0.2;  ///< By how much code is made faster in a prediction
  // Places with predictions have one of these shares.
  static constexpr double kOfCpu = 0.03;
  static constexpr double kOfPath = 0.02;
  static constexpr std::size_t kMostByPath = 5;
  static constexpr std::size_t kMostByCpu = 3;
};

/// What a change saves, as shares of the run, by each method and as bounds.
struct Saving {
  double path = 0;
  double path_plus = 0;
  double dag = 0;
  double fluid = 0;
  double delayed = 0;  ///< Fluid, with delays
  double latency = 0;  ///< Counts where threads are crowded
  double low = 0;
  double high = 0;
};

/// Shares of one place; those of the path are of the run's time.
struct PlaceShares {
  std::uint32_t place = 0;
  double cpu = 0;        ///< Of all samples
  double cpu_total = 0;  ///< With what it called
  double path = 0;
  double path_total = 0;
  Interval path_interval;  ///< 95 %, of `path`
  bool has_saving = false;
  Saving saving;  ///< If it takes kShorter less time
};

/// Time of all waits of more than 20 us, in ns, by how their end is known.
struct WaitTimes {
  std::uint64_t waits = 0;
  std::int64_t hook = 0;
  std::int64_t inferred = 0;
  std::int64_t outside = 0;
  std::int64_t unknown = 0;
};

/// The answer. Times are seconds or, in PathTimes and WaitTimes, ns.
struct Analysis {
  Forecast forecast = Forecast::kNoRun;
  double run_seconds = 0;
  PathTimes path;
  WaitTimes waits;
  double crowded = 0;        ///< Part of the run with more ready threads than processors
  double dag_ratio = 0;      ///< Time of the unchanged replay / the run's
  double delayed_ratio = 0;  ///< The same of the fluid one with delays
  double fluid_ratio = 0;    ///< And without
  std::uint32_t processors = 1;
  std::uint64_t samples = 0;
  std::uint64_t dropped = 0;        ///< As CriticalLog::dropped
  std::vector<PlaceShares> places;  ///< Those with samples, the largest part of the path first

  double Share(std::int64_t ns) const noexcept {
    return run_seconds > 0 ? static_cast<double>(ns) / 1e9 / run_seconds : 0;
  }
};

/// A log with its path and graph, for questions.
/// Owns:    the log.
/// Threads: const access from any thread.
class CriticalModel {
 public:
  explicit CriticalModel(CriticalLog log);
  CriticalModel(const CriticalModel&) = delete;
  CriticalModel& operator=(const CriticalModel&) = delete;

  /// The path, its shares, and predictions for the places that have most of it or of the CPU time.
  Analysis Analyse() const;
  /// What the run saves if the code of these places takes `shorter` (0..1) less. With callees: also
  /// the code that they called.
  Saving Predict(const std::vector<std::uint32_t>& places, double shorter,
                 bool with_callees = false) const;
  /// At most this share of the run is saved if nobody ever waits for the object.
  double MostWithout(const Object& object) const;
  /// The run's time on this number of processors, 1 or more, as a share of its time now.
  double OnProcessors(std::uint32_t processors) const;
  Forecast forecast() const noexcept { return forecast_; }

  const CriticalLog& log() const noexcept { return log_; }
  const Waits& waits() const noexcept { return waits_; }
  const std::vector<Segment>& path() const noexcept { return path_; }
  const Shares& shares() const noexcept { return shares_; }
  const Replay& replay() const noexcept { return replay_; }

 private:
  Forecast Judge() const;
  double OfRun(double samples) const noexcept;
  void Choose(std::vector<PlaceShares>& places) const;

  CriticalLog log_;
  Waits waits_;
  std::vector<Segment> path_;
  Shares shares_;
  Replay replay_;
  double run_ = 0;      ///< ns
  double crowded_ = 0;  ///< Share of the run
  double dag_ = 0;      ///< Time of the unchanged replays, ns
  double fluid_ = 0;
  double delayed_ = 0;
  Forecast forecast_ = Forecast::kNoRun;
};

}  // namespace csink::critical
