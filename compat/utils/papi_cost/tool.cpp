#include "compat/utils/message.h"
#include "compat/utils/options.h"
#include "compat/utils/papi_cost/report.h"

namespace csink::utils::cost {
namespace {

// The letters of papi-tools 7.0, with words of our own.
constexpr Option kOptions[] = {
    {'b', "bins", "BINS", "Divide the distribution of -d into BINS parts. Default: 100."},
    {'d', "distribution", nullptr, "Draw the distribution of the costs."},
    {'p', "percentiles", nullptr, "Show the 25th, 50th, 75th and 99th percentile of the costs."},
    {'s', "deviations", nullptr,
     "Show how many iterations cost more than 1, 2, ... 10 standard deviations above the mean."},
    {'t', "iterations", "THRESHOLD", "Measure each operation THRESHOLD times. Default: 100,000."},
};
constexpr OptionGroup kGroups[] = {{"Options", kOptions}};
constexpr ExitCode kExits[] = {{0, "the costs are shown"},
                               {1, "no event can be counted, or an operation failed"}};
constexpr Section kSections[] = {
    {"Reading the figures",
     "The clock is PAPI_get_real_cyc, read before and after each operation; the loop latency is "
     "the cost of two readings. Every figure in cycles contains this cost once; \"clock's part\" "
     "shows it. PAPI_read_ts is the exception: the time stamps of successive calls are compared, "
     "so the figures do not contain the cost of the clock. Cycles are those of the clock, which on "
     "most processors has a constant rate, independent of the core's frequency; the nanoseconds "
     "are computed from a comparison with PAPI_get_real_nsec for 20 ms.\n\nThe drawing has a line "
     "for each bin of the distribution, which begins with the minimum cost of that bin. A line of "
     "100 stars is the largest bin after the first; the first line has a star for each iteration, "
     "or the number of iterations if there are more than 100."}};
constexpr const char* kSeeAlso[] = {"papi_clockres", "papi_multiplex_cost", "papi_avail"};

}  // namespace

const Tool kTool = {
    .name = "papi_cost",
    .line = "measure the cost of PAPI's operations",
    .operands = "[TESTS_QUIET]",
    .description =
        "Measures PAPI_start/PAPI_stop pairs, PAPI_read, PAPI_read_ts, PAPI_accum and PAPI_reset "
        "of a set of two events, and PAPI_read of a preset computed by a formula (DERIVED_POSTFIX) "
        "and of one that is a sum or difference (DERIVED_ADD, DERIVED_SUB), if such presets exist. "
        "For each: minimum, maximum, mean and standard deviation.\n\nThe events are PAPI_TOT_CYC "
        "and PAPI_TOT_INS. If the machine does not count these events, events of the kernel are "
        "used, and the line \"Events\" shows them and the reason.\n\nTESTS_QUIET has no effect; it "
        "is accepted because scripts written for PAPI's own tool pass it.",
    .json_text =
        "\"clock\": cycles_per_ns, overhead_cycles; \"events\", \"instead_because\"; and "
        "\"operations\": name, counters, iterations, clock_inside, cycles (min, max, mean, stddev, "
        "p25, p50, p75, p99), ns (the same), mean_without_clock_ns, above_mean, bins.",
    .groups = kGroups,
    .exits = kExits,
    .sections = kSections,
    .see_also = kSeeAlso};

bool ReadSettings(const Arguments& arguments, Settings& settings) {
  if (!TakesNothingElse(kTool, arguments)) return false;
  // ReadNumber leaves the defaults where an option is absent.
  long long bins = static_cast<long long>(settings.bins);
  long long iterations = static_cast<long long>(settings.iterations);
  if ((arguments.Has('b') &&
       !ReadNumber(kTool, "BINS", arguments.Value('b'), 1, 1'000'000, bins)) ||
      (arguments.Has('t') &&
       !ReadNumber(kTool, "THRESHOLD", arguments.Value('t'), 1, 100'000'000, iterations))) {
    return Misuse(kTool), false;
  }
  settings.bins = static_cast<std::size_t>(bins);
  settings.iterations = static_cast<std::size_t>(iterations);
  settings.percentiles = arguments.Has('p');
  settings.deviations = arguments.Has('s');
  settings.distribution = arguments.Has('d');
  return true;
}

}  // namespace csink::utils::cost
