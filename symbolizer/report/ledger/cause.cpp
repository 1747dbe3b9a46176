#include "symbolizer/report/ledger/cause.h"

#include <string.h>
#include <sys/wait.h>

#include "profil/format/small_record.h"
#include "symbolizer/report/wording/numbers.h"

/// File: the switches have no default, so that the compiler warns of a cause without words.

namespace csink::report {
namespace {

/// "in /bin/busybox, which is statically linked"
std::string Refused(const Remainder& row, spool::Refusal why) {
  const std::string program = row.evidence.program.empty() ? "a program" : row.evidence.program;
  return "in " + program + ", which " + spool::WordsFor(why);
}

/// "1 process" or "3 processes"; "processes" where the number is not known.
std::string Processes(const Remainder& row) {
  return row.processes == 0 ? "processes" : Count(row.processes, "process", "processes");
}

}  // namespace

std::string SignalName(int signal) {
  if (signal <= 0) return "a signal";
  const char* name = signal > 0 && signal < 65 ? sigabbrev_np(signal) : nullptr;
  return name ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

const char* WordFor(Cause cause) {
  switch (cause) {
    case Cause::kStatic:
      return "static-program";
    case Cause::kSetId:
      return "setuid-program";
    case Cause::kCapabilities:
      return "file-capabilities";
    case Cause::kOtherMachine:
      return "other-architecture";
    case Cause::kNoEnvironment:
      return "agent-not-in-environment";
    case Cause::kMusl:
      return "musl-program";
    case Cause::kExcluded:
      return "excluded-by-settings";
    case Cause::kSpoolRefused:
      return "spool-refused";
    case Cause::kBeforeAgent:
      return "before-agent";
    case Cause::kAfterLastReading:
      return "after-last-reading";
    case Cause::kKilled:
      return "killed";
    case Cause::kExited:
      return "exited-unseen";
    case Cause::kSandbox:
      return "sandbox";
    case Cause::kProfiler:
      return "profiler";
    case Cause::kPaused:
      return "paused";
    case Cause::kSystemTime:
      return "system-time-not-sampled";
    case Cause::kNotCompared:
      return "not-compared";
    case Cause::kNoRing:
      return "no-ring-buffer";
    case Cause::kFullRing:
      return "full-ring-buffer";
    case Cause::kShortThreads:
      return "short-threads";
    case Cause::kLateThreads:
      return "threads-found-late";
    case Cause::kSwitchedOff:
      return "events-switched-off";
    case Cause::kSwitches:
      return "context-switches";
    case Cause::kFewSamples:
      return "few-samples";
    case Cause::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string WordsFor(const Remainder& row) {
  const Evidence& evidence = row.evidence;
  switch (row.cause) {
    case Cause::kStatic:
      return Refused(row, spool::Refusal::kStatic);
    case Cause::kSetId:
      return Refused(row, spool::Refusal::kSetId);
    case Cause::kCapabilities:
      return Refused(row, spool::Refusal::kCapabilities);
    case Cause::kOtherMachine:
      return Refused(row, spool::Refusal::kOtherMachine);
    case Cause::kNoEnvironment:
      return Refused(row, spool::Refusal::kNoEnvironment);
    case Cause::kMusl:
      return Refused(row, spool::Refusal::kMusl);
    case Cause::kExcluded:
      return "in " + Processes(row) + " that the settings exclude";
    case Cause::kSpoolRefused:
      return "in " + Processes(row) + " of " + evidence.program + " whose spool could not be made" +
             (evidence.error != 0 ? std::string(" (") + strerror(evidence.error) +
                                        (evidence.error == EFBIG ? ", RLIMIT_FSIZE)" : ")")
                                  : "");
    case Cause::kBeforeAgent:
      return "before the agent was ready (exec, dynamic linking)";
    case Cause::kAfterLastReading:
      return "at the end of " + Processes(row) + ", behind the agent's last reading";
    case Cause::kKilled:
      return "in " + Processes(row) + " behind the last reading before " +
             SignalName(WTERMSIG(evidence.status)) + " ended " +
             (row.processes == 1 ? "it" : "them");
    case Cause::kExited:
      return "in " + Processes(row) + " behind the last reading before an exit with status " +
             std::to_string(WEXITSTATUS(evidence.status)) + " that the agent did not see";
    case Cause::kSandbox:
      return "after " + Processes(row) + " had entered a sandbox";
    case Cause::kProfiler:
      return "in the profiler itself";
    case Cause::kPaused:
      return "paused, as requested";
    case Cause::kSystemTime:
      return "in the kernel, which the events exclude";
    case Cause::kNotCompared:
      return evidence.program.empty() ? "not compared, because no clock event was sampled"
                                      : "not compared, because only samples after the mark \"" +
                                            evidence.program + "\" are shown";
    case Cause::kNoRing:
      return "in threads without a ring buffer";
    case Cause::kFullRing:
      return "while ring buffers were full and could not be drained";
    case Cause::kShortThreads:
      return "in threads too short for a sample";
    case Cause::kLateThreads:
      return "in " + Grouped(evidence.count) +
             (evidence.count == 1 ? " thread, before it was found"
                                  : " threads, before they were found");
    case Cause::kSwitchedOff:
      return "while the program had its events switched off (PR_TASK_PERF_EVENTS_DISABLE)";
    case Cause::kSwitches:
      return "that the kernel may have spent on the event in " + Grouped(evidence.count) +
             " context switches and counts as user time (CSINK_SOURCE=timer does not use the "
             "event)";
    case Cause::kFewSamples:
      return "in " + Processes(row) + " with fewer than " + Grouped(kFewSamplesOfAProcess) +
             " samples each";
    case Cause::kUnknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace csink::report
