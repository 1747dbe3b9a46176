#include "symbolizer/report/html/renamed_rows.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "symbolizer/report/compare/compare.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::report {
namespace {

/// Where the samples of a function are in one source file.
struct Lines {
  std::string file;  ///< Base name: builds in different folders have other paths
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t hottest = 0;
  double weight = 0;
  double hottest_weight = 0;

  void Add(std::uint32_t line, double more) {
    first = weight > 0 ? std::min(first, line) : line;
    last = std::max(last, line);
    weight += more;
    if (more > hottest_weight) {
      hottest = line;
      hottest_weight = more;
    }
  }
  bool Contains(std::uint32_t line) const { return first <= line && line <= last; }
};

/// The index of the compared event among those of a report.
std::optional<std::size_t> EventIn(const Report& report, const std::string& name) {
  const auto& events = report.profile.events;
  for (std::size_t e = 0; e < events.size(); ++e) {
    if (events[e].name == name) return e;
  }
  return std::nullopt;
}

/// The lines of the rows that `is_wanted` accepts, by index of the row: of each the file with most
/// of its samples.
template <class IsWanted>
std::map<std::size_t, Lines> LinesOf(const Comparison& comparison, const RowFinder& rows,
                                     const Report& report, DiffSide side,
                                     const IsWanted& is_wanted) {
  std::map<std::size_t, Lines> found;
  const auto event = EventIn(report, comparison.event);
  if (!event) return found;
  std::map<std::pair<std::size_t, std::string>, Lines> by_file;
  for (const LineRow& line : report.lines) {
    const double weight = static_cast<double>(line.events[*event].weight);
    if (line.line == 0 || line.file.empty() || !(weight > 0)) continue;
    const auto row = rows.Find(line.function, line.module, side);
    if (!row || !is_wanted(comparison.functions[*row])) continue;
    by_file[{*row, BaseName(line.file)}].Add(line.line, weight);
  }
  for (auto& [key, lines] : by_file) {
    lines.file = key.second;
    Lines& best = found[key.first];
    if (lines.weight > best.weight) best = lines;
  }
  return found;
}

bool IsGone(const ChangeRow& row) { return row.was && !row.share && row.moved.empty(); }
bool IsNew(const ChangeRow& row) { return row.share && !row.was && row.moved.empty(); }

/// A module's name under its earlier name, without the version of a library.
std::string StemOf(const Comparison& comparison, const std::string& module) {
  for (const ProgramMatch& match : comparison.programs) {
    if (match.now == module) return match.was;
  }
  return module.substr(0, module.find(".so"));
}

bool AreLikelyOne(const Comparison& comparison, const ChangeRow& gone, const Lines& was,
                  const ChangeRow& added, const Lines& now) {
  const double a = *gone.was;
  const double b = *added.share;
  return was.file == now.file && was.Contains(now.hottest) && now.Contains(was.hottest) &&
         std::max(a, b) <= kMostShareFactor * std::min(a, b) &&
         (gone.module == added.module ||
          StemOf(comparison, gone.module) == StemOf(comparison, added.module));
}

std::string RangeText(const Lines& lines) {
  if (lines.first == lines.last) return std::to_string(lines.first);
  return std::to_string(lines.first) + "-" + std::to_string(lines.last);
}

}  // namespace

std::vector<RenamedRow> FindRenamed(const Comparison& comparison, const RowFinder& rows,
                                    const Report& was, const Report& now,
                                    const std::vector<Baseline>& then_runs,
                                    const std::vector<Baseline>& now_runs) {
  const auto gone = LinesOf(comparison, rows, was, DiffSide::kThen, IsGone);
  const auto added = LinesOf(comparison, rows, now, DiffSide::kNow, IsNew);
  // By file: comparing all with all would take long for programs that were renamed as a whole.
  std::multimap<std::string_view, std::size_t> added_in;
  for (const auto& [row, lines] : added) added_in.emplace(lines.file, row);
  std::map<std::size_t, std::vector<std::size_t>> partners_of_gone;
  std::map<std::size_t, std::size_t> partners_of_new;
  for (const auto& [row, lines] : gone) {
    const auto [begin, end] = added_in.equal_range(lines.file);
    for (auto it = begin; it != end; ++it) {
      if (!AreLikelyOne(comparison, comparison.functions[row], lines,
                        comparison.functions[it->second], added.at(it->second))) {
        continue;
      }
      partners_of_gone[row].push_back(it->second);
      ++partners_of_new[it->second];
    }
  }
  std::vector<RenamedRow> renamed;
  std::map<std::size_t, std::string> new_names;
  for (const auto& [row, partners] : partners_of_gone) {
    if (partners.size() != 1 || partners_of_new[partners[0]] != 1) continue;
    const Lines& a = gone.at(row);
    const Lines& b = added.at(partners[0]);
    RenamedRow& pair = renamed.emplace_back();
    pair.was = row;
    pair.now = partners[0];
    pair.evidence = a.file + ": lines " + RangeText(a) + " in A, " + RangeText(b) +
                    " in B; hottest " + std::to_string(a.hottest) + " and " +
                    std::to_string(b.hottest);
    new_names.emplace(row, comparison.functions[partners[0]].function);
  }
  if (renamed.empty()) return renamed;
  // The comparison of the same runs where the earlier functions have their later names.
  std::vector<Baseline> then = then_runs;
  for (Baseline& run : then) {
    for (Baseline::Function& function : run.functions) {
      const auto row = rows.Find(function.function, function.module, DiffSide::kThen);
      const auto name = row ? new_names.find(*row) : new_names.end();
      if (name != new_names.end()) function.function = name->second;
    }
  }
  const Comparison joined = CompareRuns(now_runs, then);
  const RowFinder joined_rows(joined, now_runs, then);
  std::vector<RenamedRow> found;
  for (RenamedRow& pair : renamed) {
    const ChangeRow& row = comparison.functions[pair.now];
    const auto at = joined_rows.Find(row.function, row.module, DiffSide::kNow);
    if (!at || !joined.functions[*at].was || !joined.functions[*at].share) continue;
    pair.joined = joined.functions[*at];
    found.push_back(std::move(pair));
  }
  return found;
}

}  // namespace csink::report
