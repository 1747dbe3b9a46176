#include "profil/critical/analysis.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "profil/critical/unseen.h"

namespace csink::critical {
namespace {

using Limits = AnalysisLimits;

/// A graph of so many nodes takes about 1 s for each place.
constexpr std::size_t kLargeGraph = 1'000'000;

WaitTimes TimesOf(const Waits& waits) {
  WaitTimes times;
  for (const Wait& wait : waits.waits.rows) {
    const std::int64_t length = wait.end_ns - wait.start_ns;
    if (length <= kUnseenWaitNs || wait.known == Known::kOwn) continue;
    ++times.waits;
    switch (wait.known) {
      case Known::kHook:
        times.hook += length;
        break;
      case Known::kInferred:
        times.inferred += length;
        break;
      case Known::kOutside:
        times.outside += length;
        break;
      default:
        times.unknown += length;
        break;
    }
  }
  return times;
}

bool IsNear(double time, double run) { return std::abs(time / run - 1) <= Limits::kReplay; }

double SavedOf(double before, double after) {
  return before > 0 && std::isfinite(after) ? (before - after) / before : 0;
}

}  // namespace

CriticalModel::CriticalModel(CriticalLog log)
    : log_(std::move(log)),
      waits_(ResolveWaits(log_)),
      path_(WalkBack(log_, waits_)),
      shares_(SharesOf(log_, path_)),
      replay_(log_, waits_) {
  run_ = static_cast<double>(log_.RunNs());
  if (run_ <= 0) return;
  crowded_ = std::min(1.0, static_cast<double>(CrowdedNs(log_, waits_)) / run_);
  dag_ = replay_.Dag({});
  fluid_ = replay_.Fluid({}, false);
  delayed_ = replay_.Fluid({}, true);
  forecast_ = Judge();
}

Forecast CriticalModel::Judge() const {
  if (shares_.samples < Limits::kSamples) return Forecast::kFewSamples;
  if (static_cast<double>(shares_.times.unknown) > Limits::kUnknown * run_) {
    return Forecast::kUnknownPath;
  }
  // The comparison is false for a replay that did not end, too.
  if (!IsNear(dag_, run_) || !IsNear(delayed_, run_)) return Forecast::kReplayDiffers;
  return Forecast::kMade;
}

double CriticalModel::OfRun(double samples) const noexcept {
  return run_ > 0 ? std::min(1.0, samples * static_cast<double>(log_.period_ns) / run_) : 0;
}

Saving CriticalModel::Predict(const std::vector<std::uint32_t>& places, double shorter,
                              bool with_callees) const {
  Saving saving;
  if (run_ <= 0) return saving;
  for (const std::uint32_t place : places) {
    if (place >= shares_.places.size()) continue;
    const PlaceSamples& of = shares_.places[place];
    saving.path += with_callees ? of.path_total : of.path;
    // Gaps of the path count the innermost places alone.
    saving.path_plus += with_callees ? of.path_total + of.path_plus - of.path : of.path_plus;
    saving.latency += of.latency;
  }
  const double path = OfRun(saving.path);
  saving.path = shorter * path;
  saving.path_plus = shorter * OfRun(saving.path_plus);
  saving.latency = shares_.latency > 0 ? shorter * saving.latency / shares_.latency : 0;
  Change change;
  change.places = places;
  change.shorter = shorter;
  change.with_callees = with_callees;
  saving.dag = SavedOf(dag_, replay_.Dag(change));
  saving.fluid = SavedOf(fluid_, replay_.Fluid(change, false));
  saving.delayed = SavedOf(delayed_, replay_.Fluid(change, true));
  auto [low, high] =
      std::minmax({saving.path, saving.path_plus, saving.dag, saving.fluid, saving.delayed});
  if (crowded_ > Limits::kCrowded) {
    low = std::min(low, saving.latency);
    high = std::max(high, saving.latency);
  }
  const double samples = log_.period_ns > 0 ? run_ / static_cast<double>(log_.period_ns) : 0;
  const double sampling = shorter * WilsonInterval(path, samples).HalfWidth();
  saving.low = std::clamp(low - sampling, 0.0, 1.0);
  // A run does not get shorter by more than all of its code does.
  saving.high = std::clamp(high + sampling, 0.0, std::max(0.0, shorter));
  return saving;
}

double CriticalModel::MostWithout(const Object& object) const {
  Change change;
  change.never_waited_for = object;
  return std::max({0.0, SavedOf(dag_, replay_.Dag(change)),
                   SavedOf(fluid_, replay_.Fluid(change, false)),
                   SavedOf(delayed_, replay_.Fluid(change, true))});
}

double CriticalModel::OnProcessors(std::uint32_t processors) const {
  Change change;
  change.processors = std::max(1u, processors);
  return 1 - SavedOf(delayed_, replay_.Fluid(change, true));
}

/// Predicts for those with the largest shares of the path, and of the CPU time.
void CriticalModel::Choose(std::vector<PlaceShares>& places) const {
  const bool is_large = replay_.nodes() > kLargeGraph;
  const std::size_t by_path = is_large ? 2 : Limits::kMostByPath;
  const std::size_t by_cpu = is_large ? 1 : Limits::kMostByCpu;
  std::vector<PlaceShares*> chosen;
  for (PlaceShares& place : places) {
    const double plus = OfRun(shares_.places[place.place].path_plus);
    if (place.cpu >= Limits::kOfCpu || plus >= Limits::kOfPath) chosen.push_back(&place);
  }
  const auto plus = [&](const PlaceShares* place) {
    return shares_.places[place->place].path_plus;
  };
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](const PlaceShares* a, const PlaceShares* b) { return plus(a) > plus(b); });
  const std::size_t first = std::min(by_path, chosen.size());
  for (std::size_t i = 0; i < first; ++i) chosen[i]->has_saving = true;
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const PlaceShares* a, const PlaceShares* b) { return a->cpu > b->cpu; });
  for (std::size_t i = 0; i < std::min(by_cpu, chosen.size()); ++i) chosen[i]->has_saving = true;
  for (PlaceShares* place : chosen) {
    if (place->has_saving) place->saving = Predict({place->place}, Limits::kShorter);
  }
}

