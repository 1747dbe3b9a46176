#include "symbolizer/report/findings/digest.h"

#include <algorithm>
#include <tuple>

#include "symbolizer/report/tables/hottest_line.h"

namespace csink::report {
namespace {

constexpr std::size_t kMostFacts = 8;
constexpr std::size_t kMostFunctions = 10;
constexpr std::size_t kMostWaits = 5;

DigestFunction FunctionOf(const FunctionRow& row, std::size_t event) {
  DigestFunction function{row.function, row.module, row.events[event], {}, 0, {}, 0};
  std::tie(function.file, function.line) = HottestLineOf(row);
  const double samples = static_cast<double>(function.cell.samples);
  if (!row.callers.empty() && samples > 0) {
    function.caller = row.callers[0].function;
    function.caller_share = static_cast<double>(row.callers[0].events[event].samples) / samples;
  }
  return function;
}

/// Places in which threads that are not idle waited longest.
std::vector<DigestWait> WaitsOf(const WaitTables& tables) {
  std::vector<DigestWait> waits;
  for (const WaitGroup& group : tables.groups) {
    if (group.is_idle) continue;
    for (const WaitRow& row : group.rows) {
      waits.push_back({row.cell.seconds, group.name, row.function, row.file, row.line,
                       row.primitive,
                       row.lock == WaitRow::kNoRow ? "" : tables.locks[row.lock].name});
    }
  }
  std::stable_sort(waits.begin(), waits.end(),
                   [](const DigestWait& a, const DigestWait& b) { return a.seconds > b.seconds; });
  waits.resize(std::min(waits.size(), kMostWaits));
  return waits;
}

std::vector<DigestStep> StepsOf(const Report& report) {
  std::vector<DigestStep> steps;
  if (!report.functions.empty() || report.waits) {
    steps.push_back({"csink show FILE ID", "callers, callees, lines, code and waits of a name"});
  }
  if (report.call_tree.size() <= 1) {
    steps.push_back({"csink run --stacks unwind -- COMMAND", "callers"});
  }
  if (!report.waits) {
    steps.push_back(
        {"csink run --wait -- COMMAND", "where threads are blocked, and who holds the lock"});
  }
  if (!report.critical) {
    steps.push_back({"csink run --critical -- COMMAND", "what a faster function would save"});
  }
  steps.push_back({"csink report --format json FILE", "all of it"});
  return steps;
}

}  // namespace

Digest MakeDigest(const Report& report, const std::vector<std::size_t>& events,
                  const std::vector<std::string>& facts) {
  Digest digest;
  digest.findings = FindingsOf(report);
  digest.facts.assign(facts.begin(), facts.begin() + std::min(kMostFacts, facts.size()));
  if (!events.empty()) {
    const EventTotals& event = report.profile.events[events[0]];
    digest.has_event = true;
    digest.event = event.name;
    digest.is_clock = event.kind == EventClass::kClock;
    const std::size_t count = std::min(kMostFunctions, report.functions.size());
    for (std::size_t i = 0; i < count; ++i) {
      digest.functions.push_back(FunctionOf(report.functions[i], events[0]));
    }
  }
  if (report.waits) {
    digest.has_waits = true;
    digest.waits = WaitsOf(*report.waits);
  }
  digest.next = StepsOf(report);
  return digest;
}

std::size_t RowsOf(const Digest& digest) {
  return digest.facts.size() + digest.functions.size() + digest.waits.size();
}

bool DropRow(Digest& digest) {
  const std::size_t longest =
      std::max({digest.facts.size(), digest.functions.size(), digest.waits.size()});
  if (longest == 0) return false;
  if (digest.functions.size() == longest) {
    digest.functions.pop_back();
  } else if (digest.facts.size() == longest) {
    digest.facts.pop_back();
  } else {
    digest.waits.pop_back();
  }
  digest.is_cut = true;
  return true;
}

}  // namespace csink::report
