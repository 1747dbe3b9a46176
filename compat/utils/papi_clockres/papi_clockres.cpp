/// Program: papi_clockres. Layout of papi-tools 7.0's. Each clock is read into an array first, so
/// that nothing but the reading is between two readings; the differences are computed afterwards,
/// in place.

#include <papi.h>

#include <cstdio>
#include <vector>

#include "compat/utils/json.h"
#include "compat/utils/measuring/statistics.h"
#include "compat/utils/message.h"
#include "compat/utils/options.h"
#include "compat/utils/run.h"

namespace csink::utils {
namespace {

constexpr Option kOptions[] = {
    {'t', "readings", "READINGS", "Read each clock READINGS times. Default: 1,000,000."},
};
constexpr OptionGroup kGroups[] = {{"Options", kOptions}};
constexpr ExitCode kExits[] = {{0, "the clocks are measured"},
                               {1, "the library cannot be initialized"}};
constexpr Section kSections[] = {
    {"Reading the figures",
     "A clock is read repeatedly. The first line shows the minimum, the maximum, the mean and the "
     "standard deviation of the differences between successive readings. The line below shows the "
     "latency (the mean time of one reading) and the resolution (the mean of the differences that "
     "are not zero). \"<\" before the resolution: every reading differed from the previous "
     "reading, so the clock may be finer than can be measured. \">\": the clock did not advance, "
     "so the clock is coarser than the measurement was long. Units are those of the clock: cycles, "
     "microseconds, nanoseconds."}};
constexpr const char* kSeeAlso[] = {"papi_cost"};
constexpr Tool kTool = {
    .name = "papi_clockres",
    .line = "measure latency and resolution of PAPI's clocks",
    .operands = "[TESTS_QUIET]",
    .description =
        "Measures PAPI_get_real_cyc, PAPI_get_real_usec, PAPI_get_virt_cyc and "
        "PAPI_get_virt_usec; --json also shows the clocks in nanoseconds.",
    .json_text =
        "\"clocks\": name, unit, readings, min, max, mean, stddev, latency, resolution (null: the "
        "clock never moved), finer_than_seen.",
    .groups = kGroups,
    .exits = kExits,
    .sections = kSections,
    .see_also = kSeeAlso};

/// A clock of PAPI. The text has the four clocks of PAPI's tool, JSON all six.
struct ClockOfPapi {
  const char* name;
  const char* unit;
  long long (*read)();
  bool in_text;
};

constexpr ClockOfPapi kClocks[] = {
    {"PAPI_get_real_cyc", "cycles", PAPI_get_real_cyc, true},
    {"PAPI_get_real_usec", "us", PAPI_get_real_usec, true},
    {"PAPI_get_real_nsec", "ns", PAPI_get_real_nsec, false},
    {"PAPI_get_virt_cyc", "cycles", PAPI_get_virt_cyc, true},
    {"PAPI_get_virt_usec", "us", PAPI_get_virt_usec, true},
    {"PAPI_get_virt_nsec", "ns", PAPI_get_virt_nsec, false},
};

/// The results for one clock.
struct Found {
  Spread steps;
  std::size_t moved = 0;  ///< number of differences that are not 0

  // Each step is one reading of the clock, whether the clock moved or not.
  double Latency() const { return steps.mean; }
  // The whole time divided by the number of steps that the clock made.
  double Resolution() const {
    const double total = steps.mean * static_cast<double>(steps.count);
    return moved == 0 ? 0 : total / static_cast<double>(moved);
  }
  bool FinerThanSeen() const { return moved == steps.count; }
};

/// Reads the clock readings.size() times. `readings` is overwritten.
Found Measure(const ClockOfPapi& clock, std::vector<long long>& readings) {
  for (long long& reading : readings) reading = clock.read();
  Found found;
  // The last element stays a reading and is not used.
  for (std::size_t i = 0; i + 1 < readings.size(); ++i) {
    readings[i] = readings[i + 1] - readings[i];
    found.moved += readings[i] != 0;
  }
  found.steps = SpreadOf({readings.data(), readings.size() - 1});
  return found;
}

/// The lines of one clock in papi-tools' layout.
void PrintText(const ClockOfPapi& clock, const Found& found) {
  const Spread& steps = found.steps;
  std::printf("%s: min %.3f  max %.3f \n", clock.name, static_cast<double>(steps.min),
              static_cast<double>(steps.max));
  std::printf("                   average %.3f std %.3f\n", steps.mean, steps.deviation);
  // See "Reading the figures" in the help.
  const char sign = found.moved == 0 ? '>' : found.FinerThanSeen() ? '<' : ' ';
  std::printf("%s : %7.3f   %c%7.3f\n", clock.name, found.Latency(), sign, found.Resolution());
}

/// Values in the unit of the clock.
nlohmann::ordered_json ClockJson(const ClockOfPapi& clock, const Found& found) {
  const nlohmann::ordered_json none;
  return {{"name", clock.name},
          {"unit", clock.unit},
          {"readings", found.steps.count + 1},
          {"min", found.steps.min},
          {"max", found.steps.max},
          {"mean", found.steps.mean},
          {"stddev", found.steps.deviation},
          {"latency", found.Latency()},
          {"resolution", found.moved == 0 ? none : nlohmann::ordered_json(found.Resolution())},
          {"finer_than_seen", found.FinerThanSeen()}};
}

int Run(const Arguments& arguments) {
  if (!TakesNothingElse(kTool, arguments)) return kMisuse;
  long long count = 1'000'000;
  if (arguments.Has('t') &&
      !ReadNumber(kTool, "READINGS", arguments.Value('t'), 2, 100'000'000, count)) {
    return Misuse(kTool);
  }
  if (!StartLibrary(kTool)) return kFailed;
  // Written completely when it is made, so no page fault falls into a measurement.
  std::vector<long long> readings(static_cast<std::size_t>(count));
  nlohmann::ordered_json object = JsonHead(kTool);
  if (!arguments.json()) {
    std::puts(
        "Printing Clock latency and resolution.\n"
        "-----------------------------------------------");
  }
  for (const ClockOfPapi& clock : kClocks) {
    if (arguments.json()) {
      object["clocks"].push_back(ClockJson(clock, Measure(clock, readings)));
    } else if (clock.in_text) {
      PrintText(clock, Measure(clock, readings));
    }
  }
  if (arguments.json()) PrintJson(object);
  return kFine;
}

}  // namespace
}  // namespace csink::utils

int main(int argc, char** argv) {
  return csink::utils::RunTool(csink::utils::kTool, argc, argv, csink::utils::Run);
}
