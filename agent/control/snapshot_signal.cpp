#include <errno.h>

#include "agent/control/control_holding.h"
#include "agent/control/controller.h"
#include "agent/control/report_turn.h"
#include "agent/results/reporter.h"
#include "core/util/raw_syscall.h"
#include "core/util/static_storage.h"

/// File: a report of what was sampled so far, while the program runs. All rings are drained and the
/// spool is made current under the collector's lock. Then the lock is given back, and a child
/// process writes the report from the spool while sampling goes on.

namespace csink::agent {
namespace {

// The settings of one report, under report_lock. Static because 5 KiB are too much for a small
// signal stack.
constinit StaticStorage<Config> g_snapshot_config;

// CSINK_OUTPUT with the number of the snapshot: in place of %n, otherwise appended after a dot.
// Other templates (%p, %%) are copied for csink to expand.
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

// `file` for csink: a relative name counts from the directory in which the program was started.
// Percent signs of that directory are doubled, because csink expands templates.
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
  const ReportTurn turn(state_.report_lock);
  if (turn.error() != 0) return turn.error();
  // Finish takes report_lock as well, so it is not writing a report now. It may have done so
  // before, and have removed the spool.
  if (process_.ending()) return ESHUTDOWN;
  Config& config = g_snapshot_config.Make();
  config = config_;
  // The program still writes into the spool.
  config.keep = true;
  ++state_.snapshots;
  const OutputName name = file.empty() ? OutputName::kDistinguished : OutputName::kOfCommand;
  if (file.empty()) {
    NumberedOutput(config_.output_path.view(), state_.snapshots, config.output_path);
  } else {
    PlaceOf(file, start_state_.directory, config.output_path);
  }
  return ErrorOf(RunReporter(config, start_state_, spool_.path(), 0, name));
}

}  // namespace csink::agent
