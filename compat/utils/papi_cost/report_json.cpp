#include "compat/utils/papi_cost/report.h"

namespace csink::utils::cost {
namespace {

using Json = nlohmann::ordered_json;

/// `unit` converts cycles to the unit of the object.
template <class Unit>
Json SpreadJson(const Measured& measured, const Spread& spread, Unit unit) {
  Json object = {{"min", unit(spread.min)},
                 {"max", unit(spread.max)},
                 {"mean", unit(spread.mean)},
                 {"stddev", unit(spread.deviation)}};
  for (const unsigned percent : {25U, 50U, 75U, 99U}) {
    object["p" + std::to_string(percent)] = unit(Percentile(measured.costs, percent));
  }
  return object;
}

/// Empty intervals are left out. The bounds are exact ones (Least), not those that the text prints.
Json BinsJson(const Histogram& histogram) {
  Json bins = Json::array();
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    if (histogram.counts[i] == 0) continue;
    bins.push_back({{"from_cycles", histogram.Least(i)}, {"iterations", histogram.counts[i]}});
  }
  return bins;
}

}  // namespace

Json MeasuredJson(const Measured& measured, const Settings& settings, const Clock& clock) {
  const Spread spread = SpreadOf(measured.costs);
  const bool inside = HasClockInside(measured.operation);
  Json object = {{"name", measured.name},
                 {"title", measured.title},
                 {"counters", measured.counters},
                 {"iterations", spread.count},
                 {"clock_inside", inside},
                 {"cycles", SpreadJson(measured, spread, [](auto cycles) { return cycles; })}};
  if (clock.cycles_per_ns > 0) {
    object["ns"] = SpreadJson(measured, spread,
                              [&](auto cycles) { return clock.Ns(static_cast<double>(cycles)); });
    // May be negative for an operation that costs less than the noise of the loop.
    object["mean_without_clock_ns"] = clock.Ns(spread.mean - (inside ? clock.overhead_cycles : 0));
  }
  object["above_mean"] = CountsAboveMean(measured.costs, spread);
  object["bins"] = BinsJson(HistogramOf(measured.costs, spread, settings.bins));
  return object;
}

}  // namespace csink::utils::cost
