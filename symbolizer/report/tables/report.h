#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profil/model/profile.h"
#include "profil/statistics/statistics.h"
#include "symbolizer/report/tables/comparison.h"
#include "symbolizer/report/tables/energy.h"
#include "symbolizer/report/verdict/verdict.h"
#include "symbolizer/resolve/resolver.h"

/// File: a report, ready to be written down. BuildReport does the arithmetic and
/// the naming once; the writers (text.h, json.h) only format what stands here.

namespace csink::report {

using Resolver = std::function<symbolizer::ModuleAnswer(const symbolizer::ModuleRequest& request)>;

/// One event in one row.
struct Cell : EventCount {
  double share = 0;  ///< Of the column's weight, 0..1
  double low = 0;    ///< 95 % interval of the share
  double high = 1;
};

/// A ratio of two columns, of one row: "IPC". nullopt where the divisor is 0.
using Ratio = std::optional<double>;

/// A derived column: numerator / denominator x scale, by column index. derived.h makes them.
struct DerivedColumn {
  std::string key;    ///< In JSON: "ipc"
  std::string title;  ///< In text: "IPC"
  std::size_t numerator = 0;
  std::size_t denominator = 0;
  double scale = 1;
  bool is_share = false;  ///< Part of a whole: text shows percent
};

/// A function within something: a caller of another, the hottest of a thread or of a mark.
struct NamedCells {
  std::string function;
  std::string module;
  std::vector<Cell> events;
};

struct FunctionRow {
  std::uint32_t id = 0;  ///< Of AddFunctions' answer
  std::string function;
  std::string module;       ///< Base name, "[vdso]", "[jit]", "[anonymous]" or "[unknown]"
  std::string module_path;  ///< As mapped
  symbolizer::NameSource source = symbolizer::NameSource::kNone;
  std::uint32_t aliases = 0;  ///< Other names of the same code: aliases, folded functions
  std::string file;           ///< Of the hottest line; empty: not known
  std::uint32_t line = 0;     ///< 0: not known
  std::vector<Cell> events;
  std::vector<Ratio> derived;
  std::vector<Interval> derived_intervals;  ///< 95 % of derived; `high` may be infinite
  std::vector<NamedCells> callers;          ///< Who called it, hottest first; empty without stacks
};

struct LineRow {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  std::string module;
  std::vector<Cell> events;
};

/// Samples in one file, or in JIT code.
struct ModuleRow {
  std::string module;
  std::string module_path;
  std::string build_id;  ///< Hexadecimal; empty: none
  std::size_t functions = 0;
  std::string function;  ///< The hottest
  std::vector<Cell> events;
};

/// A function by its own code, wherever that was inlined.
struct InlineRow {
  std::string function;
  std::string module;
  std::string file;           ///< Of the hottest line; empty: not known
  std::uint32_t line = 0;     ///< 0: not known
  std::string inlined_in;     ///< The function whose code holds most of its inlined samples
  std::vector<Cell> events;   ///< All of it
  std::vector<Cell> inlined;  ///< Of it in inlined copies
};

struct ProcessSummary {
  const ProcessRow* row = nullptr;
  std::vector<Cell> events;
};

struct ThreadSummary {
  const ThreadRow* row = nullptr;
  std::uint32_t pid = 0;
  std::string start_routine;  ///< Named; empty: main, or unknown
  std::vector<Cell> events;
  std::vector<NamedCells> functions;  ///< The hottest ones; MergeOptions::keep_threads
};

/// Threads of one name.
struct ThreadGroup {
  std::string name;
  std::vector<std::size_t> threads;  ///< Indices into Report::threads, hottest first
  std::uint64_t cpu_ns = 0;
  std::vector<Cell> events;
  std::vector<NamedCells> functions;  ///< As of ThreadSummary
};

/// One function on a path of calls. Direct recursion is one node.
struct CallNode {
  std::uint32_t parent = 0;    ///< Index below the own; 0: called by nobody that is known
  std::uint32_t function = 0;  ///< Index into Report::call_functions
  std::vector<Cell> self;      ///< Samples in it
  std::vector<Cell> total;     ///< ... and in what it called
};

/// What every sampled address is called: for writers that tell addresses, lines or inlined
/// functions apart (BuildOptions::keep_addresses).
struct Addresses {
  std::vector<symbolizer::Location> locations;  ///< Each once; entry 0: nothing known
  std::vector<std::uint32_t> of_place;   ///< Index into locations, by index into Profile::places
  std::vector<std::uint32_t> of_caller;  ///< ... of the call, by index into Profile::callers
};

struct PhaseSummary {
  const Phase* row = nullptr;
  std::vector<Cell> events;
  std::vector<NamedCells> functions;  ///< The hottest ones
};

struct Report {
  Profile profile;
  std::string command;
  std::uint32_t pid = 0;
  std::string host;
  ProcessState state = ProcessState::kComplete;  ///< Of the tree: live before killed.
  std::string end;                               ///< "exit 0", "signal 15 (SIGTERM)", ...
  double wall_seconds = 0;
  double user_seconds = 0;
  double system_seconds = 0;
  bool system_sampled = false;
  std::string source;  ///< "ring", "timer", both joined, or "unknown"
  std::string source_reason;
  std::vector<double> effective_samples;  ///< One per event
  std::vector<DerivedColumn> derived;
  std::vector<FunctionRow> functions;  ///< All of them, hottest first
  std::vector<LineRow> lines;          ///< Likewise; only where a line is known
  std::vector<ModuleRow> modules;      ///< Likewise
  std::vector<InlineRow> inlines;      ///< Likewise; empty unless BuildOptions::inlines
  std::vector<ProcessSummary> processes;
  std::vector<ThreadSummary> threads;      ///< With samples, hottest first
  std::vector<ThreadGroup> thread_groups;  ///< Likewise, by name
  std::vector<NamedCells> call_functions;  ///< Names of call_tree's nodes; no cells
  std::vector<CallNode> call_tree;         ///< Entry 0 stands for all calls; empty without stacks
  std::vector<PhaseSummary> phases;        ///< In the order of their first mark
  std::optional<Comparison> baseline;      ///< See baseline.h
  Addresses addresses;                     ///< Empty unless BuildOptions::keep_addresses
  std::optional<EnergyShares> energy;      ///< Joules for functions; see energy.h
  Verdict verdict;

  Report() = default;
  Report(Report&&) = default;  // rows point into profile's vectors, which keep their place
  Report& operator=(Report&&) = default;
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
};

struct BuildOptions {
  bool keep_addresses = false;  ///< Fill Report::addresses
  symbolizer::Detail detail = symbolizer::Detail::kLines;
  bool inlines = false;  ///< Fill Report::inlines; `detail` should be kInlines
  /// Told before a module is asked for: its file, how many were asked for before, of how many.
  std::function<void(const std::string& path, std::size_t done, std::size_t of)> progress = {};
};

/// Names everything and computes shares, intervals and the verdict. `resolve` is
/// asked once for each module that was hit. Rows are sorted by the first event's
/// weight, then the next ones', then by name: the same input, the same report.
Report BuildReport(Profile profile, const Resolver& resolve, const BuildOptions& options = {});

}  // namespace csink::report
