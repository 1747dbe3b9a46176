/// Program: papi_multiplex_cost. File names and columns of papi-tools 7.0's. Which events can be
/// multiplexed together is found first; sets of the first n of them are then measured for each n,
/// by both ways of multiplexing.

#include <papi.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "compat/utils/json.h"
#include "compat/utils/measuring/countable.h"
#include "compat/utils/measuring/multiplexed_set.h"
#include "compat/utils/measuring/operations.h"
#include "compat/utils/measuring/statistics.h"
#include "compat/utils/message.h"
#include "compat/utils/options.h"
#include "compat/utils/run.h"

namespace csink::utils {
namespace {

constexpr Option kOptions[] = {
    {'m', "min", "MIN", "Start with sets of MIN events. Default: 1."},
    {'x', "max", "MAX", "Stop below MAX events, as PAPI's own tool does. Default: 10."},
    {'k', "no-kernel", nullptr, "Do not measure multiplexing by the kernel."},
    {'s', "no-software", nullptr, "Do not measure multiplexing by the library."},
    {'t', "iterations", "THRESHOLD", "Measure each operation THRESHOLD times. Default: 100,000."},
};
constexpr OptionGroup kGroups[] = {{"Options", kOptions}};
constexpr ExitCode kExits[] = {
    {0, "the costs are measured"},
    {1, "no event can be multiplexed here, an operation failed, or a file cannot be written"}};
constexpr Section kSections[] = {
    {"Files",
     "papi_startstop.dat, papi_read.dat, papi_read_ts.dat, papi_accum.dat and papi_reset.dat in "
     "the current folder, for gnuplot. Lines that begin with # are comments. The columns: number "
     "of events; minimum, maximum, mean cost and standard deviation, in cycles of "
     "PAPI_get_real_cyc, by the kernel; the same by the library. Zeros: not measured. Each cost "
     "except those of PAPI_read_ts contains one reading of the clock; the last line shows the cost "
     "of one reading and the cycles per nanosecond."}};
constexpr const char* kSeeAlso[] = {"papi_cost"};
constexpr Tool kTool = {
    .name = "papi_multiplex_cost",
    .line = "measure PAPI's operations on multiplexed event sets",
    .operands = "[TESTS_QUIET]",
    .description =
        "Measures PAPI_start/PAPI_stop pairs, PAPI_read, PAPI_read_ts, PAPI_accum and PAPI_reset "
        "of multiplexed sets with an increasing number of events: first available presets, then "
        "native events.",
    .json_text =
        "\"clock\": cycles_per_ns, overhead_cycles; \"events\": the names, in the order in which "
        "they are added; \"rows\": operation, events, kernel and software (each min, max, mean, "
        "stddev in cycles; null: not measured). No file is written.",
    .groups = kGroups,
    .exits = kExits,
    .sections = kSections,
    .see_also = kSeeAlso};

/// One operation, its name in the files, and its file.
struct Row {
  Operation operation;
  const char* name;
  const char* file;
};
/// The files and their names are those of papi-tools 7.0.
constexpr Row kOperations[] = {{Operation::kStartStop, "PAPI_start/stop", "papi_startstop.dat"},
                               {Operation::kRead, "PAPI_read", "papi_read.dat"},
                               {Operation::kReadTs, "PAPI_read_ts", "papi_read_ts.dat"},
                               {Operation::kAccum, "PAPI_accum", "papi_accum.dat"},
                               {Operation::kReset, "PAPI_reset", "papi_reset.dat"}};

/// The command line. Sets have from `least` to `end` - 1 events.
struct Settings {
  long long least = 1;
  long long end = 10;
  long long iterations = 100'000;
  bool kernel = true;
  bool software = true;
};

/// The costs for one number of events, indexed by operation.
struct Costs {
  std::size_t events;
  // All 0 (count 0): not measured.
  Spread kernel[std::size(kOperations)] = {};
  Spread software[std::size(kOperations)] = {};
};

/// All results of a run; `rows` by number of events.
struct Table {
  std::vector<CountableEvent> events;
  double cycles_per_ns = 0;
  double overhead_cycles = 0;
  std::vector<Costs> rows;
};

/// False, with a message: wrong use.
bool ReadSettings(const Arguments& arguments, Settings& settings) {
  settings.kernel = !arguments.Has('k');
  settings.software = !arguments.Has('s');
  if ((arguments.Has('m') &&
       !ReadNumber(kTool, "MIN", arguments.Value('m'), 1, 10'000, settings.least)) ||
      (arguments.Has('x') &&
       !ReadNumber(kTool, "MAX", arguments.Value('x'), 1, 10'000, settings.end)) ||
      (arguments.Has('t') && !ReadNumber(kTool, "THRESHOLD", arguments.Value('t'), 1, 100'000'000,
                                         settings.iterations))) {
    return Misuse(kTool), false;
  }
  if (settings.least >= settings.end) {
    Say(kTool, "MIN must be below MAX");
  } else if (!settings.kernel && !settings.software) {
    Say(kTool, "-k and -s together leave nothing to measure");
  } else {
    return true;
  }
  return Misuse(kTool), false;
}

/// Measures all operations on a set of `count` events; fills one Spread for each. False, with a
/// message: a call failed.
bool MeasureSet(const Table& table, std::size_t count, int flags, std::vector<long long>& costs,
                Spread* spreads) {
  // A new set for each number of events: operations of an earlier size leave nothing behind.
  MultiplexedSet set(flags);
  int code = set.code();
  for (std::size_t i = 0; code == PAPI_OK && i < count; ++i) code = set.Add(table.events[i].code);
  if (code != PAPI_OK) {
    const char* how = flags == PAPI_MULTIPLEX_DEFAULT ? "the kernel" : "the library";
    SayCode(kTool, std::to_string(count) + " events cannot be multiplexed by " + how, code);
    return false;
  }
  std::vector<long long> values(count);
  for (std::size_t i = 0; i < std::size(kOperations); ++i) {
    code = MeasureOperation(kOperations[i].operation, set.handle(), values, costs);
    if (code != PAPI_OK) return SayCode(kTool, kOperations[i].name, code), false;
    spreads[i] = SpreadOf(costs);
  }
  return true;
}

/// One array of costs serves all measurements: up to 100 million elements.
bool MeasureAll(const Settings& settings, Table& table) {
  std::vector<long long> costs(static_cast<std::size_t>(settings.iterations));
  // First, because it is a part of every later cost.
  MeasureOperation(Operation::kNothing, PAPI_NULL, {}, costs);
  table.overhead_cycles = SpreadOf(costs).mean;
  table.cycles_per_ns = CyclesPerNs();
  for (long long n = settings.least; n < settings.end; ++n) {
    Costs row = {.events = static_cast<std::size_t>(n)};
    // Fewer events than asked for: Run has said so.
    if (row.events > table.events.size()) break;
    if (settings.kernel &&
        !MeasureSet(table, row.events, PAPI_MULTIPLEX_DEFAULT, costs, row.kernel)) {
      return false;
    }
    if (settings.software &&
        !MeasureSet(table, row.events, PAPI_MULTIPLEX_FORCE_SW, costs, row.software)) {
      return false;
    }
    table.rows.push_back(row);
  }
  return true;
}

/// Four columns: least, greatest, mean and deviation, in cycles.
void PrintColumns(std::FILE* out, const Spread& spread) {
  std::fprintf(out, "\t%10lld\t%10lld\t%10f\t%10f", spread.min, spread.max, spread.mean,
               spread.deviation);
}

/// Overwrites an existing file. False, with a message: an incomplete file may be left.
bool WriteFile(const Table& table, std::size_t operation) {
  const Row& what = kOperations[operation];
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  // "e": close-on-exec.
  const std::unique_ptr<std::FILE, Close> file(std::fopen(what.file, "we"));
  bool written = file != nullptr;
  if (written) {
    std::FILE* const out = file.get();
    std::fprintf(out,
                 "###Multiplexed %s()\n#number of events\tmin cycles\tmax cycles\tmean cycles\tstd "
                 "deviation\tsw min cycles\tsw max cycles\tsw avg cycles\tsw std dev\n",
                 what.name);
    for (const Costs& row : table.rows) {
      std::fprintf(out, "%20zu", row.events);
      PrintColumns(out, row.kernel[operation]);
      PrintColumns(out, row.software[operation]);
      std::fputc('\n', out);
    }
    std::fprintf(out, "#clock: %.3f cycles of each cost, %.3f cycles a ns\n",
                 HasClockInside(what.operation) ? table.overhead_cycles : 0.0, table.cycles_per_ns);
    written = std::fflush(out) == 0 && !std::ferror(out);
  }
  // errno is that of fopen or of the flush.
  if (!written) Say(kTool, std::string("cannot write ") + what.file + ": " + std::strerror(errno));
  return written;
}

/// null: not measured.
nlohmann::ordered_json SpreadJson(const Spread& spread) {
  // This way of multiplexing was not asked for.
  if (spread.count == 0) return nullptr;
  return {{"min", spread.min},
          {"max", spread.max},
          {"mean", spread.mean},
          {"stddev", spread.deviation}};
}

/// One row for each operation and number of events.
void PrintAsJson(const Table& table) {
  nlohmann::ordered_json object = JsonHead(kTool);
  object["clock"] = {{"cycles_per_ns", table.cycles_per_ns},
                     {"overhead_cycles", table.overhead_cycles}};
  object["events"] = nlohmann::ordered_json::array();
  for (const CountableEvent& event : table.events) object["events"].push_back(event.name);
  object["rows"] = nlohmann::ordered_json::array();
  for (const Costs& row : table.rows) {
    for (std::size_t i = 0; i < std::size(kOperations); ++i) {
      object["rows"].push_back({{"operation", kOperations[i].name},
                                {"events", row.events},
                                {"kernel", SpreadJson(row.kernel[i])},
                                {"software", SpreadJson(row.software[i])}});
    }
  }
  PrintJson(object);
}

/// The warning on stdout, the list of tests on stderr.
void PrintStart(const Settings& settings) {
  std::puts(
      "This utility benchmarks the overhead of PAPI multiplexing\n"
      "Warning!  This can take a long time (many minutes) to run\n"
      "The output goes to multiple .dat files in the current directory\n");
  // Two streams: keeps the order on a terminal.
  std::fflush(stdout);
  std::fputs("Running test[s]\n", stderr);
  if (settings.kernel) std::fputs("\tKernel multiplexing read\n", stderr);
  if (settings.software) std::fputs("\tSoftware Multiplexing read\n", stderr);
}

int Run(const Arguments& arguments) {
  Settings settings;
  if (!TakesNothingElse(kTool, arguments) || !ReadSettings(arguments, settings)) return kMisuse;
  if (!StartLibrary(kTool)) return kFailed;
  // The library's own multiplexing must be started once before it is used.
  const int multiplexing = PAPI_multiplex_init();
  if (multiplexing != PAPI_OK) return SayCode(kTool, "no multiplexing", multiplexing), kFailed;
  if (!arguments.json() && access(".", W_OK) != 0) {  // checked before a measurement of minutes
    Say(kTool, std::string("cannot write into the current folder: ") + std::strerror(errno));
    return kFailed;
  }
  if (!arguments.json()) PrintStart(settings);
  Table table;
  // The largest set that is measured; all smaller ones are its first events.
  const auto most = static_cast<std::size_t>(settings.end - 1);
  table.events = MultiplexedEvents(most);
  if (table.events.size() < static_cast<std::size_t>(settings.least)) {
    Say(kTool,
        "only " + std::to_string(table.events.size()) +
            " events can be multiplexed together here; papi_component_avail shows the reason");
    return kFailed;
  }
  // Not a failure: the table is shorter.
  if (table.events.size() < most) {
    Say(kTool, "only " + std::to_string(table.events.size()) +
                   " events can be counted together; the table ends at this number");
  }
  // The files are written at the end, so that a failure leaves no part of them.
  if (!MeasureAll(settings, table)) return kFailed;
  if (arguments.json()) return PrintAsJson(table), kFine;
  for (std::size_t i = 0; i < std::size(kOperations); ++i) {
    if (!WriteFile(table, i)) return kFailed;
  }
  return kFine;
}

}  // namespace
}  // namespace csink::utils

int main(int argc, char** argv) {
  return csink::utils::RunTool(csink::utils::kTool, argc, argv, csink::utils::Run);
}
