#include "symbolizer/report/annotate/name_facts.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/wording/name_id.h"

namespace csink::annotate {
namespace {

using report::Report;

/// The function that is meant: all of this name, or of one module.
struct Meant {
  std::string name;
  std::string module;  ///< Empty: of any
  bool Is(const std::string& function, const std::string& of) const {
    return function == name && (module.empty() || of.empty() || of == module);
  }
};

double Part(const EventCount& part, const EventCount& whole) {
  return whole.samples == 0
             ? 0
             : static_cast<double>(part.samples) / static_cast<double>(whole.samples);
}

std::vector<Neighbour> Largest(const std::map<std::string, EventCount>& counts,
                               const EventCount& whole) {
  std::vector<Neighbour> all;
  for (const auto& [name, count] : counts) {
    if (count.samples > 0) all.push_back({name, Part(count, whole)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Neighbour& a, const Neighbour& b) { return a.share > b.share; });
  all.resize(std::min(all.size(), kMostNeighbours));
  return all;
}

/// Of a function that calls itself, directly or through others, the outermost call counts: each
/// sample has one.
void AddCalls(const Report& report, const Meant& meant, NameFacts& facts) {
  const auto& tree = report.call_tree;
  if (tree.size() <= 1) return;
  std::vector<bool> is_below(tree.size(), false);  // Below an outermost call, or one itself
  std::map<std::string, EventCount> callers;
  std::map<std::string, EventCount> callees;
  EventCount total;
  std::vector<bool> is_outermost(tree.size(), false);
  for (std::size_t i = 1; i < tree.size(); ++i) {
    const report::CallNode& node = tree[i];
    const report::NamedCells& function = report.call_functions[node.function];
    if (is_outermost[node.parent]) AddTo(callees[function.function], node.total[0]);
    is_below[i] = is_below[node.parent];
    if (is_below[i] || !meant.Is(function.function, function.module)) continue;
    is_below[i] = is_outermost[i] = true;
    AddTo(total, node.total[0]);
    if (node.parent != 0) {
      AddTo(callers[report.call_functions[tree[node.parent].function].function], node.total[0]);
    }
  }
  facts.total = total;
  const EventCount& all = tree[0].total[0];
  facts.total_share =
      all.weight == 0 ? 0 : static_cast<double>(total.weight) / static_cast<double>(all.weight);
  facts.callers = Largest(callers, total);
  facts.callees = Largest(callees, total);
}

std::string AddressText(std::uint64_t address) {
  char text[2 + 16 + 1];
  std::snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(address));
  return text;
}
double ShareOf(const Cells& cells) { return cells.empty() ? 0 : cells[0].share; }

/// The rows around the hottest, which has samples. Empty without one.
template <typename Row, typename MakeRow>
std::vector<CodeRow> Around(const std::vector<Row>& rows, MakeRow make) {
  const auto hottest = std::max_element(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return ShareOf(a.cells) < ShareOf(b.cells);
  });
  if (hottest == rows.end() || ShareOf(hottest->cells) == 0) return {};
  const auto at = static_cast<std::size_t>(hottest - rows.begin());
  std::vector<CodeRow> code;
  const std::size_t end = std::min(rows.size(), at + kCodeAround + 1);
  for (std::size_t i = at - std::min<std::size_t>(at, kCodeAround); i < end; ++i) {
    code.push_back(make(rows[i]));
  }
  return code;
}

/// The hottest lines of all files: code of other functions that was inlined is the function's.
void AddLines(const Annotation& annotation, NameFacts& facts) {
  for (const Source& source : annotation.sources) {
    for (const SourceLine& line : source.lines) {
      if (ShareOf(line.cells) > 0) {
        facts.lines.push_back({source.recorded, line.number, line.cells[0]});
      }
    }
  }
  std::stable_sort(facts.lines.begin(), facts.lines.end(),
                   [](const HotLine& a, const HotLine& b) { return a.cell.share > b.cell.share; });
  facts.lines.resize(std::min(facts.lines.size(), kMostHotLines));
}

/// The source around the hottest line; where it cannot be read, the instructions.
void AddCode(const Annotation& annotation, NameFacts& facts) {
  const Source* hottest = nullptr;
  for (const Source& source : annotation.sources) {
    if (source.found.empty()) continue;
    if (!hottest || ShareOf(source.cells) > ShareOf(hottest->cells)) hottest = &source;
  }
  if (hottest) {
    facts.code_of = hottest->recorded;
    facts.code = Around(hottest->lines, [](const SourceLine& line) {
      return CodeRow{std::to_string(line.number), line.text, ShareOf(line.cells)};
    });
  }
  if (!facts.code.empty()) return;
  facts.code_of = annotation.module;
  facts.code = Around(annotation.code.lines, [](const CodeLine& line) {
    return CodeRow{AddressText(line.vaddr), line.text, ShareOf(line.cells)};
  });
}

BlockedPlace PlaceOf(const report::WaitTables& tables, const report::WaitGroup& group,
                     const report::WaitRow& row) {
  return {row.cell.seconds,
          group.name,
          row.function,
          row.file,
          row.line,
          row.primitive,
          row.lock == report::WaitRow::kNoRow ? "" : tables.locks[row.lock].name};
}

/// Places where `is_meant`, those of most time.
template <typename IsMeant>
void AddWaits(const report::WaitTables& tables, IsMeant is_meant, NameFacts& facts) {
  for (const report::WaitGroup& group : tables.groups) {
    for (const report::WaitRow& row : group.rows) {
      if (is_meant(row)) facts.waits.push_back(PlaceOf(tables, group, row));
    }
  }
  std::stable_sort(
      facts.waits.begin(), facts.waits.end(),
      [](const BlockedPlace& a, const BlockedPlace& b) { return a.seconds > b.seconds; });
  facts.waits.resize(std::min(facts.waits.size(), kMostBlockedPlaces));
}

/// All but the samples in the function itself.
NameFacts FactsOfFunction(const Report& report, const Meant& meant) {
  NameFacts facts;
  facts.name = meant.name;
  facts.module = meant.module;
  if (!report.profile.events.empty()) {
    facts.event = report.profile.events[0].name;
    facts.is_clock = report.profile.events[0].kind == EventClass::kClock;
    AddCalls(report, meant, facts);
  }
  if (report.waits) {
    AddWaits(
        *report.waits,
        [&](const report::WaitRow& row) { return meant.Is(row.function, row.module); }, facts);
  }
  if (report.critical) {
    for (const report::CriticalRow& row : report.critical->rows) {
      if (row.function != meant.name || facts.critical) continue;
      facts.critical = row;
      facts.run_seconds = report.critical->analysis.run_seconds;
    }
  }
  return facts;
}

NameFacts FactsOfLock(const report::WaitTables& tables, const report::LockRow& lock) {
  NameFacts facts;
  facts.name = lock.name;
  facts.module = lock.module;
  facts.is_lock = true;
  AddWaits(
      tables,
      [&](const report::WaitRow& row) {
        return row.lock != report::WaitRow::kNoRow && &tables.locks[row.lock] == &lock;
      },
      facts);
  const auto end = lock.holders.begin() +
                   static_cast<std::ptrdiff_t>(std::min(lock.holders.size(), kMostBlockedPlaces));
  facts.holders.assign(lock.holders.begin(), end);
  return facts;
}

/// Names of functions that have no samples of their own, each once.
std::vector<std::string> NamesWithoutSamples(const Report& report) {
  std::vector<std::string> names;
  for (const report::NamedCells& function : report.call_functions) {
    names.push_back(function.function);
  }
  if (report.waits) {
    for (const report::WaitGroup& group : report.waits->groups) {
      for (const report::WaitRow& row : group.rows) names.push_back(row.function);
    }
    for (const report::LockRow& lock : report.waits->locks) {
      for (const report::HolderRow& holder : lock.holders) names.push_back(holder.function);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

std::vector<NameFacts> FactsOfName(const Report& report, const std::string& wanted,
                                   const report::Resolver& resolve, const Settings& settings) {
  const bool is_id = report::IsNameId(wanted);
  const auto is_wanted = [&](const std::string& name) {
    if (name.empty()) return false;
    return name == wanted || (is_id ? report::NameId(name) : PlainName(name)) == wanted;
  };
  std::vector<NameFacts> all;
  std::vector<SampledFunction> sampled;
  for (const report::FunctionRow& row : report.functions) {
    if (!is_wanted(row.function) || all.size() == kMostOfName) continue;
    all.push_back(FactsOfFunction(report, {row.function, row.module}));
    all.back().self = row.events[0];
    if (sampled.empty()) sampled = SampledFunctions(report);
    const auto function = std::find_if(sampled.begin(), sampled.end(), [&](const auto& one) {
      return one.name == row.function && one.module == row.module;
    });
    if (function == sampled.end()) continue;
    const Annotation annotation = Annotate(report, *function, resolve, settings);
    AddLines(annotation, all.back());
    AddCode(annotation, all.back());
  }
  if (all.empty()) {
    for (const std::string& name : NamesWithoutSamples(report)) {
      if (is_wanted(name) && all.size() < kMostOfName) {
        all.push_back(FactsOfFunction(report, {name, ""}));
      }
    }
  }
  if (report.waits) {
    for (const report::LockRow& lock : report.waits->locks) {
      if (is_wanted(lock.name) && all.size() < kMostOfName) {
        all.push_back(FactsOfLock(*report.waits, lock));
      }
    }
  }
  return all;
}

}  // namespace csink::annotate
