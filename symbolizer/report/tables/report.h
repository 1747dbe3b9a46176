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

/// File: a report as data. BuildReport computes and resolves names once; the writers (text.h,
/// json.h) only format the result.

namespace csink::report {

using Resolver = std::function<symbolizer::ModuleAnswer(const symbolizer::ModuleRequest& request)>;

/// One event in one row. Counts are those of the row.
struct Cell : EventCount {
  double share = 0;  ///< Of the column's total weight, 0..1
  double low = 0;    ///< 95 % interval of the share
  double high = 1;
};

/// A ratio of two columns in one row, such as IPC. nullopt: the denominator is 0.
using Ratio = std::optional<double>;

/// A derived column: numerator / denominator x scale, as column indices. derived.h makes them.
struct DerivedColumn {
  std::string key;    ///< Name in JSON: "ipc"
  std::string title;  ///< Title in text: "IPC"
  std::size_t numerator = 0;
  std::size_t denominator = 0;
  double scale = 1;
  bool is_share = false;  ///< A part of a whole: shown in percent
};

/// A function in relation to something else: a caller, or one of the functions of a thread or mark.
struct NamedCells {
  std::string function;
  std::string module;
  std::vector<Cell> events;
};

struct FunctionRow {
  std::uint32_t id = 0;  ///< As AddFunctions returns it
  std::string function;
  std::string module;       ///< Base name, "[vdso]", "[jit]", "[anonymous]" or "[unknown]"
  std::string module_path;  ///< As mapped
  symbolizer::NameSource source = symbolizer::NameSource::kNone;
  /// Number of other names for the same code: aliases, folded functions
  std::uint32_t aliases = 0;
  std::string file;        ///< Of the line with most samples; empty: unknown
  std::uint32_t line = 0;  ///< 0: not known
  std::vector<Cell> events;
  std::vector<Ratio> derived;
  std::vector<Interval> derived_intervals;  ///< 95 % intervals of `derived`; `high` may be infinite
  std::vector<NamedCells> callers;          ///< By weight; empty without stacks
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
  std::string function;  ///< The one with most samples
  std::vector<Cell> events;
};

/// A function by its source code, including all inlined copies.
struct InlineRow {
  std::string function;
  std::string module;
  std::string file;           ///< Of the line with most samples; empty: unknown
  std::uint32_t line = 0;     ///< 0: not known
  std::string inlined_in;     ///< The function that contains most of its inlined samples
  std::vector<Cell> events;   ///< All samples
  std::vector<Cell> inlined;  ///< The part of them in inlined copies
};

struct ProcessSummary {
  const ProcessRow* row = nullptr;
  std::vector<Cell> events;
};

struct ThreadSummary {
  const ThreadRow* row = nullptr;
  std::uint32_t pid = 0;
  std::string start_routine;  ///< Name; empty: main, or unknown
  std::vector<Cell> events;
  std::vector<NamedCells> functions;  ///< Those with most samples; needs MergeOptions::keep_threads
};

/// All threads with the same name.
struct ThreadGroup {
  std::string name;
  std::vector<std::size_t> threads;  ///< Indices into Report::threads, hottest first
  std::uint64_t cpu_ns = 0;
  std::vector<Cell> events;
  std::vector<NamedCells> functions;  ///< As in ThreadSummary
};

/// One function on a call path. Direct recursion is one node.
struct CallNode {
  std::uint32_t parent = 0;    ///< Index, less than the node's own; 0: no known caller
  std::uint32_t function = 0;  ///< Index into Report::call_functions
  std::vector<Cell> self;      ///< Samples in the function itself
  std::vector<Cell> total;     ///< Samples in it and in the functions that it called
};

/// The resolved locations of all sampled addresses, for writers that need addresses, lines or
/// inlined functions (BuildOptions::keep_addresses).
struct Addresses {
  std::vector<symbolizer::Location> locations;  ///< Each once; entry 0: nothing is known
  std::vector<std::uint32_t> of_place;  ///< Index into locations, by index into Profile::places
  /// Index into locations, by index into Profile::callers; the address of the call
  std::vector<std::uint32_t> of_caller;
};

struct PhaseSummary {
  const Phase* row = nullptr;
  std::vector<Cell> events;
  std::vector<NamedCells> functions;  ///< Those with most samples
};

struct Report {
  Profile profile;
  std::string command;
  std::uint32_t pid = 0;
  std::string host;
  /// Of the whole tree: live if any process lives, then killed
  ProcessState state = ProcessState::kComplete;
  std::string end;  ///< "exit 0", "signal 15 (SIGTERM)", ...
  double wall_seconds = 0;
  double user_seconds = 0;
  double system_seconds = 0;
  bool system_sampled = false;
  std::string source;  ///< "ring", "timer", both joined, or "unknown"
  std::string source_reason;
  std::vector<double> effective_samples;  ///< One per event
  std::vector<DerivedColumn> derived;
  std::vector<FunctionRow> functions;  ///< All, by weight
  std::vector<LineRow> lines;          ///< All with a known line, by weight
  std::vector<ModuleRow> modules;      ///< All, by weight
  std::vector<InlineRow> inlines;      ///< By weight; empty unless BuildOptions::inlines
  std::vector<ProcessSummary> processes;
  std::vector<ThreadSummary> threads;      ///< Those with samples, by weight
  std::vector<ThreadGroup> thread_groups;  ///< Grouped by name, by weight
  std::vector<NamedCells> call_functions;  ///< Names of call_tree's nodes; without cells
  std::vector<CallNode> call_tree;         ///< Entry 0 is the root; empty without stacks
  std::vector<PhaseSummary> phases;        ///< In the order of their first mark
  std::optional<Comparison> baseline;      ///< Comparison with an earlier run; see baseline.h
  Addresses addresses;                     ///< Empty unless BuildOptions::keep_addresses
  std::optional<EnergyShares> energy;      ///< Energy attributed to functions; see energy.h
  Verdict verdict;

  Report() = default;
  Report(Report&&) = default;  // Rows point into profile's vectors; a move keeps their addresses
  Report& operator=(Report&&) = default;
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
};

struct BuildOptions {
  bool keep_addresses = false;  ///< Fill Report::addresses
  symbolizer::Detail detail = symbolizer::Detail::kLines;
  bool inlines = false;  ///< Fill Report::inlines; `detail` should be kInlines
  /// Called before each module is resolved: its file, how many are done, how many there are.
  std::function<void(const std::string& path, std::size_t done, std::size_t of)> progress = {};
};

/// Resolves all names and computes shares, intervals and the verdict. `resolve` is called once for
/// each module with samples. Rows are sorted by the weight of the first event, then of the next
/// ones, then by name: the same input gives the same report.
Report BuildReport(Profile profile, const Resolver& resolve, const BuildOptions& options = {});

}  // namespace csink::report
