#include <fcntl.h>
#include <papi.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "compat/apapi_client/message.h"
#include "compat/atime/energy/numbers.h"
#include "compat/atime/measurement.h"
#include "compat/atime/open_metrics.h"
#include "compat/atime/options.h"
#include "compat/atime/phase_marks.h"
#include "compat/atime/phases.h"
#include "compat/atime/program.h"
#include "compat/atime/report.h"
#include "compat/atime/series.h"
#include "compat/atime/watch.h"
#include "core/version/version.h"

/// File: atime. The order of the steps decides what is measured: the counters are running before
/// the program is released, and they stop after its end. Everything that can fail for reasons of
/// the settings is done before the program starts.

namespace csink::atime {
namespace {

/// 126 and 127 are what a shell returns for a program that cannot be executed or is not found.
constexpr int kUnmeasurable = 1, kNotWritten = 1, kNotExecutable = 126, kNotFound = 127;

/// Opens /dev/null (read only) for those of the descriptors 0, 1 and 2 that are closed. Otherwise a
/// file of atime's could get such a number, and output would be written into it. Writes to these
/// descriptors fail as before, and O_CLOEXEC closes them again in the program.
void KeepPlaces() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
}

/// If a signal that would end atime arrived during preparation: 128 + the signal; otherwise 0.
int AskedToEnd(const WaitedSignals& signals) {
  const int signal = signals.AskedToEnd();
  if (signal == 0) return 0;
  apapi::Say(kWho, std::string("stopped by a signal before the program was started: ") +
                       strsignal(signal));
  return 128 + signal;
}

/// The stream for the report. A file that atime opens is not inherited by the program ("e").
std::FILE* OpenReport(const char* path, File& own) {
  if (!path) return stdout;
  own.reset(std::fopen(path, "we"));
  if (!own) apapi::Say(kWho, std::string("cannot write ") + path + ": " + std::strerror(errno));
  return own.get();
}

/// The events that could not be read, by the number of their samples that are missing. "" stands
/// for all events of the component.
std::map<unsigned long long, std::string> FailedEvents(const apapi_eventset& set) {
  std::map<unsigned long long, std::string> failed;
  int count = 0;
  for (int i = 0; i < set.num_events; ++i) {
    const unsigned long long samples = TimesOf(set, i).failed;
    if (samples == 0) continue;
    ++count;
    std::string& names = failed[samples];
    names += (names.empty() ? " of " : ", ") + std::string(set.event_ops[i].event_name);
  }
  // All events failed equally often: the component failed, and its name is enough.
  if (failed.size() == 1 && count == set.num_events) failed.begin()->second.clear();
  return failed;
}

/// Reports lost samples of components that were read to the end. libapapi has reported the
/// components whose reads hang.
void SayLosses(const Measurement& measurement) {
  for (const auto& measured : measurement.components()) {
    const csink_apapi_health& health = measured->health();
    const std::string& name = measured->component().name;
    for (const auto& [failed, events] : FailedEvents(measured->set())) {
      apapi::Say(kWho, "component " + name + ": " + std::to_string(failed) + " samples" + events +
                           " are missing, because they could not be read");
    }
    if (health.missed) {
      apapi::Say(kWho, "component " + name + ": " + std::to_string(health.missed) +
                           " samples were late and were omitted; use a longer interval (-t)");
    }
  }
}

/// The runs of the program and what preceded them.
struct Results {
  std::optional<EnergyTotal> idle;
  std::vector<RunResult> runs;