Analysis CriticalModel::Analyse() const {
  Analysis analysis;
  analysis.forecast = forecast_;
  analysis.processors = log_.processors;
  analysis.samples = shares_.samples;
  analysis.dropped = log_.dropped;
  if (run_ <= 0) return analysis;
  analysis.run_seconds = run_ / 1e9;
  analysis.path = shares_.times;
  analysis.waits = TimesOf(waits_);
  analysis.crowded = crowded_;
  analysis.dag_ratio = dag_ / run_;
  analysis.delayed_ratio = delayed_ / run_;
  analysis.fluid_ratio = fluid_ / run_;
  const double period = static_cast<double>(log_.period_ns);
  const double all = static_cast<double>(std::max<std::uint64_t>(1, shares_.samples));
  for (std::uint32_t place = 0; place < shares_.places.size(); ++place) {
    const PlaceSamples& of = shares_.places[place];
    if (of.total == 0) continue;
    PlaceShares row;
    row.place = place;
    row.cpu = static_cast<double>(of.cpu) / all;
    row.cpu_total = static_cast<double>(of.total) / all;
    row.path = OfRun(of.path);
    row.path_total = OfRun(of.path_total);
    row.path_interval = WilsonInterval(row.path, period > 0 ? run_ / period : 0);
    analysis.places.push_back(row);
  }
  if (forecast_ == Forecast::kMade) Choose(analysis.places);
  std::stable_sort(analysis.places.begin(), analysis.places.end(),
                   [](const PlaceShares& a, const PlaceShares& b) {
                     return std::tuple(-a.path, -a.cpu, a.place) <
                            std::tuple(-b.path, -b.cpu, b.place);
                   });
  return analysis;
}

}  // namespace csink::critical
