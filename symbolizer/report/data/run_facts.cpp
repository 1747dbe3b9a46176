#include "symbolizer/report/data/run_facts.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace csink::report {
namespace {

/// Lines NAME=value. The text is not trusted: what is no such line is left out.
std::map<std::string, std::string> ParseSurroundings(std::string_view text) {
  std::map<std::string, std::string> values;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    // A path may contain '='; the value of an input is a number, behind the last one.
    const std::size_t equals = line.starts_with("input:") ? line.rfind('=') : line.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    values.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return values;
}

}  // namespace

RunFactsSum SumOfRunFacts(const Profile& profile) {
  using Identity = std::tuple<std::string, std::uint32_t, std::uint64_t>;
  std::map<Identity, const ProcessRow*> last;
  for (const ProcessRow& row : profile.processes) {
    if (!row.facts.known) continue;
    const ProcessRow*& kept = last[{row.host, row.pid, row.start_ticks}];
    if (kept == nullptr || kept->generation < row.generation) kept = &row;
  }
  RunFactsSum sum;
  sum.known = sum.calls_known = !last.empty();
  const ProcessRow* largest = nullptr;
  for (const auto& [identity, row] : last) {
    const spool::RunFactsRecord& facts = row->facts.record;
    sum.calls_known = sum.calls_known && facts.read_errno == 0;
    const auto add = [](double& to, std::uint64_t value) { to += static_cast<double>(value); };
    add(sum.minor_faults, facts.minor_faults);
    add(sum.major_faults, facts.major_faults);
    add(sum.preemptions, facts.preemptions);
    add(sum.voluntary_switches, facts.voluntary_switches);
    add(sum.read_calls, facts.read_calls);
    add(sum.write_calls, facts.write_calls);
    add(sum.read_bytes, facts.read_bytes);
    add(sum.written_bytes, facts.written_bytes);
    sum.max_resident_bytes =
        std::max(sum.max_resident_bytes, static_cast<double>(facts.max_resident_bytes));
    const auto cpu = [](const ProcessRow& of) { return of.user_ns + of.system_ns; };
    if (largest == nullptr || cpu(*row) > cpu(*largest)) largest = row;
  }
  if (largest != nullptr) sum.surroundings = ParseSurroundings(largest->facts.surroundings);
  return sum;
}

}  // namespace csink::report
