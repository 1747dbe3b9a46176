#include <unistd.h>

#include "compat/atime/report.h"

/// File: the text report in the form of upstream's atime.

namespace csink::atime {

void PrintTextHead(std::FILE* out, const Options& options, const Measurement& measurement) {
  std::fputs("ATIME: Program: ", out);
  for (char** word = options.program; *word; ++word) std::fprintf(out, "%s ", *word);
  std::fputs("\n", out);
  for (const auto& measured : measurement.components()) {
    const char* name = measured->component().name.c_str();
    const unsigned long long ns = measured->interval_ns();
    std::fprintf(out, "ATIME: Use PAPI component %s\n", name);
    std::fprintf(out, "ATIME: cmp %s event_num %d interval %llu.%09llu\n", name,
                 measured->set().num_events, ns / 1'000'000'000, ns % 1'000'000'000);
  }
  std::fputs("ATIME: papi_start\n", out);
}

void PrintTextValues(std::FILE* out, const Measurement& measurement) {
  std::fflush(out);
  // Only now: the program has ended and its output is complete.
  if (out != stdout && dup2(fileno(out), STDOUT_FILENO) < 0) return;
  for (const auto& measured : measurement.components())
    APAPI_print_apapi_eventset(&measured->set());
  std::fputs("ATIME: papi stop\nATIME: done\n", stdout);
  std::fflush(stdout);
}

}  // namespace csink::atime
