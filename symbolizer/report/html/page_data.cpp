#include "symbolizer/report/html/page_data.h"

#include <algorithm>
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
void WriteJson(PageJson& to, const Json& json) {
  to.Raw(EscapedForScript(json.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

/// The members of the page's object, one function each.
class PageData {
 public:
  /// Collects all names and files first: columns refer to them by their place in sorted lists.
  PageData(const Report& report, const SampleRows& rows, PageJson& json)
      : report_(report), profile_(report.profile), rows_(rows), json_(json) {
    NameSums();
    for (std::size_t f = 0; f < rows_.functions.size(); ++f) names_.Add(NameOf(f));
    for (const NamedCells& function : report_.call_functions) names_.Add(function.function);
    for (const PageInlined& inlined : rows_.inlined) names_.Add(inlined.function);
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

  const Report& report_;
  const Profile& profile_;
  const SampleRows& rows_;
  PageJson& json_;
  std::vector<std::string> sum_names_;  ///< By function; empty for functions of the report
  SortedTexts names_;
  SortedTexts files_;
};

// Columns refer to "names" and "files" by index, so that a name that many rows have stands here
// once.
void PageData::Head() {
  Json head = ReportHeadJson(report_);
  head["ranks"] = RanksOfPage(report_);
  // The page does not show them.
  if (!head["critical"].is_null()) head["critical"].erase("functions");
  WriteJson(json_.Key("report"), head);
  // The page shows the lines of the text report, so that both say the same.
  WriteTexts(json_, "verdict_lines", VerdictLines(report_), [](const std::string& s) { return s; });
  json_.Key("missing").List(profile_.events,
                            [&](const EventTotals& event) { json_.Value(MissingPart(event)); });
  WriteTexts(json_, "names", names_.all(), [](std::string_view text) { return text; });
  WriteTexts(json_, "files", files_.all(), [](std::string_view text) { return text; });
}

// Modules are written before the functions that refer to them. A table is a set of columns: the
// names of members would take more room than the numbers if each row were an object.
void PageData::Functions() {
  json_.Key("modules").BeginObject();
  WriteTexts(json_, "name", rows_.modules, [](const PageModule& module) { return module.name; });
  WriteTexts(json_, "path", rows_.modules, [](const PageModule& module) { return module.path; });
  // By name and path, which identify a module of a report; NUL separates them.
  std::unordered_map<std::string, const ModuleRow*> known;
  for (const ModuleRow& row : report_.modules) {
    known.emplace(row.module + '\0' + row.module_path, &row);
  }
  WriteTexts(json_, "build_id", rows_.modules, [&](const PageModule& module) -> std::string_view {
    const auto it = known.find(std::string(module.name) + '\0' + std::string(module.path));
    return it == known.end() ? std::string_view() : std::string_view(it->second->build_id);
  });
  json_.EndObject();

  json_.Key("functions").BeginObject();
  const auto& functions = rows_.functions;
  // The callbacks of columns get the element and not its index, so that the index is counted.
  std::size_t next = 0;
  WriteNumbers(json_, "name", functions,
               [&](const PageFunction&) { return names_.Of(NameOf(next++)); });
  WriteNumbers(json_, "module", functions, [](const PageFunction& f) { return f.module; });
  WriteNumbers(json_, "aliases", functions, [&](const PageFunction& f) {
    // A sum of cold functions has no symbol, and so no other names for it.
    return f.row == kNone ? 0u : report_.functions[f.row].aliases;
  });
  // One digit for each function: words would need more room than all other columns.
  WriteNumbers(json_, "source", functions, [&](const PageFunction& f) {
    return static_cast<std::uint32_t>(f.row == kNone ? symbolizer::NameSource::kNone
                                                     : report_.functions[f.row].source);
  });
  json_.EndObject();
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
  WriteJson(json_.Key("slots"), rows);
}

// A line has the name of its function and no index into the functions: a function whose code was
// inlined may have no row of its own.
void PageData::Lines() {
  json_.Key("lines").BeginObject();
  const auto& lines = rows_.lines;
  WriteNumbers(json_, "file", lines, [&](const PageLine& l) { return files_.Of(l.file); });
  WriteNumbers(json_, "line", lines, [](const PageLine& l) { return l.line; });
  WriteNumbers(json_, "name", lines, [&](const PageLine& l) { return names_.Of(l.function); });
  WriteNumbers(json_, "module", lines, [](const PageLine& l) { return l.module; });
  json_.EndObject();
}

void PageData::Threads() {
  const auto& threads = profile_.threads;
  // All threads of the profile are written, because samples refer to them by index. Only those with
  // samples have a row in the report.
  std::unordered_map<const ThreadRow*, std::string_view> routines;
  for (const ThreadSummary& thread : report_.threads) {
    routines.emplace(thread.row, thread.start_routine);
  }
  json_.Key("threads").BeginObject();
  WriteNumbers(json_, "process", threads,
               [](const ThreadRow& t) { return std::uint64_t{t.process}; });
  WriteNumbers(json_, "tid", threads, [](const ThreadRow& t) { return std::uint64_t{t.tid}; });
  WriteNumbers(json_, "merged", threads, [](const ThreadRow& t) { return t.is_merged ? 1u : 0u; });
  WriteNumbers(json_, "threads", threads, [](const ThreadRow& t) { return t.threads; });
  WriteTexts(json_, "name", threads, [](const ThreadRow& t) { return std::string_view(t.name); });
  WriteTexts(json_, "start_routine", threads, [&](const ThreadRow& t) {
    // "": a thread without samples, whose start routine the report does not look for.
    const auto it = routines.find(&t);
    return it == routines.end() ? std::string_view() : it->second;
  });
  WriteNumbers(json_, "cpu_ns", threads, [](const ThreadRow& t) { return t.cpu_ns; });
  WriteNumbers(json_, "sampled_ns", threads, [](const ThreadRow& t) { return t.sampled_ns; });
  WriteNumbers(json_, "lost_records", threads, [](const ThreadRow& t) { return t.lost_records; });
  // What the threads' own rows count: the samples of a merged file have no thread.
  const auto numbers = [&](const char* key, const auto& number_of) {
    json_.Key(key).List(threads, [&](const ThreadRow& t) {
      json_.List(t.counts, [&](const EventCount& count) { json_.Value(number_of(count)); });
    });
  };
  numbers("samples", [](const EventCount& count) { return count.samples; });
  numbers("weight", [](const EventCount& count) { return count.weight; });
  json_.EndObject();
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
    json_.Value(ns > begin ? Seconds(ns - begin) : 0.0);
  };
  json_.Key("times").BeginObject();
  json_.Key("begin").List(profile_.processes,
                          [&](const ProcessRow& row) { since(row, row.BeginMonotonicNs()); });
  json_.Key("end").List(profile_.processes,
                        [&](const ProcessRow& row) { since(row, row.update_monotonic_ns); });
  json_.EndObject();
}

// The rows of samples refer to phases by index, so that all phases of the profile are written.
void PageData::Phases() {
  json_.Key("phases").BeginObject();
  const auto& phases = profile_.phases;
  WriteTexts(json_, "name", phases, [](const Phase& p) { return std::string_view(p.name); });
  WriteNumbers(json_, "marks", phases, [](const Phase& p) { return p.marks; });
  WriteNumbers(json_, "cpu_ns", phases, [](const Phase& p) { return p.cpu_ns; });
  json_.EndObject();
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
  WriteJson(json_.Key("timeline"), json);
}

// Parents stand before their children (SampleRows::nodes), so that the page sums up the tree in one
// pass from the end.
void PageData::Nodes() {
  // Functions that were inlined stand behind the others.
  std::vector<PageInlined> frames;
  for (const NamedCells& frame : report_.call_functions) {
    frames.push_back({frame.function, frame.module});
  }
  const auto inlined = static_cast<std::uint32_t>(frames.size());
  frames.insert(frames.end(), rows_.inlined.begin(), rows_.inlined.end());
  json_.Key("frames").BeginObject();
  WriteNumbers(json_, "name", frames,
               [&](const PageInlined& frame) { return names_.Of(frame.function); });
  WriteTexts(json_, "module", frames, [](const PageInlined& frame) { return frame.module; });
  json_.Member("inlined", inlined);
  // The name of the node for folded stacks stands behind the names of all frames.
  json_.Member("folded", names_.Of(kFoldedStacks));
  json_.EndObject();
  json_.Key("nodes").BeginObject();
  WriteNumbers(json_, "parent", rows_.nodes, [](const PageNode& node) { return node.parent; });
  // The node of folded stacks has the index behind the last frame.
  WriteNumbers(json_, "frame", rows_.nodes, [&](const PageNode& node) {
    if (node.is_folded) return static_cast<std::uint32_t>(frames.size());
    return node.inlined == kNone ? node.frame : inlined + node.inlined;
  });
  json_.EndObject();
}

void PageData::Samples() {
  json_.Key("samples").BeginObject();
  const auto& rows = rows_.rows;
  WriteNumbers(json_, "function", rows, [](const SampleRow& row) { return row.function; });
  WriteNumbers(json_, "line", rows, [](const SampleRow& row) { return row.line; });
  WriteNumbers(json_, "node", rows, [](const SampleRow& row) { return row.node; });
  WriteNumbers(json_, "thread", rows, [](const SampleRow& row) { return row.thread; });
  WriteNumbers(json_, "phase", rows, [](const SampleRow& row) { return row.phase; });
  json_.Key("events").BeginArray();
  const std::size_t events = profile_.events.size();
  for (std::size_t e = 0; e < events; ++e) {
    // The counts of a row stand together (SampleRows::counts); the page has a column for each
    // event.
    const auto count = [&](std::size_t row) { return rows_.counts[row * events + e]; };
    std::size_t next = 0;
    json_.BeginObject();
    WriteNumbers(json_, "samples", rows, [&](const SampleRow&) { return count(next++).samples; });
    // With a fixed period the weights follow from the samples.
    const std::uint64_t unit = profile_.events[e].period;
    bool follows = unit > 0;
    for (std::size_t r = 0; follows && r < rows.size(); ++r) {
      // Without an overflow of the product, which a damaged file could cause.
      follows = count(r).samples <= ~std::uint64_t{0} / unit &&
                count(r).weight == count(r).samples * unit;
    }
    if (follows) {
      json_.Member("unit", unit);
    } else {
      next = 0;
      WriteNumbers(json_, "weight", rows, [&](const SampleRow&) { return count(next++).weight; });
    }
    json_.EndObject();
  }
  json_.EndArray();
  json_.EndObject();
}

// The Summary of the page says what was folded and how large its share is.
void PageData::WhatWasFolded() {
  const Folded& folded = rows_.folded;
  json_.Key("folded").BeginObject();
  json_.Member("rows", folded.rows);
  json_.Member("stacks", folded.stacks);
  json_.Member("functions", folded.functions);
  json_.Member("threads", folded.threads);
  json_.Key("share").List(folded.share);
  json_.EndObject();
}

}  // namespace

void BeginPageData(PageJson& json) {
  json.BeginObject();
  json.Member("format", "csink-page");
  json.Member("version", 1);
  json.Key("profiles").BeginArray();
}

void WriteProfile(const Report& report, const SampleRows& rows,
                  const std::vector<annotate::Annotation>& annotations, PageJson& json) {
  PageData data(report, rows, json);
  json.BeginObject();
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
  WriteSources(annotations, json);
  json.EndObject();
}

void WritePageData(const Report& report, const SampleRows& rows,
                   const std::vector<annotate::Annotation>& annotations, Sink& sink) {
  // Also a page of one profile has a list of profiles: the page reads one schema.
  PageJson json(sink);
  BeginPageData(json);
  WriteProfile(report, rows, annotations, json);
  json.EndArray();
  json.EndObject();
}

}  // namespace csink::report