  /// That of the first run that failed; 0: none failed.
  int ExitStatus() const {
    for (const RunResult& run : runs) {
      if (const int status = run.ending.ExitStatus()) return status;
    }
    return 0;
  }
};

/// The report of one run, which has all values of the events.
void PrintOneRun(std::FILE* out, const Options& options, const Measurement& measurement,
                 const Results& results) {
  const RunResult& run = results.runs[0];
  switch (options.format) {
    case Options::Format::kText:
      return PrintTextValues(out, measurement, run);
    case Options::Format::kCsv:
      return PrintCsv(out, measurement, run, results.idle);
    case Options::Format::kJson:
      return PrintJson(out, options, measurement, run, results.idle);
  }
}

/// The report of several runs, which has means only.
void PrintRuns(std::FILE* out, const Options& options, const Results& results) {
  switch (options.format) {
    case Options::Format::kText:
      return PrintRepeatedText(out, results.runs);
    case Options::Format::kCsv:
      return PrintRepeatedCsv(out, results.runs);
    case Options::Format::kJson:
      return PrintRepeatedJson(out, options, results.runs, results.idle);
  }
}

/// Writes the report. False, with a message: not everything could be written.
bool Report(std::FILE* out, const Options& options, const Measurement& measurement,
            const Results& results) {
  if (options.runs == 1) {
    PrintOneRun(out, options, measurement, results);
  } else {
    PrintRuns(out, options, results);
  }
  // stdout as well: libapapi prints the values there, also where the report is a file.
  if (std::fflush(out) == 0 && !std::ferror(out) && !std::ferror(stdout)) return true;
  apapi::Say(kWho, std::string("the report could not be written: ") + std::strerror(errno));
  return false;
}

/// The exit status of a program that exec refused, as a shell's.
int SayNotRun(const char* program, int why) {
  apapi::Say(kWho, std::string("cannot run ") + program + ": " + std::strerror(why));
  return why == ENOENT ? kNotFound : kNotExecutable;
}

/// Measures the idle power, if it is wanted, and says it.
void MeasureIdle(const Options& options, Measurement& measurement, const WaitedSignals& signals,
                 std::FILE* out, Results& results) {
  if (options.idle_ns == 0) return;
  results.idle =
      measurement.MeasureIdle(options.idle_ns, [&] { return signals.AskedToEnd() != 0; });
  if (!results.idle) {
    apapi::Say(kWho, "--idle: no energy of packages, memory or GPUs is measured");
  } else if (options.format == Options::Format::kText) {
    PrintIdle(out, *results.idle);
    std::fflush(out);
  }
}

/// The job of -p or --cgroup. False, with a message: it cannot be measured.
bool OpenJob(const Options& options, std::unique_ptr<Job>& job) {
  if (!options.has_job()) return true;
  std::string complaint;
  job = options.cgroup ? OpenControlGroup(options.cgroup, complaint)
                       : OpenProcesses(options.pids, complaint);
  if (!job) apapi::Say(kWho, complaint);
  return job != nullptr;
}

/// Measures a job that runs already, without a program. As RunOnce.
std::optional<int> MeasureJob(Measurement& measurement, const WaitedSignals& signals,
                              Series* series, Job& job, const std::optional<EnergyTotal>& idle,
                              RunResult& result) {
  // Without a program the line on the terminal is all that the user sees meanwhile.
  Watch watch(&job, measurement, true);
  if (!measurement.Begin(0, series)) return kUnmeasurable;
  if (series) series->Begin();
  measurement.Start();
  watch.Begin();
  const Ending ending = WaitForJob(signals, watch);
  const auto times = watch.End();
  measurement.Stop();
  result = MakeRunResult(measurement, ending, idle, times);
  SayLosses(measurement);
  return std::nullopt;
}

/// One run. nullopt: `result` is set; otherwise the program was not run, and the exit status.
std::optional<int> RunOnce(const Options& options, Measurement& measurement,
                           const WaitedSignals& signals, Series* series, bool is_first, Job* job,
                           PhaseMarks* marks, const std::optional<EnergyTotal>& idle,
                           RunResult& result) {
  if (marks) marks->Clear();
  auto program = Program::Prepare(options.program, signals);
  if (!program) {
    apapi::Say(kWho, std::string("cannot create a process: ") + std::strerror(errno));
    return kUnmeasurable;
  }
  Watch watch(job, measurement, options.live);
  if (!measurement.Begin(program->pid(), series)) return kUnmeasurable;
  // The times of all runs count from the first one, so that they increase through the file.
  if (series && is_first) series->Begin();
  // The counters run before the program is released, so its first instruction is measured.
  measurement.Start();
  // The child is at the gate: the destructor of `program` ends it.
  if (const int status = AskedToEnd(signals)) {
    measurement.Stop();
    return status;
  }
  RunSpan span = {RawClockNs(), 0};
  if (const int why = program->Release(); why != 0) {
    measurement.Stop();
    return SayNotRun(options.program[0], why);
  }
  watch.Begin();
  const Ending ending = program->Wait(signals, [&watch] { watch.Tick(); });
  span.end_ns = RawClockNs();
  const auto times = watch.End();
  measurement.Stop();
  result = MakeRunResult(measurement, ending, idle, times);
  if (marks) AddPhases(measurement, marks->Take(), span, result);
  SayLosses(measurement);
  return std::nullopt;
}

/// Runs the program as often as is wanted, and measures it. Returns the exit status of atime.
int Run(const Options& options, Measurement& measurement, const WaitedSignals& signals) {
  if (const int status = AskedToEnd(signals)) return status;
  std::unique_ptr<Job> job;
  if (!OpenJob(options, job)) return kUnmeasurable;
  // The files are opened first, so that no run is made whose results cannot be written.
  File own;
  std::FILE* out = OpenReport(options.output, own);
  Series series;
  if (!out || (options.series && !series.Open(options.series))) return kUnmeasurable;
  PhaseMarks marks;
  if (options.phases && !marks.Open()) return kUnmeasurable;
  if (options.format == Options::Format::kText) PrintTextHead(out, options, measurement);
  std::fflush(out);  // the program may write to the same file; the head must precede that
  Results results;
  MeasureIdle(options, measurement, signals, out, results);
  int not_run = 0;
  while (results.runs.size() < options.runs) {
    RunResult result;
    Series* const samples = options.series ? &series : nullptr;
    const auto status =
        options.program
            ? RunOnce(options, measurement, signals, samples, results.runs.empty(), job.get(),
                      options.phases ? &marks : nullptr, results.idle, result)
            : MeasureJob(measurement, signals, samples, *job, results.idle, result);
    // Runs that were made are reported, even if a later one could not be made.
    if (status && results.runs.empty()) return *status;
    if (status) {
      not_run = *status;
      break;
    }
    results.runs.push_back(std::move(result));
    // The user wants no further run.
    if (results.runs.back().ending.asked_to_end) break;
  }
  if (options.phases && !results.runs.empty() && results.runs.back().phases.empty()) {
    apapi::Say(kWho,
               "--phases: the program has set no mark (csink_mark of csink.h); static programs and "
               "those that replace LD_PRELOAD are not seen");
  }
  if (results.runs.size() < options.runs) {
    apapi::Say(kWho, std::to_string(results.runs.size()) + " of " + std::to_string(options.runs) +
                         " runs were made");
  }
  // Everything is written, even if one of the files fails.
  const bool has_series = series.Close();
  const bool has_report = Report(out, options, measurement, results);
  const bool has_metrics =
      !options.open_metrics ||
      ReplaceFile(options.open_metrics, OpenMetricsText(results.runs, results.idle));
  // A script that reads the report must learn that it is incomplete; a failure of the program tells
  // more than that.
  const int status = results.ExitStatus() ? results.ExitStatus() : not_run;
  return status == 0 && !(has_series && has_report && has_metrics) ? kNotWritten : status;
}

/// The whole program. The order of these steps is explained at the top of the file.
int Main(int argc, char** argv) {
  const Options options = ReadOptions(argc, argv);
  if (options.help) PrintHelp();
  if (options.version) std::printf("%s %s\n", kWho, VersionText());
  // Help, the version, or a command line that is not valid.
  if (!options.program && !options.has_job()) return options.status;
  // Before Prepare: threads of libraries that it starts inherit the mask.
  const WaitedSignals signals;
  Measurement measurement;
  if (!measurement.Prepare(options)) return kUnmeasurable;
  const int status = Run(options, measurement, signals);
  if (csink_apapi_any_abandoned()) {
    std::fflush(nullptr);
    _exit(status);  // a thread that hangs still uses what destructors would free
  }
  return status;
}

}  // namespace
}  // namespace csink::atime

int main(int argc, char** argv) {
  try {
    // Before anything is opened.
    csink::atime::KeepPlaces();
    return csink::atime::Main(argc, argv);
  } catch (const std::exception& error) {
    csink::apapi::Say(csink::atime::kWho, error.what());
    return 1;
  }
}
