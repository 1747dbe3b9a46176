/// Program: papi_cost. The loop latency is measured first: its mean is what reading the clock adds
/// to every other cost. Then come the operations on a set of two events, and reads of derived
/// presets, which are left out where the machine has none.

#include <papi.h>

#include <algorithm>
#include <cstdio>

#include "compat/utils/events.h"
#include "compat/utils/json.h"
#include "compat/utils/measuring/operations.h"
#include "compat/utils/message.h"
#include "compat/utils/papi_cost/report.h"
#include "compat/utils/run.h"

namespace csink::utils::cost {
namespace {

/// Measures the operations one after the other, and prints or collects the results.
class Measurement {
 public:
  Measurement(const Settings& settings, bool json)
      : settings_(settings), json_(json), costs_(settings.iterations) {}

  Clock& clock() { return clock_; }

  /// Prints a text in place of a test that is not made.
  void Skip(const char* otherwise) const {
    if (!json_) std::puts(otherwise);
  }

  void PrintJson(const Choice& choice) {
    nlohmann::ordered_json object = JsonHead(kTool);
    object["clock"] = {{"cycles_per_ns", clock_.cycles_per_ns},
                       {"overhead_cycles", clock_.overhead_cycles}};
    object["events"] = nlohmann::ordered_json::array();
    for (const CountableEvent& event : choice.events) object["events"].push_back(event.name);
    if (!choice.why.empty()) object["instead_because"] = choice.why;
    object["operations"] = std::move(operations_);
    utils::PrintJson(object);
  }

  /// Measures one operation; `heading` is printed before. False, with a message: it failed.
  bool Test(const char* heading, Measured what, int set) {
    // Flushed, because the measurement may take long.
    if (!json_) std::fputs(heading, stdout), std::fflush(stdout);
    // At least one element: a null pointer would be refused.
    std::vector<long long> values(std::max<std::size_t>(what.counters, 1));
    const int code = MeasureOperation(what.operation, set, values, costs_);
    if (code != PAPI_OK) return SayCode(kTool, what.name + " failed", code), false;
    // Percentiles need the costs in order; no other statistic depends on it.
    std::sort(costs_.begin(), costs_.end());
    what.costs = costs_;
    // TestBasics begins with kNothing, so the later results have the clock's part.
    if (what.operation == Operation::kNothing) clock_.overhead_cycles = SpreadOf(costs_).mean;
    if (json_) {
      operations_.push_back(MeasuredJson(what, settings_, clock_));
    } else {
      PrintMeasured(what, settings_, clock_);
    }
    return true;
  }

 private:
  const Settings& settings_;
  bool json_;
  std::vector<long long> costs_;
  Clock clock_;
  nlohmann::ordered_json operations_ = nlohmann::ordered_json::array();
};

/// The headings are those of PAPI's tool.
bool TestBasics(Measurement& measurement, const Choice& choice) {
  // One operation and the texts of PAPI's tool about it.
  struct Row {
    Operation operation;
    const char* heading;
    const char* name;
  };
  constexpr Row kRows[] = {
      {Operation::kStartStop, "\nPerforming start/stop test...\n\n", "PAPI_start/stop"},
      {Operation::kRead, "\nPerforming read test...\n\n", "PAPI_read"},
      {Operation::kReadTs, "\nPerforming read with timestamp test...\n\n", "PAPI_read_ts"},
      {Operation::kAccum, "\nPerforming accum test...\n\n", "PAPI_accum"},
      {Operation::kReset, "\nPerforming reset test...\n\n", "PAPI_reset"}};
  if (!measurement.Test("\nPerforming loop latency test...\n\n",
                        {Operation::kNothing, "loop latency", "loop latency", 0, {}}, PAPI_NULL)) {
    return false;
  }
  EventSet set;
  for (const CountableEvent& event : choice.events) {
    const int code = set.Add(event.code);
    if (code != PAPI_OK) return SayCode(kTool, event.name + " cannot be added", code), false;
  }
  const std::size_t counters = choice.events.size();
  for (const Row& row : kRows) {
    const std::string title =
        row.name + (" (" + std::to_string(counters)) + (counters == 1 ? " counter)" : " counters)");
    if (!measurement.Test(row.heading, {row.operation, row.name, title, counters, {}},
                          set.handle())) {
      return false;
    }
  }
  return true;
}

/// Measures PAPI_read of a preset that is computed from several counters.
bool TestDerived(Measurement& measurement, std::initializer_list<const char*> kinds,
                 const char* kind, const char* title, const char* otherwise) {
  PAPI_event_info_t info;
  // Not a failure: many machines have no such preset.
  if (!FindDerived(kinds, info)) return measurement.Skip(otherwise), true;
  EventSet set;
  const int code = set.Add(static_cast<int>(info.event_code));
  if (code != PAPI_OK) {
    return SayCode(kTool, std::string(info.symbol) + " cannot be added", code), false;
  }
  const std::string heading = std::string("\nPerforming ") + kind + " PAPI_read(" +
                              std::to_string(info.count) + " counters)  test (" + info.symbol +
                              ")...\n";
  return measurement.Test(
      heading.c_str(),
      {Operation::kRead, std::string("PAPI_read ") + info.symbol, title, info.count, {}},
      set.handle());
}

int Run(const Arguments& arguments) {
  Settings settings;
  if (!ReadSettings(arguments, settings)) return kMisuse;
  if (!StartLibrary(kTool)) return kFailed;
  const Choice choice = ChooseEvents();
  if (choice.events.empty()) {
    Say(kTool, "no event can be counted here: " + choice.why);
    return kFailed;
  }
  Measurement measurement(settings, arguments.json());
  measurement.clock().cycles_per_ns = CyclesPerNs();
  if (!arguments.json()) PrintHead(choice, measurement.clock());
  // A measurement that failed ends the run, with its message.
  if (!TestBasics(measurement, choice) ||
      !TestDerived(measurement, {"DERIVED_POSTFIX"}, "DERIVED_POSTFIX",
                   "PAPI_read (1 derived_postfix counter)",
                   "\tI was unable to find a DERIVED_POSTFIX preset event to test on this "
                   "architecture, skipping.") ||
      !TestDerived(measurement, {"DERIVED_ADD", "DERIVED_SUB"}, "DERIVED_[ADD|SUB]",
                   "PAPI_read (1 derived_[add|sub] counter)",
                   "\tI was unable to find a suitable DERIVED_[ADD|SUB] event to test, "
                   "skipping.")) {
    return kFailed;
  }
  if (arguments.json()) measurement.PrintJson(choice);
  return kFine;
}

}  // namespace
}  // namespace csink::utils::cost

int main(int argc, char** argv) {
  return csink::utils::RunTool(csink::utils::cost::kTool, argc, argv, csink::utils::cost::Run);
}
