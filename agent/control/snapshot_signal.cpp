#include <errno.h>

#include "agent/control/control_holding.h"
#include "agent/control/controller.h"
#include "agent/reporter/reporter.h"
#include "core/util/raw_syscall.h"
#include "core/util/signals_blocked.h"
#include "core/util/static_storage.h"
#include "core/util/thread_id.h"

/// File: a report of what was sampled so far, while the program runs.

namespace csink::agent {
namespace {

constexpr std::uint64_t kOtherReportNs = 60'000'000'000;

// The configuration of one report; under report_lock. 5 KiB, too much for a small stack.
constinit StaticStorage<Config> g_snapshot_config;

// The report's place with the number of the snapshot: where the template has %n, else behind it.
template <std::size_t N>
void NumberedOutput(std::string_view text, std::uint32_t number, Text<N>& out) noexcept {
  out.Clear();
  bool numbered = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '%' && i + 1 < text.size() ? text[i + 1] : '\0';
    if (next == 'n') {
      out.Number(number);
      numbered = true;
      ++i;
    } else {
      out.Add(text[i]);
      if (next == '%') out.Add(text[++i]);
    }
  }
  if (!numbered && !text.empty()) out.Add('.').Number(number);
}

// A relative name counts from the folder in which the program was started.
template <std::size_t N>
void PlaceOf(std::string_view file, std::string_view directory, Text<N>& out) noexcept {
  out.Clear();
  if (file.front() != '/' && !directory.empty()) {
    for (const char c : directory) out.Add(c == '%' ? "%%" : std::string_view(&c, 1));
    out.Add('/');
  }
  out.Add(file);
}

}  // namespace

int Controller::Snapshot(std::string_view file) noexcept {
  if (file.size() + 1 >= sizeof config_.output) return E2BIG;
  {
    const Holding holding(*this);
    if (holding.error() != 0) return holding.error();
    collector_.DrainAll();
    meter_.CopyTo(spool_);
    collector_.SettleAll();
    if (collector_.accounts().samples() == 0 || !collector_.EnsureSpool()) return ENODATA;
  }
  const pid_t tid = AskTid();
  const SignalsBlocked quiet;
  if (state_.report_lock.HeldBy(tid) || !state_.report_lock.Lock(tid, kOtherReportNs)) {
    return EBUSY;
  }
  // Now that Finish cannot be reporting: has it done so meanwhile, and removed the spool?
  int error = process_.ending() ? ESHUTDOWN : 0;
  if (error == 0) {
    Config& config = g_snapshot_config.Make();
    config = config_;
    config.keep = true;
    ++state_.snapshots;
    const OutputName name = file.empty() ? OutputName::kDistinguished : OutputName::kAsNamed;
    if (file.empty()) {
      NumberedOutput(config_.output_path.view(), state_.snapshots, config.output_path);
    } else {
      PlaceOf(file, start_state_.directory, config.output_path);
    }
    switch (RunReporter(config, start_state_, spool_.path(), 0, name)) {
      case ReportOutcome::kWritten:
        break;
      case ReportOutcome::kNoReporter:
        error = ENOENT;
        break;
      case ReportOutcome::kOutOfReach:
        error = EACCES;
        break;
      case ReportOutcome::kFailed:
        error = EIO;
        break;
    }
  }
  state_.report_lock.Unlock();
  return error;
}

}  // namespace csink::agent
