#include "symbolizer/report/baseline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "profil/statistics.h"

namespace csink::report {
namespace {

constexpr double kLevel = 0.05;
constexpr double kLeastExpected = 5;

using Json = nlohmann::json;
using Key = std::pair<std::string, std::string>;  // function, module's stem

std::string StemOf(const std::string& module) { return module.substr(0, module.find(".so")); }

double Finite(const Json& json, const char* key) {
  const auto it = json.find(key);
  if (it == json.end() || !it->is_number()) return 0;
  const double value = it->get<double>();
  return std::isfinite(value) && value > 0 ? value : 0;
}

std::string Text(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_string() ? it->get<std::string>() : "";
}

/// The array json[key]; empty when there is none.
const Json& Array(const Json& json, const char* key) {
  static const Json kEmpty = Json::array();
  const auto it = json.find(key);
  return it != json.end() && it->is_array() ? *it : kEmpty;
}

Baseline::Function FunctionOf(const Json& json, std::size_t events) {
  Baseline::Function function{Text(json, "function"), Text(json, "module"), {}};
  for (const Json& cell : Array(json, "events")) {
    if (function.shares.size() == events) break;
    function.shares.push_back(cell.is_object() ? std::min(1.0, Finite(cell, "share")) : 0);
  }
  function.shares.resize(events);
  return function;
}

/// Two shares of one function: now and then.
struct Pair {
  std::string function;
  std::string module;
  std::optional<double> share;
  std::optional<double> was;
};

std::map<Key, Pair> PairUp(const Report& report, std::size_t event, const Baseline& baseline,
                           std::size_t was_event) {
  std::map<Key, Pair> pairs;
  const auto at = [&](const std::string& function, const std::string& module) -> Pair& {
    Pair& pair = pairs[{function, StemOf(module)}];
    pair.function = function;
    pair.module = module;
    return pair;
  };
  for (const Baseline::Function& function : baseline.functions) {
    if (function.shares[was_event] <= 0) continue;
    Pair& pair = at(function.function, function.module);
    pair.was = std::min(1.0, pair.was.value_or(0) + function.shares[was_event]);
  }
  for (const FunctionRow& row : report.functions) {
    if (row.events[event].samples == 0) continue;
    Pair& pair = at(row.function, row.module);
    pair.share = std::min(1.0, pair.share.value_or(0) + row.events[event].share);
  }
  return pairs;
}

}  // namespace

Baseline BaselineOf(const Report& report) {
  Baseline baseline;
  baseline.command = report.command;
  baseline.cpu_seconds = report.user_seconds + report.system_seconds;
  for (std::size_t i = 0; i < report.profile.events.size(); ++i) {
    baseline.events.push_back({report.profile.events[i].name, report.effective_samples[i]});
  }
  for (const FunctionRow& row : report.functions) {
    baseline.functions.push_back({row.function, row.module, {}});
    for (const Cell& cell : row.events) baseline.functions.back().shares.push_back(cell.share);
  }
  return baseline;
}

Result<Baseline> ParseBaseline(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || Text(json, "format") != "csink-report") {
    return Error{Errc::kCorrupt, 0, "neither a spool nor a JSON report of csink"};
  }
  if (Finite(json, "version") != 1) {
    return Error{Errc::kUnsupported, 0, "a JSON report of another version"};
  }
  Baseline baseline;
  baseline.command = Text(json, "command");
  baseline.cpu_seconds = Finite(json, "user_seconds") + Finite(json, "system_seconds");
  for (const Json& event : Array(json, "events")) {
    if (!event.is_object()) continue;
    baseline.events.push_back({Text(event, "name"), Finite(event, "effective_samples")});
  }
  if (baseline.events.empty()) return Error{Errc::kCorrupt, 0, "a JSON report without events"};
  for (const Json& function : Array(json, "functions")) {
    if (!function.is_object()) continue;
    baseline.functions.push_back(FunctionOf(function, baseline.events.size()));
  }
  return baseline;
}

Comparison Compare(const Report& report, const Baseline& baseline, const std::string& name) {
  Comparison comparison;
  comparison.baseline = name;
  comparison.command = baseline.command;
  comparison.cpu_seconds = report.user_seconds + report.system_seconds;
  comparison.was_cpu_seconds = baseline.cpu_seconds;
  if (baseline.cpu_seconds > 0) comparison.ratio = comparison.cpu_seconds / baseline.cpu_seconds;

  const auto& events = report.profile.events;
  std::size_t event = 0;
  std::size_t was_event = baseline.events.size();
  for (; event < events.size() && was_event == baseline.events.size(); ++event) {
    for (was_event = 0; was_event < baseline.events.size(); ++was_event) {
      if (baseline.events[was_event].name == events[event].name) break;
    }
  }
  if (was_event == baseline.events.size()) return comparison;
  --event;
  comparison.event = events[event].name;
  const double n = report.effective_samples[event];
  const double was_n = baseline.events[was_event].effective_samples;
  comparison.effective_samples = n;
  comparison.was_effective_samples = was_n;

  const auto pairs = PairUp(report, event, baseline, was_event);
  const double level = kLevel / static_cast<double>(std::max<std::size_t>(1, pairs.size()));
  for (const auto& [key, pair] : pairs) {
    const double share = pair.share.value_or(0);
    const double was = pair.was.value_or(0);
    const Interval interval = DifferenceInterval(share, n, was, was_n);
    const double pooled = n + was_n > 0 ? (share * n + was * was_n) / (n + was_n) : 0;
    const bool enough = pooled * std::min(n, was_n) >= kLeastExpected;
    comparison.functions.push_back({pair.function, pair.module, pair.share, pair.was, share - was,
                                    interval.low, interval.high,
                                    enough && TwoProportionPValue(share, n, was, was_n) < level});
  }
  std::stable_sort(comparison.functions.begin(), comparison.functions.end(),
                   [](const ChangeRow& a, const ChangeRow& b) {
                     return std::fabs(a.change) > std::fabs(b.change);
                   });
  return comparison;
}

}  // namespace csink::report
