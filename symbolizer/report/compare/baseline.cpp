#include "symbolizer/report/compare/baseline.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "symbolizer/report/compare/json_members.h"
#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/shorten.h"

/// File: takes what comparisons need from a report, and parses the same from a JSON report. The
/// JSON text may come from anywhere: every access checks the member's type, so that no exception of
/// the parser's library is thrown, and missing members have neutral values.

namespace csink::report {
namespace {

using Json = nlohmann::json;

/// Function, module and shares of a row. A row with fewer cells than events has the share 0 for the
/// others; surplus cells are ignored.
Baseline::Function FunctionOf(const Json& json, std::size_t events) {
  Baseline::Function function{TextIn(json, "function"), TextIn(json, "module"), {}};
  for (const Json& cell : ArrayIn(json, "events")) {
    if (function.shares.size() == events) break;
    // A share above 1 would give a variance below 0.
    function.shares.push_back(cell.is_object() ? std::min(1.0, Finite(cell, "share")) : 0);
  }
  function.shares.resize(events);
  return function;
}

/// Reads the rows of json[key]. `name_of` returns the function and module of a row.
template <class NameOf>
std::vector<Baseline::Function> RowsOf(const Json& json, const char* key, std::size_t events,
                                       NameOf name_of) {
  std::vector<Baseline::Function> rows;
  for (const Json& row : ArrayIn(json, key)) {
    if (!row.is_object()) continue;
    rows.push_back(FunctionOf(row, events));
    rows.back().function = name_of(row);
  }
  return rows;
}

/// The shares of a row's cells.
std::vector<double> SharesOf(const std::vector<Cell>& cells) {
  std::vector<double> shares;
  for (const Cell& cell : cells) shares.push_back(cell.share);
  return shares;
}

/// The name by which lines of two builds meet.
std::string LineName(const std::string& file, std::uint64_t line, const std::string& function) {
  return BaseName(file) + ":" + std::to_string(line) + " in " + WithoutCloneSuffix(function);
}

/// Whether amounts of the event are nanoseconds.
bool IsClock(const Json& event) { return TextIn(event, "kind") == WordFor(EventClass::kClock); }

/// Adds an executable's name to the run's programs, each once. The main process's name goes to the
/// front.
void AddProgram(const std::string& path, bool is_main, Baseline& baseline) {
  std::vector<std::string>& names = baseline.programs;
  const std::string name = BaseName(path);
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end() && !is_main) return;
  if (at != names.end()) names.erase(at);
  names.insert(is_main ? names.begin() : names.end(), name);
}

/// The name of a row of waits. Locks without a symbol are named by the function that first waited
/// for them: its line may differ between builds.
std::string WaitName(const std::string& function, const std::string& primitive,
                     const std::string& lock, const std::string& first_function) {
  std::string name = WithoutCloneSuffix(function) + ": " + primitive;
  if (!lock.empty()) return name + " " + lock;
  if (first_function.empty()) return name;
  return name + " first waited for in " + WithoutCloneSuffix(first_function);
}

/// Shares of the group become shares of all blocked time: groups differ between runs, for instance
/// in the names of threads.
Baseline::Waits WaitsOfReport(const WaitTables& tables) {
  Baseline::Waits waits;
  waits.effective_looks = tables.effective_looks;
  waits.blocked_ns = tables.blocked_seconds * 1e9;
  // Written so that NaN is refused, too.
  if (!(tables.blocked_seconds > 0)) return waits;
  for (const WaitGroup& group : tables.groups) {
    for (const WaitRow& row : group.rows) {
      const bool has_lock = row.lock < tables.locks.size();
      waits.rows.push_back(
          {WaitName(row.function, row.primitive, has_lock ? tables.locks[row.lock].name : "",
                    has_lock ? tables.locks[row.lock].first_function : ""),
           row.module,
           {row.cell.seconds / tables.blocked_seconds}});
    }
  }
  return waits;
}

/// The same from a JSON report.
Baseline::Waits ParseWaits(const Json& json) {
  Baseline::Waits waits;
  const auto it = json.find("waits");
  if (it == json.end() || !it->is_object()) return waits;
  const double seconds = Finite(*it, "blocked_seconds");
  if (seconds <= 0) return waits;
  waits.blocked_ns = seconds * 1e9;
  waits.effective_looks = Finite(*it, "effective_looks");
  const Json& locks = ArrayIn(json, "locks");
  for (const Json& group : ArrayIn(*it, "groups")) {
    if (!group.is_object()) continue;
    for (const Json& row : ArrayIn(group, "rows")) {
      if (!row.is_object()) continue;
      const auto index = row.find("lock");
      std::string lock;
      std::string first_function;
      if (index != row.end() && index->is_number_unsigned() &&
          index->get<std::size_t>() < locks.size()) {
        const Json& one = locks[index->get<std::size_t>()];
        lock = one.is_object() ? TextIn(one, "name") : "";
        first_function = one.is_object() ? TextIn(one, "first_function") : "";
      }
      waits.rows.push_back(
          {WaitName(TextIn(row, "function"), TextIn(row, "primitive"), lock, first_function),
           TextIn(row, "module"),
           {std::min(1.0, Finite(row, "seconds") / seconds)}});
    }
  }
  return waits;
}

/// Reads all tables of the report. The events must have been read, because their number is the
/// number of cells.
void ParseRows(const Json& json, Baseline& baseline) {
  const std::size_t events = baseline.events.size();
  const auto function = [](const Json& row) { return TextIn(row, "function"); };
  baseline.functions = RowsOf(json, "functions", events, function);
  baseline.lines = RowsOf(json, "lines", events, [](const Json& row) {
    return LineName(TextIn(row, "file"),
                    static_cast<std::uint64_t>(std::min(Finite(row, "line"), 1e9)),
                    TextIn(row, "function"));
  });
  baseline.modules = RowsOf(json, "modules", events, [](const Json&) { return std::string(); });
  for (const Json& row : ArrayIn(json, "modules")) {
    if (row.is_object())
      baseline.builds.push_back({TextIn(row, "module"), TextIn(row, "build_id")});
  }
  for (const Json& row : ArrayIn(json, "inlines")) {
    if (!row.is_object()) continue;
    Baseline::Function inlined{TextIn(row, "function"), TextIn(row, "module"), {}};
    for (const Json& cell : ArrayIn(row, "inlined")) {
      inlined.shares.push_back(cell.is_object() ? std::min(1.0, Finite(cell, "share")) : 0);
    }
    inlined.shares.resize(events);
    baseline.inlined.push_back(std::move(inlined));
  }
}

}  // namespace

