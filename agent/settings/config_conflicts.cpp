#include "agent/settings/complain.h"
#include "agent/settings/config.h"

/// File: settings that contradict each other. Each pair has a defined result and one line that says
/// what is ignored.

namespace csink::agent {
namespace {

// By Complain, so that a tree of processes says each line once.
void Warn(std::string_view line) noexcept { Complain(line); }

// CSINK_START_PAUSED is stronger than CSINK_DELAY: only a request resumes.
void SettleStart(Config& config) noexcept {
  if (!config.start_paused) return;
  if (config.delay_ns != 0) {
    config.delay_ns = 0;
    Warn(
        "CSINK_DELAY is ignored: CSINK_START_PAUSED is set, and sampling begins at the first "
        "resume");
  }
  // Nothing is changed: the line says when the duration begins.
  if (config.duration_ns != 0) {
    Warn("CSINK_DURATION begins at the first resume: CSINK_START_PAUSED is set");
  }
}

// CPU timers have neither stacks nor samples of kernel mode.
void SettleSource(Config& config) noexcept {
  if (config.source != SourceChoice::kTimer) return;
  if (config.stacks != Stacks::kOff) {
    config.stacks = Stacks::kOff;
    Warn("CSINK_STACKS is ignored: CSINK_SOURCE=timer cannot record callers");
  }
  if (config.kernel) {
    config.kernel = false;
    Warn("CSINK_KERNEL is ignored: CSINK_SOURCE=timer samples user code only");
  }
}

// These combinations are not changed; a line says what they mean.
void SettleChildren(Config& config) noexcept {
  if (config.include.size() != 0 && config.include.view() == config.exclude.view()) {
    Warn(
        "CSINK_EXCLUDE and CSINK_INCLUDE are equal: CSINK_EXCLUDE takes precedence, and these "
        "programs are not profiled");
  }
  if (config.follow == Follow::kNone && config.include.size() != 0) {
    Warn(
        "CSINK_INCLUDE has no effect on children: with CSINK_FOLLOW=none only the first program is "
        "profiled");
  }
}

// A binary report must not go to stderr, which may be a terminal.
void SettleFormat(Config& config) noexcept {
  if (!NameOf(config.format).is_binary || config.output.size() != 0 || !config.report) return;
  // Under `csink run` the report is made for the tree, and csink's own options say where it goes.
  if (config.tree == 0) {
    Warn("CSINK_FORMAT is ignored: this format needs a file: set CSINK_OUTPUT");
  }
  config.format = ReportFormat::kText;
}

}  // namespace

void SettleConflicts(Config& config) noexcept {
  SettleStart(config);
  SettleSource(config);
  SettleChildren(config);
  SettleFormat(config);
  // Without a report and without a spool nothing would be left of the run.
  if (!config.report && !config.keep && WasGiven(config, Setting::kKeep)) {
    config.keep = true;
    Warn("CSINK_KEEP=0 is ignored: with CSINK_REPORT=0 the spool is kept for csink report");
  }
  if (WasGiven(config, Setting::kLog) && WasGiven(config, Setting::kVerbose)) {
    Warn("CSINK_VERBOSE is ignored: CSINK_LOG is set");
  }
}

}  // namespace csink::agent
