#include <fcntl.h>
#include <papi.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "compat/apapi_client/message.h"
#include "compat/atime/measurement.h"
#include "compat/atime/options.h"
#include "compat/atime/program.h"
#include "compat/atime/report.h"
#include "compat/atime/series.h"

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

/// Reports lost samples of components that were read to the end. libapapi has reported the
/// components whose reads hang.
void SayLosses(const Measurement& measurement) {
  for (const auto& measured : measurement.components()) {
    const csink_apapi_health& health = measured->health();
    const std::string& name = measured->component().name;
    if (health.failed_reads) {
      apapi::Say(kWho, "component " + name + ": " + std::to_string(health.failed_reads) +
                           " samples are missing, because they could not be read");
    }
    if (health.missed) {
      apapi::Say(kWho, "component " + name + ": " + std::to_string(health.missed) +
                           " samples were late and were omitted; use a longer interval (-t)");
    }
  }
}

/// Writes the report. False, with a message: not everything could be written.
bool Report(std::FILE* out, const Options& options, const Measurement& measurement,
            const Ending& ending) {
  switch (options.format) {
    case Options::Format::kText:
      PrintTextValues(out, measurement);
      break;
    case Options::Format::kCsv:
      PrintCsv(out, measurement);
      break;
    case Options::Format::kJson:
      PrintJson(out, options, measurement, ending);
      break;
  }
  if (std::fflush(out) == 0 && !std::ferror(out) && !std::ferror(stdout)) return true;
  apapi::Say(kWho, std::string("the report could not be written: ") + std::strerror(errno));
  return false;
}

/// The exit status of a program that exec refused, as a shell's.
int SayNotRun(const char* program, int why) {
  apapi::Say(kWho, std::string("cannot run ") + program + ": " + std::strerror(why));
  return why == ENOENT ? kNotFound : kNotExecutable;
}

/// Runs the program and measures it. Returns the exit status of atime.
int Run(const Options& options, Measurement& measurement, const WaitedSignals& signals) {
  if (const int status = AskedToEnd(signals)) return status;
  File own;
  std::FILE* out = OpenReport(options.output, own);
  Series series;
  if (!out || (options.series && !series.Open(options.series))) return kUnmeasurable;
  if (options.format == Options::Format::kText) PrintTextHead(out, options, measurement);
  std::fflush(out);  // the program may write to the same file; the head must precede that
  auto program = Program::Prepare(options.program, signals);
  if (!program) {
    apapi::Say(kWho, std::string("cannot create a process: ") + std::strerror(errno));
    return kUnmeasurable;
  }
  if (!measurement.Begin(program->pid(), options.series ? &series : nullptr)) return kUnmeasurable;
  series.Begin();
  // The counters run before the program is released, so its first instruction is measured.
  measurement.Start();
  if (const int status = AskedToEnd(signals)) {
    measurement.Stop();
    return status;
  }
  if (const int why = program->Release(); why != 0) {
    measurement.Stop();
    return SayNotRun(options.program[0], why);
  }
  const Ending ending = program->Wait(signals);
  measurement.Stop();
  const bool has_series = series.Close();
  SayLosses(measurement);
  const bool has_report = Report(out, options, measurement, ending);
  // A script that reads the report must learn that it is incomplete; a failure of the program tells
  // more than that.
  if (ending.ExitStatus() == 0 && !(has_series && has_report)) return kNotWritten;
  return ending.ExitStatus();
}

int Main(int argc, char** argv) {
  const Options options = ReadOptions(argc, argv);
  if (options.help) PrintHelp();
  if (!options.program) return options.status;
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
    csink::atime::KeepPlaces();
    return csink::atime::Main(argc, argv);
  } catch (const std::exception& error) {
    csink::apapi::Say(csink::atime::kWho, error.what());
    return 1;
  }
}
