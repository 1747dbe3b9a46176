#include "compat/utils/papi_cost/tool.h"

#include "compat/utils/measuring/number.h"
#include "compat/utils/message.h"
#include "compat/utils/tests_quiet.h"

namespace csink::utils::cost {
namespace {

// The letters of papi-tools 7.0, with words of our own.
constexpr Option kOptions[] = {
    {'b', "bins", "BINS", "Divide the distribution of -d into BINS parts. Default: 100."},
    {'d', "distribution", nullptr, "Draw how the costs are distributed."},
    {'p', "percentiles", nullptr,
     "Show the costs that 25, 50, 75 and 99 of a hundred iterations did not exceed."},
    {'s', "deviations", nullptr,
     "Show how many iterations lay more than 1, 2, ... 10 standard deviations above the mean."},
    {'t', "iterations", "THRESHOLD", "Measure each operation THRESHOLD times. Default: 100,000."},
};
constexpr OptionGroup kGroups[] = {{"Options", kOptions}};
constexpr ExitCode kExits[] = {{0, "the costs are shown"},
                               {1, "no event can be counted, or an operation failed"}};
constexpr Section kSections[] = {
    {"Reading the figures",
     "The clock is PAPI_get_real_cyc, read before and after each operation; the loop latency is "
     "what reading it twice costs. Every figure in cycles contains that once; \"clock's part\" "
     "names it. PAPI_read_ts is the exception: its own time stamps are compared, one call with the "
     "next, so no part is the clock's. Cycles are those of the clock, which on most processors "
     "run at one rate whatever the rate of the core; the nanoseconds beside them come from "
     "comparing it with PAPI_get_real_nsec for 20 ms.\n\n"
     "The drawing gives each part of the distribution a line, which begins with the least cost of "
     "that part. A line of 100 stars stands for the fullest part behind the first one; the "
     "first line has a star for each iteration, or their number above 100."}};
constexpr const char* kSeeAlso[] = {"papi_clockres", "papi_multiplex_cost", "papi_avail"};

}  // namespace

const Tool kTool = {
    .name = "papi_cost",
    .line = "measure what PAPI's operations cost",
    .operands = "[TESTS_QUIET]",
    .description =
        "Measures PAPI_start/PAPI_stop pairs, PAPI_read, PAPI_read_ts, PAPI_accum and PAPI_reset "
        "of "
        "a set of two events, and PAPI_read of a preset computed by a formula (DERIVED_POSTFIX) "
        "and "
        "of one that is a sum or difference (DERIVED_ADD, DERIVED_SUB), where there are such. For "
        "each: least, greatest, mean and standard deviation.\n\n"
        "The events are PAPI_TOT_CYC and PAPI_TOT_INS. Where the machine does not count them, "
        "events of the kernel are taken, and the line \"Events\" names them and the reason.\n\n"
        "TESTS_QUIET changes nothing; scripts written for PAPI's own tool pass it.",
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
