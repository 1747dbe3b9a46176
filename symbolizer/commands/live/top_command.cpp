#include "symbolizer/commands/live/top_command.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "core/util/parse.h"
#include "profil/reading/model/difference.h"
#include "profil/reading/model/saturating.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/live/screen.h"
#include "symbolizer/commands/load/known_names.h"
#include "symbolizer/commands/load/live_spools.h"
#include "symbolizer/commands/load/sample_counts.h"
#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/commands/show/output.h"
#include "symbolizer/report/tables/select_events.h"
#include "symbolizer/report/text/text.h"
#include "symbolizer/report/verdict/wall_division.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: `csink top`. Look reads the spools and keeps two states, now and the one before; ShowState
/// shows their difference (profil/reading/model/difference.h) or the whole; WaitForNext waits for
/// the time, a key, or the end of the program. One profile's names are kept (KnownNames), so that
/// each look resolves new addresses only.

namespace csink::tool {
namespace {

/// Rows of the screen beside the table's: header, titles, rest, verdict.
constexpr std::size_t kOtherRows = 10;

/// CLOCK_MONOTONIC: intervals must not follow a change of the clock.
double MonotonicSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// CPU time, in seconds, of the profile's processes in the time that the profile covers.
double CpuOf(const Profile& profile) {
  double seconds = 0;
  for (const ProcessRow& process : profile.processes) {
    seconds += report::Seconds(SaturatingSubtract(process.user_ns, process.start_user_ns)) +
               report::Seconds(SaturatingSubtract(process.system_ns, process.start_system_ns));
  }
  return seconds;
}

/// The exit status after the screen was left: kExitNothing if output failed. A closed pipe is no
/// failure.
int StatusAfter(Screen& screen) {
  screen.Leave();  // Otherwise the message would vanish with the alternate screen
  return ComplainUnwritten(screen.error()) ? kExitNothing : 0;
}

/// One run of `csink top`. `now_` and `before_` are the last two looks, whose difference is shown.
class Top {
 public:
  Top(const TopOptions& options, std::uint32_t pid, std::uint64_t ticks,
      const report::Resolver& resolve)
      : options_(options),
        pid_(pid),
        cumulative_(options.cumulative),
        names_(resolve),
        spools_(pid, ticks, options.tree) {}
  /// Shows the program until it ends or the user quits. Returns the exit status.
  int Run();

 private:
  std::string Look(bool& runs);
  std::string Block(report::Report report, const report::TextStyle& style, bool since_start) const;
  std::string Header(const report::Report& report, const report::TextStyle& style,
                     bool since_start) const;
  report::TextStyle Style(const Screen& screen) const;
  bool ShowState(Screen& screen, bool since_start);
  bool TakeKey(char key, Screen& screen);
  bool WaitForNext(Screen& screen);

