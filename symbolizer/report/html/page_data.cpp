#include "symbolizer/report/html/page_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <unordered_map>

#include "symbolizer/report/formats/parts/facts.h"
#include "symbolizer/report/html/json_lists.h"
#include "symbolizer/report/html/sorted_texts.h"
#include "symbolizer/report/json/groups.h"
#include "symbolizer/report/tables/topdown.h"
#include "symbolizer/report/verdict/explained.h"
#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {

// std::to_chars writes the shortest text that gives the same number, with a point in every locale.
// JSON has neither infinity nor NaN.
void WriteNumber(Sink& sink, double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, std::isfinite(number) ? number : 0.0);
  sink << std::string_view(text, static_cast<std::size_t>(end.ptr - text));
}

namespace {

/// Slices of the time line in a page: half a screen's pixels or less, and 64 threads take 250 kB at
/// most.
constexpr std::size_t kPageSlices = 240;

/// Rows of a table of ranks in a page. The JSON report has all of them, one for each function.
constexpr std::size_t kRankRows = 200;

/// The ranks of an MPI job, with the number of rows that the page does not have.
Json RanksOfPage(const Report& report) {
  Json ranks = RanksJson(report);
  if (ranks.is_null()) return ranks;
  for (Json& event : ranks["events"]) {
    for (const char* table : {"functions", "outliers"}) {
      Json& rows = event[table];
      // The rows are sorted: of functions the largest means stay, of outliers those that stand out
      // most.
      const std::size_t left_out = rows.size() > kRankRows ? rows.size() - kRankRows : 0;
      if (left_out > 0) rows.erase(rows.begin() + kRankRows, rows.end());
      event[std::string(table) + "_left_out"] = left_out;
    }
  }
  return ranks;
}

/// Functions whose shares of slots are in a page.
constexpr std::size_t kSlotRows = 2000;

/// A JSON value of the report, escaped.
void WriteJson(Sink& sink, const Json& json) {
  sink << EscapedForScript(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// The members of the page's object, one function each.
class PageData {
 public:
  /// Collects all names and files first: columns refer to them by their place in sorted lists.
  PageData(const Report& report, const SampleRows& rows, Sink& sink)
      : report_(report), profile_(report.profile), rows_(rows), sink_(sink) {
    NameSums();
    for (std::size_t f = 0; f < rows_.functions.size(); ++f) names_.Add(NameOf(f));
    for (const NamedCells& function : report_.call_functions) names_.Add(function.function);
    names_.Add(kFoldedStacks);
    for (const PageLine& line : rows_.lines) {
      names_.Add(line.function);
      files_.Add(line.file);
    }
    names_.Finish();
    files_.Finish();
  }

  void Head();
  void Functions();
  void ShareOfSlots();
  void Lines();
  void Threads();
  void Times();
  void Phases();
  void TimeLineOfThreads();
  void Nodes();
  void Samples();
  void WhatWasFolded();

 private:
  /// Name of the node for the stacks of folded rows.
  static constexpr std::string_view kFoldedStacks = "[folded: colder stacks]";

  /// Makes the names of sums of cold functions.
  void NameSums() {
    sum_names_.resize(rows_.functions.size());
    for (std::size_t f = 0; f < rows_.functions.size(); ++f) {
      if (rows_.functions[f].row != kNone) continue;
      sum_names_[f] = "[folded: " + Grouped(rows_.functions[f].functions) + " colder functions]";
    }
  }
  std::string_view NameOf(std::size_t function) const {
    const std::uint32_t row = rows_.functions[function].row;
    return row == kNone ? std::string_view(sum_names_[function])
                        : std::string_view(report_.functions[row].function);
  }
  /// Begins an object member.
  void Member(std::string_view key) { sink_ << ",\"" << key << "\":{"; }

  const Report& report_;
  const Profile& profile_;
  const SampleRows& rows_;
  Sink& sink_;
  std::vector<std::string> sum_names_;  ///< By function; empty for functions of the report
  SortedTexts names_;
  SortedTexts files_;
};

// The first members of the object: the other functions write a comma in front of theirs. Columns
// refer to "names" and "files" by index, so that a name that many rows have stands here once.
void PageData::Head() {
  sink_ << "\"report\":";
  Json head = ReportHeadJson(report_);
  head["ranks"] = RanksOfPage(report_);
  WriteJson(sink_, head);
  sink_ << ',';
  // The page shows the lines of the text report, so that both say the same.
  WriteTexts(sink_, "verdict_lines", VerdictLines(report_), [](const std::string& s) { return s; });
  sink_ << ",\"missing\":";
  WriteList(sink_, profile_.events,
            [&](const EventTotals& event) { WriteNumber(sink_, MissingPart(event)); });
  sink_ << ',';
  WriteTexts(sink_, "names", names_.all(), [](std::string_view text) { return text; });
  sink_ << ',';
  WriteTexts(sink_, "files", files_.all(), [](std::string_view text) { return text; });
}

// Modules are written before the functions that refer to them. A table is a set of columns: the
// names of members would take more room than the numbers if each row were an object.
void PageData::Functions() {
  Member("modules");
  WriteTexts(sink_, "name", rows_.modules, [](const PageModule& module) { return module.name; });
  sink_ << ',';
  WriteTexts(sink_, "path", rows_.modules, [](const PageModule& module) { return module.path; });
  sink_ << ',';
  // By name and path, which identify a module of a report; NUL separates them.
  std::unordered_map<std::string, const ModuleRow*> known;
  for (const ModuleRow& row : report_.modules) {
    known.emplace(row.module + '\0' + row.module_path, &row);
  }
  WriteTexts(sink_, "build_id", rows_.modules, [&](const PageModule& module) -> std::string_view {
    const auto it = known.find(std::string(module.name) + '\0' + std::string(module.path));
    return it == known.end() ? std::string_view() : std::string_view(it->second->build_id);
  });
  sink_ << '}';

  Member("functions");
  const auto& functions = rows_.functions;
  // The callbacks of columns get the element and not its index, so that the index is counted.
  std::size_t next = 0;
  WriteNumbers(sink_, "name", functions,
               [&](const PageFunction&) { return names_.Of(NameOf(next++)); });
  sink_ << ',';
  WriteNumbers(sink_, "module", functions, [](const PageFunction& f) { return f.module; });
  sink_ << ',';
  WriteNumbers(sink_, "aliases", functions, [&](const PageFunction& f) {
    // A sum of cold functions has no symbol, and so no other names for it.
    return f.row == kNone ? 0u : report_.functions[f.row].aliases;
  });
  sink_ << ',';
  // One digit for each function: words would need more room than all other columns.
  WriteNumbers(sink_, "source", functions, [&](const PageFunction& f) {
    return static_cast<std::uint32_t>(f.row == kNone ? symbolizer::NameSource::kNone
                                                     : report_.functions[f.row].source);
  });
  sink_ << '}';
}

// The page computes ratios of two events itself, from the samples that its filters let through. A
// share of slots needs up to nine events and the formula of the processor, so the page has the
// report's values.
void PageData::ShareOfSlots() {
  Json rows = Json::array();
  // The functions are sorted by weight: those behind kSlotRows are cold.
  const std::size_t functions = HasTopdown(report_) ? rows_.functions.size() : 0;
  for (std::size_t f = 0; f < functions && rows.size() < kSlotRows; ++f) {
    if (rows_.functions[f].row == kNone) continue;
    const FunctionRow& row = report_.functions[rows_.functions[f].row];
    rows.push_back({{"function", f}, {"shares", RatiosJson(row.derived, row.derived_intervals)}});
  }
  sink_ << ",\"slots\":";
  WriteJson(sink_, rows);
}

// A line has the name of its function and no index into the functions: a function whose code was
// inlined may have no row of its own.
void PageData::Lines() {
  Member("lines");
  const auto& lines = rows_.lines;
  WriteNumbers(sink_, "file", lines, [&](const PageLine& l) { return files_.Of(l.file); });
  sink_ << ',';
  WriteNumbers(sink_, "line", lines, [](const PageLine& l) { return l.line; });
  sink_ << ',';
  WriteNumbers(sink_, "name", lines, [&](const PageLine& l) { return names_.Of(l.function); });
  sink_ << ',';
  WriteNumbers(sink_, "module", lines, [](const PageLine& l) { return l.module; });
  sink_ << '}';
}

void PageData::Threads() {
  const auto& threads = profile_.threads;
  // All threads of the profile are written, because samples refer to them by index. Only those with
  // samples have a row in the report.
  std::unordered_map<const ThreadRow*, std::string_view> routines;
  for (const ThreadSummary& thread : report_.threads) {
    routines.emplace(thread.row, thread.start_routine);
  }
  Member("threads");
  WriteNumbers(sink_, "process", threads,
               [](const ThreadRow& t) { return std::uint64_t{t.process}; });
  sink_ << ',';
  WriteNumbers(sink_, "tid", threads, [](const ThreadRow& t) { return std::uint64_t{t.tid}; });
  sink_ << ',';
  WriteNumbers(sink_, "merged", threads, [](const ThreadRow& t) { return t.is_merged ? 1u : 0u; });
  sink_ << ',';
  WriteNumbers(sink_, "threads", threads, [](const ThreadRow& t) { return t.threads; });
  sink_ << ',';
  WriteTexts(sink_, "name", threads, [](const ThreadRow& t) { return std::string_view(t.name); });
  sink_ << ',';
  WriteTexts(sink_, "start_routine", threads, [&](const ThreadRow& t) {
    // "": a thread without samples, whose start routine the report does not look for.
    const auto it = routines.find(&t);
    return it == routines.end() ? std::string_view() : it->second;
  });
  sink_ << ',';
  WriteNumbers(sink_, "cpu_ns", threads, [](const ThreadRow& t) { return t.cpu_ns; });
  sink_ << ',';
  WriteNumbers(sink_, "sampled_ns", threads, [](const ThreadRow& t) { return t.sampled_ns; });
  sink_ << ',';
  WriteNumbers(sink_, "lost_records", threads, [](const ThreadRow& t) { return t.lost_records; });
  // What the threads' own rows count: the samples of a merged file have no thread.
  const auto numbers = [&](const char* key, const auto& number_of) {
    sink_ << ",\"" << key << "\":";
    WriteList(sink_, threads, [&](const ThreadRow& t) {
      WriteList(sink_, t.counts, [&](const EventCount& count) { sink_ << number_of(count); });
    });
  };
  numbers("samples", [](const EventCount& count) { return count.samples; });
  numbers("weight", [](const EventCount& count) { return count.weight; });
  sink_ << '}';
}

// Machines have clocks of their own, which cannot be compared: each begins at 0.
void PageData::Times() {
  // Seconds since the first start of a process of the same machine.
  std::unordered_map<std::string, std::uint64_t> first;
  for (const ProcessRow& row : profile_.processes) {
    const auto [it, is_new] = first.emplace(row.host, row.BeginMonotonicNs());
    if (!is_new) it->second = std::min(it->second, row.BeginMonotonicNs());
  }
  // 0 for a time before the first start: clocks of a damaged file.
  const auto since = [&](const ProcessRow& row, std::uint64_t ns) {
    const std::uint64_t begin = first[row.host];
    WriteNumber(sink_, ns > begin ? Seconds(ns - begin) : 0);
  };
  Member("times");
  sink_ << "\"begin\":";
  WriteList(sink_, profile_.processes,
            [&](const ProcessRow& row) { since(row, row.BeginMonotonicNs()); });
  sink_ << ",\"end\":";
  WriteList(sink_, profile_.processes,
            [&](const ProcessRow& row) { since(row, row.update_monotonic_ns); });
  sink_ << '}';
}

// The rows of samples refer to phases by index, so that all phases of the profile are written.
void PageData::Phases() {
  Member("phases");
  const auto& phases = profile_.phases;
  WriteTexts(sink_, "name", phases, [](const Phase& p) { return std::string_view(p.name); });
  sink_ << ',';
  WriteNumbers(sink_, "marks", phases, [](const Phase& p) { return p.marks; });
  sink_ << ',';
  WriteNumbers(sink_, "cpu_ns", phases, [](const Phase& p) { return p.cpu_ns; });
  sink_ << '}';
}

// kData: slices of the spools are joined and not divided.
void PageData::TimeLineOfThreads() {
  const TimeLine line = MakeTimeLine(report_, kPageSlices, SliceFit::kData);
  Json json = TimeLineJson(report_, line);
  // The page's own numbers instead of names: rows of its tables.
  std::unordered_map<std::uint32_t, std::size_t> row_of;
  for (std::size_t f = 0; f < rows_.functions.size(); ++f) {
    const std::uint32_t row = rows_.functions[f].row;
    if (row != kNone) row_of.emplace(report_.functions[row].id, f);
  }
  for (std::size_t i = 0; i < line.threads.size(); ++i) {
    // The page joins the time line with its tables by these numbers.
    json["threads"][i]["thread"] = line.threads[i].thread_index;
  }
  for (std::size_t i = 0; i < line.functions.size(); ++i) {
    const auto it = row_of.find(line.functions[i].function_id);
    // -1: the function is in a sum of cold functions.
    json["functions"][i]["row"] = it == row_of.end() ? Json(-1) : Json(it->second);
  }
  sink_ << ",\"timeline\":";
  WriteJson(sink_, json);
}

// Parents stand before their children (SampleRows::nodes), so that the page sums up the tree in one
// pass from the end.
void PageData::Nodes() {
  Member("frames");
  const auto& frames = report_.call_functions;
  WriteNumbers(sink_, "name", frames,
               [&](const NamedCells& frame) { return names_.Of(frame.function); });
  sink_ << ',';
  WriteTexts(sink_, "module", frames,
             [](const NamedCells& frame) { return std::string_view(frame.module); });
  // The name of the node for folded stacks stands behind the names of all frames.
  sink_ << ",\"folded\":" << std::uint64_t{names_.Of(kFoldedStacks)} << '}';
  Member("nodes");
  WriteNumbers(sink_, "parent", rows_.nodes, [](const PageNode& node) { return node.parent; });
  sink_ << ',';
  // The node of folded stacks has the index behind the last frame.
  WriteNumbers(sink_, "frame", rows_.nodes, [&](const PageNode& node) {
    return node.is_folded ? static_cast<std::uint32_t>(frames.size()) : node.frame;
  });
  sink_ << '}';
}

void PageData::Samples() {
  Member("samples");
  const auto& rows = rows_.rows;
  WriteNumbers(sink_, "function", rows, [](const SampleRow& row) { return row.function; });
  sink_ << ',';
  WriteNumbers(sink_, "line", rows, [](const SampleRow& row) { return row.line; });
  sink_ << ',';
  WriteNumbers(sink_, "node", rows, [](const SampleRow& row) { return row.node; });
  sink_ << ',';
  WriteNumbers(sink_, "thread", rows, [](const SampleRow& row) { return row.thread; });
  sink_ << ',';
  WriteNumbers(sink_, "phase", rows, [](const SampleRow& row) { return row.phase; });
  sink_ << ",\"events\":[";
  const std::size_t events = profile_.events.size();
  for (std::size_t e = 0; e < events; ++e) {
    // The counts of a row stand together (SampleRows::counts); the page has a column for each
    // event.
    const auto count = [&](std::size_t row) { return rows_.counts[row * events + e]; };
    std::size_t next = 0;
    sink_ << (e == 0 ? "{" : ",{");
    WriteNumbers(sink_, "samples", rows, [&](const SampleRow&) { return count(next++).samples; });
    // With a fixed period the weights follow from the samples.
    const std::uint64_t unit = profile_.events[e].period;
    bool follows = unit > 0;
    for (std::size_t r = 0; follows && r < rows.size(); ++r) {
      // Without an overflow of the product, which a damaged file could cause.
      follows = count(r).samples <= ~std::uint64_t{0} / unit &&
                count(r).weight == count(r).samples * unit;
    }
    if (follows) {
      sink_ << ",\"unit\":" << unit;
    } else {
      next = 0;
      sink_ << ',';
      WriteNumbers(sink_, "weight", rows, [&](const SampleRow&) { return count(next++).weight; });
    }
    sink_ << '}';
  }
  sink_ << "]}";
}

// The Summary of the page says what was folded and how large its share is.
void PageData::WhatWasFolded() {
  const Folded& folded = rows_.folded;
  Member("folded");
  sink_ << "\"rows\":" << std::uint64_t{folded.rows}
        << ",\"stacks\":" << (folded.stacks ? "true" : "false")
        << ",\"functions\":" << std::uint64_t{folded.functions}
        << ",\"threads\":" << (folded.threads ? "true" : "false") << ",\"share\":";
  WriteList(sink_, folded.share, [&](double share) { WriteNumber(sink_, share); });
  sink_ << '}';
}

}  // namespace

void WriteProfile(const Report& report, const SampleRows& rows,
                  const std::vector<annotate::Annotation>& annotations, Sink& sink) {
  PageData data(report, rows, sink);
  sink << '{';
  data.Head();
  data.Functions();
  data.ShareOfSlots();
  data.Lines();
  data.Threads();
  data.Times();
  data.Phases();
  data.TimeLineOfThreads();
  data.Nodes();
  data.Samples();
  data.WhatWasFolded();
  sink << ",\"sources\":";
  WriteSources(annotations, sink);
  sink << '}';
}

void WritePageData(const Report& report, const SampleRows& rows,
                   const std::vector<annotate::Annotation>& annotations, Sink& sink) {
  // Also a page of one profile has a list of profiles: the page reads one schema.
  sink << kPageDataBegin;
  WriteProfile(report, rows, annotations, sink);
  sink << "]}";
}

}  // namespace csink::report
