// Layout of papi-tools 7.0's papi_cost, with additional lines: nanoseconds and the clock's part.
#include <cstdio>

#include "compat/utils/papi_cost/report.h"
#include "compat/utils/text.h"

namespace csink::utils::cost {
namespace {

constexpr std::size_t kWidest = 100;  // largest number of stars in a line

void PrintStars(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::putchar('*');
}

// A bar for each interval. The first line is the number itself where it exceeds the width; the
// others are relative to the fullest of them.
void PrintDistribution(const Histogram& histogram) {
  std::puts("\nCost distribution profile\n");
  const std::size_t fullest = histogram.FullestOfOthers();
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const std::size_t count = histogram.counts[i];
    // papi-tools' bounds, which are rounded; JSON has the exact ones (Least).
    std::printf("%8lld:", histogram.Begin(i));
    // The first interval usually holds nearly all iterations.
    if (i == 0 && count > kWidest) {
      std::printf("**************************** %zu counts ****************************", count);
    } else if (i == 0) {
      PrintStars(count);
    } else if (count != 0) {
      PrintStars(count * kWidest / fullest);
    }
    std::putchar('\n');
  }
}

// The ruler and the numbers of papi-tools 7.0.
void PrintDeviations(const Measured& measured, const Spread& spread) {
  std::puts(
      "\n              --------# Standard Deviations Above the Mean--------\n"
      "0-------1-------2-------3-------4-------5-------6-------7-------8-------9-----10");
  for (const std::size_t count : CountsAboveMean(measured.costs, spread)) {
    std::printf("  %zu\t", count);
  }
  std::puts("\n");
}

// The lines that PAPI's tool does not have.
void PrintNs(const Measured& measured, const Spread& spread, const Clock& clock) {
  if (clock.cycles_per_ns > 0) {
    std::printf("min ns       : %.3f\n", clock.Ns(static_cast<double>(spread.min)));
    std::printf("median ns    : %.3f\n",
                clock.Ns(static_cast<double>(Percentile(measured.costs, 50))));
    std::printf("mean ns      : %.3f\n", clock.Ns(spread.mean));
  }
  if (measured.operation == Operation::kNothing) {
    std::puts("clock's part : all: this is the cost of reading the clock");
  } else if (HasClockInside(measured.operation)) {
    std::printf("clock's part : %.3f cycles, %.3f ns of the mean\n", clock.overhead_cycles,
                clock.Ns(clock.overhead_cycles));
  } else {
    std::puts("clock's part : none, these are the time stamps of the calls themselves");
  }
}

}  // namespace

void PrintHead(const Choice& choice, const Clock& clock) {
  std::puts(
      "Cost of execution for PAPI start/stop, read and accum.\n"
      "This test takes a while. Please be patient...");
  std::fputs("Events       :", stdout);
  for (const CountableEvent& event : choice.events) std::printf(" %s", event.name.c_str());
  // Why software events are measured instead of cycles.
  if (!choice.why.empty()) std::printf(" (%s)", choice.why.c_str());
  if (clock.cycles_per_ns > 0) {
    std::printf("\nClock        : PAPI_get_real_cyc, %.3f cycles a ns\n", clock.cycles_per_ns);
  } else {
    std::puts("\nClock        : PAPI_get_real_cyc, whose rate could not be found");
  }
}

void PrintMeasured(const Measured& measured, const Settings& settings, const Clock& clock) {
  const Spread spread = SpreadOf(measured.costs);
  std::printf("%sTotal cost for %s over %zu iterations%s\n", Colour().bold, measured.title.c_str(),
              spread.count, Colour().off);
  std::printf("min cycles   : %lld\nmax cycles   : %lld\n", spread.min, spread.max);
  std::printf("mean cycles  : %f\nstd deviation: %f\n", spread.mean, spread.deviation);
  if (settings.percentiles) {
    for (const unsigned percent : {25U, 50U, 75U, 99U}) {
      std::printf("%u%% cycles   : %lld\n", percent, Percentile(measured.costs, percent));
    }
  }
  PrintNs(measured, spread, clock);
  if (settings.deviations) PrintDeviations(measured, spread);
  if (settings.distribution) {
    PrintDistribution(HistogramOf(measured.costs, spread, settings.bins));
  }
}

}  // namespace csink::utils::cost
