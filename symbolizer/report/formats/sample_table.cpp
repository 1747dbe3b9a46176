#include "symbolizer/report/formats/sample_table.h"

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "core/util/fnv1a.h"
#include "core/util/hex.h"
#include "symbolizer/report/formats/parts/sample_owner.h"
#include "symbolizer/report/tables/cells.h"
#include "symbolizer/report/verdict/explained.h"
#include "symbolizer/report/verdict/words.h"

namespace csink::report {
namespace {

/// The id of a run: 16 hexadecimal digits made of its processes. The same spools give the same id,
/// so that a database can tell a profile that was imported twice.
std::string ProfileId(const Profile& profile) {
  std::uint64_t hash = kFnv1aBegin;
  for (const ProcessRow& row : profile.processes) {
    // The zero byte ends the name of the host; a name has none.
    hash = Fnv1aAdd(Fnv1a(row.host.c_str(), hash), '\0');
    const std::string numbers = std::to_string(row.pid) + ' ' + std::to_string(row.generation) +
                                ' ' + std::to_string(row.start_realtime_ns) + '\n';
    hash = Fnv1a(numbers, hash);
  }
  std::vector<std::uint8_t> bytes;
  for (int shift = 56; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<std::uint8_t>(hash >> shift));
  }
  return ToHex(bytes);
}

/// "2026-03-01T09:30:00.123456Z"; empty for 0.
std::string TimeText(std::uint64_t realtime_ns) {
  constexpr std::uint64_t kNsPerUs = 1000;
  constexpr std::uint64_t kUsPerSecond = 1'000'000;
  const std::uint64_t us = realtime_ns / kNsPerUs;
  const auto seconds = static_cast<time_t>(us / kUsPerSecond);
  struct tm parts;
  char text[32];
  if (realtime_ns == 0 || !gmtime_r(&seconds, &parts) ||
      strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S.", &parts) == 0) {
    return {};
  }
  // Six digits: the leading 1 keeps zeros, and is left out.
  return text + std::to_string(kUsPerSecond + us % kUsPerSecond).substr(1) + 'Z';
}

/// The name that all processes have in a member, or an empty text.
std::string Common(const Profile& profile, std::string ProcessRow::*member) {
  std::string common;
  for (const ProcessRow& row : profile.processes) {
    if (!common.empty() && row.*member != common) return {};
    common = row.*member;
  }
  return common;
}

/// What the rows call a function. Two functions of one name in one file, such as copies of a static
/// function, are one function here, because their rows could not be told apart.
class FunctionGroups {
 public:
  explicit FunctionGroups(const Report& report) : report_(report) {
    const std::vector<FunctionRow>& rows = report.functions;
    build_id_of_.resize(rows.size(), kNoModule);
    for (std::size_t i = 0; i < report.profile.places.size(); ++i) {
      // The first place of a function names its module; only code of a JIT is in several.
      std::uint32_t& module = build_id_of_[report.addresses.function_of_place[i]];
      if (module == kNoModule) module = report.profile.places[i].address.module;
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < rows.size(); ++i) order.push_back(i);
    const auto key = [&](std::uint32_t i) {
      return std::tie(rows[i].function, rows[i].module_path, rows[i].module, BuildId(i));
    };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto of_a = key(a);
      const auto of_b = key(b);
      return of_a != of_b ? of_a < of_b : a < b;
    });
    group_of_.resize(rows.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool is_same = i != 0 && key(order[i]) == key(order[i - 1]);
      group_of_[rows[order[i]].id] = is_same ? group_of_[rows[order[i - 1]].id] : order[i];
    }
  }

  /// The function of a place: an index into Report::functions.
  std::uint32_t OfPlace(std::uint32_t place) const {
    return group_of_[report_.addresses.function_of_place[place]];
  }
  /// The build-id of the function's file; empty: none. `row` as OfPlace returns it.
  const std::vector<std::uint8_t>& BuildId(std::uint32_t row) const {
    static const std::vector<std::uint8_t> kNone;
    const std::uint32_t module = build_id_of_[report_.functions[row].id];
    return module == kNoModule ? kNone : report_.profile.modules[module].build_id;
  }

 private:
  const Report& report_;
  std::vector<std::uint32_t> build_id_of_;  ///< Index into Profile::modules by FunctionRow::id
  std::vector<std::uint32_t> group_of_;     ///< Index into Report::functions by FunctionRow::id
};

/// Writes the rows, from the outermost group of columns to the innermost one.
class SampleTable {
 public:
  SampleTable(const Report& report, const FormatOptions& options, RowForm form, Sink& sink)
      : report_(report),
        profile_(report.profile),
        label_(options.label),
        events_(ChosenEvents(report, options)),
        groups_(report),
        sink_(sink),
        row_(form, kSampleColumns) {}

  void Write() {
    row_.WriteHead(sink_);
    Run();
    // Fields up to a position are written once and stay for all rows that share them.
    const TableRow::Position run = row_.Here();
    for (SampleOwner& owner : SampleOwners(report_)) {
      row_.BackTo(run);
      Owner(owner);
      Places(owner.places);
    }
  }