  const TopOptions& options_;
  std::uint32_t pid_;
  bool cumulative_;
  bool paused_ = false;
  KnownNames names_;
  LiveSpools spools_;
  Profile now_;
  Profile before_;
  bool has_before_ = false;
  double seconds_ = 0;  // Between both looks
  double last_look_ = 0;
};

/// How the time of all threads was divided; "" if it is not known (spools of older agents).
std::string DivisionText(const report::Report& report) {
  const auto division = report::DivideWall(report.profile);
  if (!division || division->wall_seconds <= 0) return "";
  const auto part = [&](double seconds) {
    return report::Percent(seconds / division->wall_seconds);
  };
  std::string text = report::Count(division->threads, "thread", "threads") + ": " +
                     part(division->running_seconds) + " running, " +
                     part(division->waiting_seconds) + " waiting for a processor, " +
                     part(division->blocked_seconds) + " blocked";
  if (division->undivided_seconds >= 0.01 * division->wall_seconds) {
    text += ", " + part(division->undivided_seconds) + " waiting or blocked";
  }
  return text;
}

/// Three lines: the program, what the shown time was used for, and the parts of the threads' time.
std::string Top::Header(const report::Report& report, const report::TextStyle& style,
                        bool since_start) const {
  // The first look has no earlier one: everything since the start is shown.
  const bool all = since_start || !has_before_;
  const double wall = all ? report.wall_seconds : seconds_;
  const double cpu = CpuOf(report.profile);
  std::string text = report::OneLine(report::WithBaseName(report.command)) + "   pid " +
                     std::to_string(pid_) + (paused_ ? "   (paused)" : "");
  std::string times = (all ? "since the start, " : "in the last ") + report::Duration(wall) + ": " +
                      report::Duration(cpu) + " of CPU time";
  if (wall > 0) times += ", " + report::FixedText(cpu / wall, 2) + " cores";
  times += ", " + report::Count(MostSamples(report.profile), "sample", "samples");
  if (options_.tree) {
    times += ", " + report::Count(report.processes.size(), "process image", "process images");
  }
  if (spools_.left_out() > 0) {
    times += "; " + report::Grouped(spools_.left_out()) + " more are not shown";
  }
  return report::Wrapped(style, "csink top  ", text) + report::Wrapped(style, "  ", times) +
         report::Wrapped(style, "  ", DivisionText(report));
}

/// All that is shown at one time: header, main table, processes of a tree, verdict.
std::string Top::Block(report::Report report, const report::TextStyle& style,
                       bool since_start) const {
  std::string text = Header(report, style, since_start) + "\n";
  if (MostSamples(report.profile) == 0) return text + "no samples\n";
  text += report::WriteMain(report, style);
  if (options_.tree && style.by != report::By::kProcesses) {
    text += report::WriteProcesses(report, style);
  }
  return text + "\n" + report::WriteVerdict(report, style);
}

/// The style for the terminal's present size. With --tree the table of processes gets the other
/// half of the rows.
report::TextStyle Top::Style(const Screen& screen) const {
  OutputOptions output;
  output.top = options_.top;
  output.by = options_.by;
  output.sort = options_.sort;
  output.colour = options_.colour;
  report::TextStyle style = StyleFor(1, output);
  const std::size_t rows = SizeOf(1).rows;
  if (screen.is_terminal() && rows > 0) {
    const std::size_t room = rows > kOtherRows + 1 ? rows - kOtherRows : 1;
    style.top = std::min(style.top, options_.tree ? std::max<std::size_t>(1, room / 2) : room);
  }
  return style;
}

/// Reads the spools again. Returns what is wrong with the requested columns, or "".
std::string Top::Look(bool& runs) {
  runs = spools_.Look();
  Profile profile = spools_.Read();
  // After the reading, as the spools were at that moment.
  const double time = MonotonicSeconds();
  // A first look without spools is no state to compare with.
  if (!now_.processes.empty()) {
    before_ = std::move(now_);
    has_before_ = true;
    seconds_ = time - last_look_;
  }
  last_look_ = time;
  now_ = std::move(profile);
  if (now_.events.empty()) return "";
  return report::WhatIsWrongWithColumns(now_, options_.events, options_.sort);
}

/// Shows the last interval, or everything since the start. Returns false if the output cannot be
/// written.
bool Top::ShowState(Screen& screen, bool since_start) {
  if (now_.processes.empty()) {
    // In a file or pipe nothing is written before there are samples.
    return !screen.is_terminal() || screen.Show("csink top: waiting for the first samples\n");
  }
  const bool interval = !since_start && has_before_;
  Profile profile = interval ? Since(now_, before_) : now_;
  report::Report report = report::BuildReport(std::move(profile), std::ref(names_));
  report::SelectEvents(report, options_.events);
  return screen.Show(Block(std::move(report), Style(screen), since_start));
}

/// Acts on a key and shows the state again. Returns false to quit, or if the output cannot be
/// written.
bool Top::TakeKey(char key, Screen& screen) {
  if (key == 'q' || key == 'Q') return false;
  if (key == 'p' || key == 'P') paused_ = !paused_;
  if (key == 'c' || key == 'C') cumulative_ = !cumulative_;
  return ShowState(screen, cumulative_);
}

/// Waits for the next look. Returns false to quit.
bool Top::WaitForNext(Screen& screen) {
  // With --once, the first look comes as soon as there are samples.
  constexpr double kFirstLook = 0.05;
  const double until =
      MonotonicSeconds() + (options_.once ? kFirstLook : options_.interval_seconds);
  for (;;) {
    const double left = until - MonotonicSeconds();
    if (left <= 0 && !paused_) return true;
    // The end of the program is noticed within a fifth of a second. While the display is paused,
    // the interval may be over; then only a key is waited for.
    constexpr double kLongestWait = 0.2;
    char key = 0;
    const double wait = left > 0 ? std::clamp(left, 0.001, kLongestWait) : kLongestWait;
    const Wake wake = screen.Wait(wait, key);
    if (wake == Wake::kEnd || (wake == Wake::kKey && !TakeKey(key, screen))) return false;
    if (wake == Wake::kRedraw && !ShowState(screen, cumulative_)) return false;
    // The process has ended: the next look shows its last state. Of a tree, others may still run.
    if (!paused_ && !StartTicks(pid_) && !options_.tree) return true;
  }
}

int Top::Run() {
  Screen screen(!options_.once);
  bool runs = true;
  for (;;) {
    if (const std::string wrong = Look(runs); !wrong.empty()) {
      screen.Leave();  // Otherwise the message would vanish with the alternate screen
      Complain(wrong);
      return kExitUsage;
    }
    if (!runs) break;
    if (!ShowState(screen, cumulative_)) return StatusAfter(screen);
    if (options_.once && spools_.has_any()) return 0;
    if (!WaitForNext(screen)) return StatusAfter(screen);
  }
  screen.Leave();
  if (now_.processes.empty()) {
    Complain("process " + std::to_string(pid_) + " ended without a sample");
    return kExitNothing;
  }
  // On the normal screen, where it stays readable.
  (void)ShowState(screen, true);
  return StatusAfter(screen);
}

}  // namespace

int RunTop(const TopOptions& options, const report::Resolver& resolve) {
  const auto pid = ParseUnsigned(options.pid);
  if (!pid || *pid == 0 || *pid > 0x7fffffff) {
    Complain("csink top " + options.pid + ": not a process number");
    return kExitUsage;
  }
  const auto number = static_cast<std::uint32_t>(*pid);
  const auto ticks = StartOfProfiled(number, options.tree);
  if (!ticks) return kExitNothing;
  return Top(options, number, *ticks, resolve).Run();
}

}  // namespace csink::tool
