#include <unistd.h>

#include <cmath>

#include "compat/atime/energy/numbers.h"
#include "compat/atime/report.h"

/// File: the text report in the form of upstream's atime.

namespace csink::atime {

namespace {

/// The names with `between` between them.
std::string Joined(const std::vector<std::string>& names, const char* between) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : between) + name;
  return text;
}

/// The energy above that of the idle machine.
void PrintNet(const NetEnergy& net) {
  if (net.energy) {
    std::printf("ATIME: net of idle: %s\n", Joules(*net.energy).c_str());
  } else {
    std::printf("ATIME: net of idle: not known, because %s\n", net.why.c_str());
  }
}

/// One line for each phase. The number of its marks is shown if it was set more than once.
void PrintPhases(const std::vector<Phase>& phases) {
  for (const Phase& phase : phases) {
    const std::string name = phase.marks ? "phase " + phase.name : kBeforeMarks;
    std::printf("ATIME: %s: %s s", name.c_str(), ShortNumber(phase.seconds).c_str());
    if (phase.energy) {
      std::printf(", %s", Joules(*phase.energy).c_str());
      // A phase whose marks have the same time has no power.
      if (phase.seconds > 0) {
        std::printf(", %s W", ShortNumber(phase.energy->joules / phase.seconds).c_str());
      }
    }
    if (phase.marks > 1) {
      std::printf(", %llu times", static_cast<unsigned long long>(phase.marks));
    }
    std::fputs("\n", stdout);
  }
}

/// The part of the energy that is the job's by its CPU time.
void PrintJob(const JobShare& job) {
  std::printf("ATIME: CPU time of %s: %s s", job.times.name.c_str(),
              ShortNumber(job.times.cpu_seconds).c_str());
  if (job.share) {
    std::printf(", %s %% of the %s s that the whole machine used",
                ShortNumber(100 * *job.share).c_str(),
                ShortNumber(job.times.machine_seconds).c_str());
  }
  std::fputs("\n", stdout);
  if (!job.joules) {
    std::printf("ATIME: energy of %s: not estimated, because %s\n", job.times.name.c_str(),
                job.share ? "no energy of packages or memory was measured"
                          : "the machine's CPU time is not known");
    return;
  }
  std::printf("ATIME: energy of %s: %s J, an estimate: its share by CPU time of %s\n",
              job.times.name.c_str(), ShortNumber(*job.joules).c_str(),
              Joined(job.names, " + ").c_str());
  if (job.net) {
    std::printf("ATIME: energy of %s above idle: %s J, an estimate\n", job.times.name.c_str(),
                ShortNumber(*job.net).c_str());
  }
}

/// The events that took turns, as perf shows them: with the part of the time.
void PrintShares(const apapi_eventset& set) {
  for (int i = 0; i < set.num_events; ++i) {
    const double share = TimesOf(set, i).counted_share;
    // The usual case: the event was counted all of the time.
    if (share >= 1) continue;
    std::printf("ATIME: %s was counted %.2f %% of the time%s\n", set.event_ops[i].event_name,
                100 * share, share > 0 ? "; its values are scaled" : ": it has no value");
  }
}

/// The events with readings that failed, or with time in which their growth is not known.
void PrintFailures(const apapi_eventset& set) {
  for (int i = 0; i < set.num_events; ++i) {
    const unsigned long long failed = TimesOf(set, i).failed;
    const csink_apapi_event_losses losses = LossesOf(set, i);
    if (failed == 0 && losses.lacks == 0) continue;
    const std::string name = set.event_ops[i].event_name;
    std::string line = failed != 0 ? std::to_string(failed) + " readings failed" : "";
    if (losses.unknown_ns != 0) {
      line += (line.empty() ? "" : "; ") + std::string("its counter began anew: ") +
              ShortNumber(static_cast<double>(losses.unknown_ns) / 1e9) +
              " s are in no sum and no mean";
    }
    if (losses.lacks > 0 && losses.unknown_ns == 0) {
      line += (line.empty() ? "" : "; ") + std::string("its counter may have wrapped unseen");
    }
    std::printf("ATIME: %s: %s\n", name.c_str(), line.c_str());
  }
}