 private:
  /// The columns of the run, which each row repeats (docs/design/report.md).
  void Run() {
    row_.Text(ProfileId(profile_)).Text(label_).Text(report_.command);
    row_.Number(report_.wall_seconds).Number(report_.user_seconds + report_.system_seconds);
    row_.Text(WordFor(report_.verdict.grade)).Text(profile_.only_phase);
  }
  /// The columns of the process and of the thread.
  void Owner(const SampleOwner& owner) {
    if (owner.thread != kNoThread) {
      Process(profile_.processes[owner.process]);
      const ThreadRow& thread = profile_.threads[owner.thread];
      if (thread.is_merged) {
        row_.Unknown();
      } else {
        row_.Count(thread.tid);
      }
      row_.Text(thread.name).Count(thread.is_merged ? 1 : 0);
      return;
    }
    // The samples were not divided by thread. With one process its columns are known.
    if (profile_.processes.size() == 1) {
      Process(profile_.processes[0]);
    } else {
      // The columns of one process are unknown; what all processes have in common is known.
      std::uint64_t processes = 0;
      for (const ProcessRow& row : profile_.processes) processes += row.processes;
      row_.Text(Common(profile_, &ProcessRow::host)).Unknown().Unknown().Count(processes);
      row_.Unknown().Text(Common(profile_, &ProcessRow::program)).Unknown();
    }
    row_.Unknown().Unknown().Count(1);
  }
  /// The columns of a process.
  void Process(const ProcessRow& process) {
    row_.Text(process.host).Count(process.pid).Count(process.generation).Count(process.processes);
    if (process.rank < 0) {
      row_.Unknown();
    } else {
      row_.Count(static_cast<std::uint64_t>(process.rank));
    }
    row_.Text(process.program).Text(TimeText(process.start_realtime_ns));
  }

  /// What the resolver found for the address of a place.
  const symbolizer::Location& LocationOf(std::uint32_t place) const {
    return report_.addresses.locations[report_.addresses.of_place[place]];
  }
  /// What rows of one thread are told apart by. A line without a file is no line, as in the tables
  /// of the report.
  auto KeyOf(std::uint32_t place) const {
    static const std::string kNoFile;
    const symbolizer::Location& location = LocationOf(place);
    const bool has_line = location.line != 0 && !location.file.empty();
    return std::tuple<std::uint32_t, const std::string&, std::uint32_t>(
        groups_.OfPlace(place), has_line ? location.file : kNoFile, has_line ? location.line : 0);
  }
  /// Writes the rows of one thread. `places` are sorted.
  void Places(std::vector<std::uint32_t>& places) {
    std::sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto of_a = KeyOf(a);
      const auto of_b = KeyOf(b);
      return of_a != of_b ? of_a < of_b : a < b;
    });
    const TableRow::Position owner = row_.Here();
    TableRow::Position function;
    for (std::size_t i = 0; i < places.size();) {
      const auto key = KeyOf(places[i]);
      const auto& [group, file, line] = key;
      if (i == 0 || group != std::get<0>(KeyOf(places[i - 1]))) {
        row_.BackTo(owner);
        Function(group);
        function = row_.Here();
      }
      std::vector<Cell> cells(profile_.events.size());
      for (; i < places.size() && KeyOf(places[i]) == key; ++i) {
        AddCounts(cells, profile_.places[places[i]].counts);
      }
      FinishCells(report_, cells);
      row_.BackTo(function);
      row_.Text(file);
      if (line == 0) {
        row_.Unknown();
      } else {
        row_.Count(line);
      }
      Events(cells);
    }
  }
  /// The columns of a function and its file.
  void Function(std::uint32_t group) {
    const FunctionRow& row = report_.functions[group];
    row_.Text(row.function).Text(row.module).Text(row.module_path);
    row_.Text(ToHex(groups_.BuildId(group))).Text(WordFor(row.source));
  }
  /// Writes a row for each event that has samples here.
  void Events(const std::vector<Cell>& cells) {
    const TableRow::Position line = row_.Here();
    for (const std::size_t event : events_) {
      const Cell& cell = cells[event];
      // Rows without samples would multiply the table by the number of events.
      if (cell.samples == 0) continue;
      const EventTotals& totals = profile_.events[event];
      const double missing = std::min(1.0, MissingPart(totals));
      // The interval of the share is that of all occurrences, counted or not.
      const double all = static_cast<double>(totals.weight) / (1 - missing);
      // The fields before the event stay from the row before.
      row_.BackTo(line);
      row_.Text(totals.name).Text(totals.kind == EventClass::kClock ? "ns" : "events");
      row_.Count(cell.samples).Count(cell.weight).Number(all * cell.low).Number(all * cell.high);
      row_.Number(cell.share).Number(cell.low).Number(cell.high);
      row_.Count(totals.samples).Count(totals.weight);
      row_.Number(report_.effective_samples[event]).Number(missing);
      row_.Write(sink_);
    }
  }

  const Report& report_;
  const Profile& profile_;
  const std::string label_;
  const std::vector<std::size_t> events_;
  const FunctionGroups groups_;
  Sink& sink_;
  TableRow row_;
};

}  // namespace

void WriteSampleTable(const Report& report, const FormatOptions& options, RowForm form,
                      Sink& sink) {
  SampleTable(report, options, form, sink).Write();
}

}  // namespace csink::report