Baseline BaselineOf(const Report& report) {
  Baseline baseline;
  baseline.command = report.command;
  baseline.cpu_seconds = report.user_seconds + report.system_seconds;
  baseline.start_time = report.start_time;
  baseline.verdict = WordFor(report.verdict.grade);
  for (const ProcessRow& process : report.profile.processes) {
    AddProgram(process.program, process.pid == report.pid, baseline);
  }
  for (std::size_t i = 0; i < report.profile.events.size(); ++i) {
    const EventTotals& event = report.profile.events[i];
    baseline.events.push_back({event.name, report.effective_samples[i],
                               static_cast<double>(event.weight),
                               event.kind == EventClass::kClock});
  }
  for (const FunctionRow& row : report.functions) {
    baseline.functions.push_back({row.function, row.module, SharesOf(row.events)});
  }
  for (const LineRow& row : report.lines) {
    baseline.lines.push_back(
        {LineName(row.file, row.line, row.function), row.module, SharesOf(row.events)});
  }
  for (const ModuleRow& row : report.modules) {
    baseline.modules.push_back({"", row.module, SharesOf(row.events)});
    baseline.builds.push_back({row.module, row.build_id});
  }
  for (const InlineRow& row : report.inlines) {
    baseline.inlined.push_back({row.function, row.module, SharesOf(row.inlined)});
  }
  if (report.waits) baseline.waits = WaitsOfReport(*report.waits);
  baseline.details = DetailsOf(report);
  return baseline;
}