/// The energies with their bounds, and the total. Nothing for runs without energies.
void PrintEnergies(const RunResult& result) {
  for (const EventEnergy& event : result.energies) {
    std::printf("ATIME: energy of %s: %s, %s W over %s s\n", event.name.c_str(),
                Joules(event.energy).c_str(),
                ShortNumber(event.energy.joules / event.seconds).c_str(),
                ShortNumber(event.seconds).c_str());
  }
  if (!result.total) return;
  const EnergyTotal& total = *result.total;
  std::printf("ATIME: energy total: %s, %s W over %s s: %s\n", Joules(total.energy).c_str(),
              ShortNumber(total.watts).c_str(), ShortNumber(total.seconds).c_str(),
              Joined(total.names, " + ").c_str());
  for (const EnergyTotal::LeftOut& event : total.left_out) {
    std::printf("ATIME: not in the total: %s (%s)\n", event.name.c_str(), event.why.c_str());
  }
  // The sum lacks the energy of the time in which these were not measured.
  if (!total.shorter.empty()) {
    std::printf(
        "ATIME: the total is too low: %s measured for a part of the run only\n",
        (Joined(total.shorter, ", ") + (total.shorter.size() == 1 ? " was" : " were")).c_str());
  }
  if (result.net) PrintNet(*result.net);
}

}  // namespace

std::string Joules(const BoundedEnergy& energy) {
  if (std::isinf(energy.high)) {
    return ShortNumber(energy.joules) + " J (" + ShortNumber(energy.low) +
           " or more: the counter's steps are longer than the run)";
  }
  return ShortNumber(energy.joules) + " J (" + ShortNumber(energy.low) + " to " +
         ShortNumber(energy.high) + ")";
}

void PrintIdle(std::FILE* out, const EnergyTotal& idle) {
  const double seconds = idle.seconds;
  std::fprintf(out, "ATIME: idle: %s W (%s to %s) over %s s: %s\n", ShortNumber(idle.watts).c_str(),
               ShortNumber(idle.energy.low / seconds).c_str(),
               ShortNumber(idle.energy.high / seconds).c_str(), ShortNumber(seconds).c_str(),
               Joined(idle.names, " + ").c_str());
}

void PrintTextHead(std::FILE* out, const Options& options, const Measurement& measurement) {
  if (options.program) {
    std::fputs("ATIME: Program: ", out);
    for (char** word = options.program; *word; ++word) std::fprintf(out, "%s ", *word);
    std::fputs("\n", out);
  }
  for (const auto& measured : measurement.components()) {
    const char* name = measured->component().name.c_str();
    const unsigned long long ns = measured->interval_ns();
    std::fprintf(out, "ATIME: Use PAPI component %s\n", name);
    // Upstream's line: seconds with nine decimals.
    std::fprintf(out, "ATIME: cmp %s event_num %d interval %llu.%09llu\n", name,
                 measured->set().num_events, ns / 1'000'000'000, ns % 1'000'000'000);
  }
  std::fputs("ATIME: papi_start\n", out);
}

void PrintTextValues(std::FILE* out, const Measurement& measurement, const RunResult& result) {
  std::fflush(out);
  // Only now: the program has ended and its output is complete.
  if (out != stdout && dup2(fileno(out), STDOUT_FILENO) < 0) return;
  for (const auto& measured : measurement.components())
    APAPI_print_apapi_eventset(&measured->set());
  for (const auto& measured : measurement.components()) PrintShares(measured->set());
  for (const auto& measured : measurement.components()) PrintFailures(measured->set());
  PrintEnergies(result);
  PrintPhases(result.phases);
  if (result.job) PrintJob(*result.job);
  std::fputs("ATIME: papi stop\nATIME: done\n", stdout);
  std::fflush(stdout);
}

}  // namespace csink::atime
