#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profil/reading/model/profile.h"
#include "profil/statistics/statistics.h"
#include "symbolizer/names/resolve/resolver.h"
#include "symbolizer/report/data/comparison.h"
#include "symbolizer/report/data/critical_table.h"
#include "symbolizer/report/data/energy.h"
#include "symbolizer/report/data/openmp_tables.h"
#include "symbolizer/report/tables/ranks.h"
#include "symbolizer/report/tables/waits.h"
#include "symbolizer/report/verdict/verdict.h"

/// File: a report as data. BuildReport computes and resolves names once; the writers (text/text.h,
/// json/json.h, formats/formats.h) only format the result.
///
/// Units: times are seconds, weights are events (nanoseconds for a clock), shares are 0..1. Every
/// vector called `events` has one cell for each of Profile::events, in that order. Names are
/// demangled, but not made safe for a terminal or a file format; each writer does that.

namespace csink::report {

/// Names the offsets of one module: ResolveModule, ResolveModuleCached, or a fake of the tests. It
/// returns one location for each offset, in the order of the request. Missing ones at the end count
/// as unknown.
using Resolver = std::function<symbolizer::ModuleAnswer(const symbolizer::ModuleRequest& request)>;

/// One event in one row. `samples` and `weight` are those of the row.
struct Cell : EventCount {
  /// Of the column's total weight, 0..1. 0 if the column has no weight.
  double share = 0;
  /// 95 % interval of the share: Wilson's with the column's effective samples, widened by the part
  /// of the event that was not counted (verdict/explained.h).
  double low = 0;
  double high = 1;
};

/// A ratio of two columns in one row, such as IPC. nullopt if the denominator is 0.
using Ratio = std::optional<double>;

/// A derived column: numerator / denominator x scale. derived.h and topdown.h make the columns. The
/// indices refer to Profile::events, so they must be made anew when columns are removed
/// (SelectEvents).
struct DerivedColumn {
  /// Name in JSON and CSV and for --sort: "ipc".
  std::string key;
  std::string title;  ///< Title in text: "IPC"
  /// Index into Profile::events. For a share of slots: the event that influences the share most.
  std::size_t numerator = 0;
  std::size_t denominator = 0;
  /// Factor that makes the ratio readable, for instance 1000 for misses per 1000 instructions.
  double scale = 1;
  /// A part of a whole: shown in percent.
  bool is_share = false;
};

/// A function in relation to something else: a caller, or one of the functions of a thread or mark.
/// Shares are those of the whole run.
struct NamedCells {
  std::string function;
  std::string module;
  std::vector<Cell> events;
};

/// One function with samples. Functions are told apart by FunctionKey (function_key.h), not by
/// name.
struct FunctionRow {
  /// Number of the function in the order in which places mention it, as AddFunctions returns it.
  /// Sorting moves rows, so other parts refer to a function by its id.
  std::uint32_t id = 0;
  std::string function;
  /// Base name of the file, "[vdso]", "[jit]", "[anonymous]", "[unnamed]" or "[unknown]".
  std::string module;
  /// The file as it was mapped; empty without one.
  std::string module_path;
  /// How the name was found.
  symbolizer::NameSource source = symbolizer::NameSource::kNone;
  /// Number of other names for the same code: aliases, folded functions
  std::uint32_t aliases = 0;
  /// The line with most samples. Empty and 0 if no line is known.
  std::string file;
  std::uint32_t line = 0;
  /// The line with most samples outside of libraries' headers: where code of a header was inlined,
  /// the line of the call. Empty and 0 if that is the line above, or not known. Needs inlined
  /// functions (BuildOptions::detail).
  std::string own_file = {};
  std::uint32_t own_line = 0;
  std::vector<Cell> events;
  /// One for each of Report::derived.
  std::vector<Ratio> derived;
  /// 95 % intervals of `derived`, one for each. `high` may be infinite: there is no upper bound.
  std::vector<Interval> derived_intervals;
  /// Of a Python function: the functions of machine code that it called, where its samples were
  /// taken, by weight. The rest of its samples is in the interpreter's own loop.
  std::vector<NamedCells> native = {};
  /// Direct callers by weight; of a function that called itself, those of its outermost call. Empty
  /// without stacks. Their samples add up to the function's.
  std::vector<NamedCells> callers;
};

struct LineRow {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  std::string module;
  std::vector<Cell> events;
  /// Of a line in a library's header: the program's own line that most of its samples were inlined
  /// at, as in FunctionRow. Empty and 0: not known, or the line is the program's own.
  std::string own_file = {};
  std::uint32_t own_line = 0;
};

/// Samples in one file, or in JIT code. Modules are told apart by name and path.
struct ModuleRow {
  std::string module;
  std::string module_path;
  std::string build_id;  ///< Hexadecimal; empty: none
  /// Number of functions with samples.
  std::size_t functions = 0;
  /// The function with most samples.
  std::string function;
  std::vector<Cell> events;
};

/// A function by its source code: a sample belongs to the innermost function that was inlined at
/// its address. All copies of a function in one module are one row.
struct InlineRow {
  std::string function;
  std::string module;
  std::string file;        ///< Of the line with most samples; empty: unknown
  std::uint32_t line = 0;  ///< 0: not known
  /// The function that contains most of its inlined samples, by the first event. Empty if no copy
  /// was inlined.
  std::string inlined_in;
  std::vector<Cell> events;   ///< All samples
  std::vector<Cell> inlined;  ///< The part of them in inlined copies
};

/// One process image.
struct ProcessSummary {
  /// Points into Report::profile.
  const ProcessRow* row = nullptr;
  std::vector<Cell> events;
};

/// One thread with samples, or the sum of threads that have no record of their own.
struct ThreadSummary {
  /// Points into Report::profile.
  const ThreadRow* row = nullptr;
  /// Of the thread's process.
  std::uint32_t pid = 0;
  /// Name of the function given to pthread_create(3). Empty for a main thread, or if it is not
  /// known.
  std::string start_routine;
  std::vector<Cell> events;
  /// The kTopOfGroup functions with most samples (groups.h). Needs MergeOptions::keep_threads.
  std::vector<NamedCells> functions;
};

/// All threads with the same name, also of different processes.
struct ThreadGroup {
  std::string name;
  std::vector<std::size_t> threads;  ///< Indices into Report::threads, hottest first
  std::uint64_t thread_count = 0;    ///< Number of threads in these rows
  /// Sum of the threads' CPU clocks, nanoseconds.
  std::uint64_t cpu_ns = 0;
  /// Sum of the threads' times
  WallParts wall;
  std::vector<Cell> events;
  std::vector<NamedCells> functions;  ///< As in ThreadSummary
};

/// One function on a call path. Direct recursion is one node. The nodes are a tree in a vector: a
/// parent comes before its children, so one pass from the end sums up subtrees.
struct CallNode {
  /// Index, less than the node's own. 0, the root, means that no caller is known.
  std::uint32_t parent = 0;
  std::uint32_t function = 0;  ///< Index into Report::call_functions
  std::vector<Cell> self;      ///< Samples in the function itself
  std::vector<Cell> total;     ///< Samples in it and in the functions that it called
};

/// The resolved locations of all sampled addresses, for writers that need addresses, lines or
/// inlined functions (BuildOptions::keep_addresses). Other reports do not keep them.
struct Addresses {
  std::vector<symbolizer::Location> locations;  ///< Each once; entry 0: nothing is known
  std::vector<std::uint32_t> of_place;  ///< Index into locations, by index into Profile::places
  /// Index into locations, by index into Profile::callers; the address of the call
  std::vector<std::uint32_t> of_caller;
  std::vector<std::uint32_t> function_of_place;  ///< FunctionRow::id, by index into Profile::places
  /// Index into Report::call_tree, by index into Profile::places; empty without stacks
  std::vector<std::uint32_t> node_of_place;
  /// Index into Report::call_tree, by index into Profile::callers; likewise
  std::vector<std::uint32_t> node_of_caller;
};

/// An id that no function has.
inline constexpr std::uint32_t kNoFunction = 0xffffffff;

/// The samples after one mark.
struct PhaseSummary {
  /// Points into Report::profile.
  const Phase* row = nullptr;
  std::vector<Cell> events;
  std::vector<NamedCells> functions;  ///< Those with most samples
};

/// Everything that a writer may show. Made by BuildReport.
/// Owns:    the profile and all names. Rows point into the profile, so a report can be moved and
/// not copied.
/// Threads: const access from any thread.
struct Report {
  /// What was measured. SelectEvents may have removed columns.
  Profile profile;
  /// The program and its arguments; of a tree the command of its first image (program.cpp).
  std::string command;
  /// Of the process that started first, as its spool has it.
  std::uint32_t pid = 0;
  /// The same in its own pid namespace; another number after `csink attach` from outside of it.
  std::uint32_t namespace_pid = 0;
  /// Name of the machine of this process.
  std::string host;
  /// Of the whole tree: live if any process lives, else killed if any was killed.
  ProcessState state = ProcessState::kComplete;
  /// How the program ended: "exit 0", "signal 15 (SIGTERM)", "running", "killed", ...
  std::string end;
  /// Times of all processes of the tree, including those without a spool if `csink run` measured
  /// them.
  double wall_seconds = 0;
  /// When the first process image began, in seconds since 1970-01-01 UTC. 0: not known.
  double start_time = 0;
  double user_seconds = 0;
  double system_seconds = 0;
  /// Whether samples cover time in kernel mode.
  bool system_sampled = false;
  /// What took the samples: "ring", "timer", "ring and timer" or "unknown".
  std::string source;
  /// Why this source was used, as the agent of the first process wrote it. Not trusted.
  std::string source_reason;
  /// Kish's effective number of samples, one for each event (profil/statistics/statistics.h).
  std::vector<double> effective_samples;
  /// The ratios and shares of slots that the events allow.
  std::vector<DerivedColumn> derived;
  std::vector<FunctionRow> functions;  ///< All, by weight
  std::vector<LineRow> lines;          ///< All with a known line, by weight
  std::vector<ModuleRow> modules;      ///< All, by weight
  std::vector<InlineRow> inlines;      ///< By weight; empty unless BuildOptions::inlines
  /// One for each of Profile::processes, in its order.
  std::vector<ProcessSummary> processes;
  std::vector<ThreadSummary> threads;      ///< Those with samples, by weight
  std::vector<ThreadGroup> thread_groups;  ///< Grouped by name, by weight
  std::vector<NamedCells> call_functions;  ///< Names of call_tree's nodes; without cells
  std::vector<CallNode> call_tree;         ///< Entry 0 is the root; empty without stacks
  std::vector<PhaseSummary> phases;        ///< In the order of their first mark
  std::optional<Comparison> baseline;      ///< Comparison with an earlier run; see baseline.h
  /// FunctionRow::id by index into Profile::place_times (time_line.h); kNoFunction: no sample of
  /// the place is in the report.
  std::vector<std::uint32_t> function_of_place_time;
  Addresses addresses;                    ///< Empty unless BuildOptions::keep_addresses
  std::optional<EnergyShares> energy;     ///< Energy attributed to functions; see energy.h
  RankTables ranks;                       ///< What differs between the ranks of an MPI job
  std::optional<WaitTables> waits;        ///< What threads waited for; nullopt: not recorded
  std::optional<CriticalTable> critical;  ///< What holds the run up; nullopt: no log of it
  std::optional<OpenMpTables> openmp;     ///< Parallel regions; nullopt: no code of OpenMP
  /// How far the report can be trusted; of all events, whatever columns are shown.
  Verdict verdict;

  Report() = default;
  /// Rows point into profile's vectors; a move keeps their addresses, a copy would not.
  Report(Report&&) = default;
  Report& operator=(Report&&) = default;
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
};

/// What BuildReport computes besides the tables that every report has.
struct BuildOptions {
  bool keep_addresses = false;  ///< Fill Report::addresses
  /// How much of the debug information is read. Inlined functions need kInlines.
  symbolizer::Detail detail = symbolizer::Detail::kLines;
  bool inlines = false;  ///< Fill Report::inlines; `detail` should be kInlines
  /// Called before each module with a file is resolved: its file, the index of the module, and the
  /// number of modules. For a progress line.
  std::function<void(const std::string& path, std::size_t done, std::size_t of)> progress = {};
};

/// Resolves all names and computes shares, intervals and the verdict. `resolve` is called once for
/// each module with addresses, and once for the anonymous code of each process. Rows are sorted by
/// the weight of the first event, then of the next ones, then by name: the same input gives the
/// same report.
///
/// Never fails: what cannot be resolved is shown by its address, and the verdict names the reason.
/// Time and memory grow with the number of places and callers.
Report BuildReport(Profile profile, const Resolver& resolve, const BuildOptions& options = {});

}  // namespace csink::report