Baseline WaitsOf(Baseline run) {
  run.events.clear();
  run.functions = std::move(run.waits.rows);
  if (run.waits.blocked_ns > 0) {
    // A clock: amounts are seconds. The number of samples is that of the looks.
    run.events.push_back({kBlockedTime, run.waits.effective_looks, run.waits.blocked_ns, true});
  }
  return run;
}

Result<Baseline> ParseBaseline(const std::string& text) {
  // Without exceptions, a text that is not JSON gives a value that is not an object.
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || TextIn(json, "format") != "csink-report") {
    return Error{Errc::kCorrupt, 0, "neither a spool nor a JSON report of csink"};
  }
  if (Finite(json, "version") != 1) {
    return Error{Errc::kUnsupported, 0,
                 "a JSON report of another format version than 1, the one that this csink reads"};
  }
  Baseline baseline;
  baseline.command = TextIn(json, "command");
  baseline.cpu_seconds = Finite(json, "user_seconds") + Finite(json, "system_seconds");
  baseline.start_time = Finite(json, "start_time");
  for (const Json& event : ArrayIn(json, "events")) {
    if (!event.is_object()) continue;
    baseline.events.push_back({TextIn(event, "name"), Finite(event, "effective_samples"),
                               Finite(event, "weight"), IsClock(event)});
  }
  for (const Json& row : ArrayIn(json, "processes")) {
    if (!row.is_object()) continue;
    AddProgram(TextIn(row, "program"), Finite(row, "pid") == Finite(json, "pid"), baseline);
  }
  // A report may have waits and no event: the program used no CPU time.
  baseline.waits = ParseWaits(json);
  if (baseline.events.empty() && baseline.waits.rows.empty()) {
    return Error{Errc::kCorrupt, 0, "a JSON report without events"};
  }
  ParseRows(json, baseline);
  baseline.details = ParseDetails(json);
  const auto verdict = json.find("verdict");
  if (verdict != json.end() && verdict->is_object()) baseline.verdict = TextIn(*verdict, "grade");
  return baseline;
}

namespace {

using Programs = std::set<std::string>;

/// The programs that ran in any of these runs, without unknown ones.
Programs ProgramsOf(const std::vector<Baseline>& runs) {
  Programs names;
  for (const Baseline& run : runs) names.insert(run.programs.begin(), run.programs.end());
  names.erase("");
  return names;
}

/// The main program of all these runs. Empty if it differs between them, or is unknown.
std::string MainOf(const std::vector<Baseline>& runs) {
  std::string main;
  for (const Baseline& run : runs) {
    const std::string own = run.programs.empty() ? "" : run.programs[0];
    if (own.empty() || (!main.empty() && own != main)) return "";
    main = own;
  }
  return main;
}

/// The names that only the first set has.
Programs Without(const Programs& names, const Programs& others) {
  Programs rest;
  std::set_difference(names.begin(), names.end(), others.begin(), others.end(),
                      std::inserter(rest, rest.end()));
  return rest;
}

}  // namespace

std::vector<ProgramMatch> MatchPrograms(const std::vector<Baseline>& now,
                                        const std::vector<Baseline>& then) {
  const Programs programs = ProgramsOf(now);
  const Programs were = ProgramsOf(then);
  Programs fresh = Without(programs, were);
  Programs gone = Without(were, programs);
  std::vector<ProgramMatch> matches;
  const std::string main = MainOf(now);
  const std::string was_main = MainOf(then);
  // The main programs are one program only if neither ran on the other side. A program that ran on
  // both sides kept its name.
  if (fresh.count(main) != 0 && gone.count(was_main) != 0) {
    matches.push_back({was_main, main});
    fresh.erase(main);
    gone.erase(was_main);
  }
  // Of several new names it is not known which one belongs to which old one.
  if (fresh.size() == 1 && gone.size() == 1) matches.push_back({*gone.begin(), *fresh.begin()});
  return matches;
}

}  // namespace csink::report
