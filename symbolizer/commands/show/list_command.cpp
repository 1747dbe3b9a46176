#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "profil/reading/model/saturating.h"
#include "profil/reading/reader/small_reader.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/load/keep_modules.h"
#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/commands/load/users_place.h"
#include "symbolizer/report/text/table.h"
#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: `csink report` without arguments, and `csink report --clean`. Both look for old spools of
/// programs that were killed, which no report has removed; only --clean removes them.

namespace csink::tool {
namespace {

/// What killed programs left may be removed after a week.
constexpr double kExpirySeconds = 7 * 86400.0;

/// Seconds since a time of CLOCK_REALTIME; 0 if it is in the future.
double SecondsSince(double realtime_seconds) {
  timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return 0;
  return std::max(0.0, static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) -
                           realtime_seconds);
}

/// Time since the last drain. The file's modification time cannot be used: on tmpfs, stores into a
/// mapped file do not change it.
double AgeOf(const spool::Header& header) {
  const std::uint64_t ran =
      SaturatingSubtract(header.update_monotonic_ns, header.start_monotonic_ns);
  return SecondsSince((static_cast<double>(header.start_realtime_ns) + static_cast<double>(ran)) /
                      1e9);
}

/// Age of a file by its modification time, for files that cannot be read as spools.
double AgeOf(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? SecondsSince(static_cast<double>(status.st_mtim.tv_sec))
                                          : 0;
}

/// The state of the process in one word.
const char* StateText(ProcessState state) {
  return state == ProcessState::kLive ? "running" : report::WordFor(state);
}

/// Whether the settings in the spool say that it is to be kept (core/settings/table.h).
bool WasToBeKept(const spool::Spool& spool) {
  return spool.configuration.find("CSINK_KEEP='1'") != std::string_view::npos ||
         spool.configuration.find("CSINK_REPORT='0'") != std::string_view::npos;
}

/// Whether a file in a usual folder was left by a killed program a week ago. Complete spools are
/// there because somebody wanted them, or because their report could not be written.
bool IsLeft(const std::string& path) {
  const auto spool = spool::ReadSpoolFile(path);
  // Its process was killed before the first samples were in. A damaged spool is evidence.
  if (!spool) return spool::IsNotBegun(spool.error()) && AgeOf(path) > kExpirySeconds;
  return spool->processes.empty() && !WasToBeKept(*spool) &&
         AgeOf(spool->header) > kExpirySeconds &&
         // A process that still runs may not have been drained for long: it may be stopped.
         StateOf(spool->header, path) == ProcessState::kUnknown;
}

/// The files in the folder of a tree that may be removed: all or none. csink run removes a tree's
/// files itself unless it was killed, or keeps them.
std::vector<std::string> LeftInTree(const std::string& tree) {
  if (IsMarkedAsKept(tree)) return {};
  std::vector<std::string> left = SpoolsOfTree(tree);
  for (const std::string& path : left) {
    const bool is_left = spool::IsSmallFile(path) ? AgeOf(path) > kExpirySeconds : IsLeft(path);
    if (!is_left) return {};
  }
  return left;
}

/// What killed programs left in the usual ones of these folders.
std::vector<std::string> AllLeft(const std::vector<std::string>& roots) {
  std::vector<std::string> left;
  for (const std::string& root : roots) {
    if (!IsUsualFolder(root)) continue;
    for (const std::string& path : SpoolsIn(root)) {
      if (IsLeft(path)) left.push_back(path);
    }
    for (const std::string& tree : TreesIn(root)) {
      for (std::string& path : LeftInTree(tree)) left.push_back(std::move(path));
    }
  }
  return left;
}

/// "3 spools of killed programs, older than seven days,"
std::string CountOf(const std::vector<std::string>& left) {
  return std::to_string(left.size()) + (left.size() == 1 ? " spool" : " spools") +
         " of killed programs, older than seven days,";
}

/// Adds a row.
void ListOne(const std::string& path, report::Table& table) {
  if (spool::IsSmallFile(path)) return;  // Records of short processes: csink report FOLDER
  const auto spool = spool::ReadSpoolFile(path);
  if (!spool) {
    table.AddRow({report::Duration(AgeOf(path)), "", "",
                  spool::IsNotBegun(spool.error()) ? "empty" : "damaged", "", "",
                  report::Printable(path)});
    return;
  }
  const double age = AgeOf(spool->header);
  const ProcessState state = StateOf(spool->header, path);
  std::uint64_t samples = 0;
  for (std::uint32_t i = 0; i < spool->header.event_count; ++i) {
    samples = std::max(samples, spool->header.events[i].samples);
  }
  table.AddRow({age < 1 ? "now" : report::Duration(age), std::to_string(spool->header.pid),
                report::Grouped(samples), StateText(state),
                report::Printable(spool->header.program),
                std::to_string(spool->header.exec_generation), report::Printable(path)});
}

/// Removes the folder of a tree without spools, as csink run leaves it when it is killed. One that
/// was changed within a day may belong to a tree that runs.
void RemoveIfEmpty(const std::string& tree) {
  struct stat status;
  constexpr time_t kDay = 24 * 60 * 60;
  if (!SpoolsOfTree(tree).empty() || IsMarkedAsKept(tree)) return;
  RemoveLeftKept(tree);
  if (lstat(tree.c_str(), &status) != 0 || status.st_mtime > time(nullptr) - kDay) return;
  RemoveMessages(tree);
  if (RemoveUsersPlace(tree)) (void)RemoveFolder(tree);  // Fails if it has other files
}

/// Prints a line if the folder is there and not looked into.
void WarnIfNotTrusted(const std::string& folder) {
  struct stat status;
  if (!OpenSpoolFolder(folder) && lstat(folder.c_str(), &status) == 0) {
    Warn(folder + kNotTrusted);
  }
}

}  // namespace

int ListSpools() {
  using Align = report::Table::Align;
  report::Table table;
  table.AddColumn("age", Align::kRight);
  table.AddColumn("pid", Align::kRight);
  table.AddColumn("samples", Align::kRight);
  table.AddColumn("state", Align::kLeft);
  table.AddColumn("program", Align::kLeft);
  table.AddColumn("image", Align::kRight);
  table.AddColumn("file", Align::kLeft);
  std::string searched;
  const std::vector<std::string> roots = SpoolRoots();
  for (const std::string& root : roots) {
    searched += (searched.empty() ? "" : ", ") + root;
    WarnIfNotTrusted(root);
    for (const std::string& path : SpoolsBelow(root)) ListOne(path, table);
  }
  if (table.rows() == 0) {
    // No error: a machine without spools is usual. The folders show where csink has looked.
    (void)WriteAll(1, "csink: no spools in " + report::Printable(searched) + "\n");
    return 0;
  }
  if (!Print(table.Draw({}, false))) return kExitNothing;
  const auto left = AllLeft(roots);
  if (!left.empty()) {
    Warn(CountOf(left) + (left.size() == 1 ? " is" : " are") +
         " left: csink report --clean removes " + (left.size() == 1 ? "it" : "them"));
  }
  return 0;
}

int CleanSpools(const std::vector<std::string>& roots) {
  const auto left = AllLeft(roots);
  for (const std::string& path : left) RemoveSpool(path);
  for (const std::string& root : roots) {
    WarnIfNotTrusted(root);
    if (!IsUsualFolder(root)) continue;
    for (const std::string& tree : TreesIn(root)) RemoveIfEmpty(tree);
  }
  return Print("csink: " + CountOf(left) + (left.size() == 1 ? " was" : " were") + " removed\n")
             ? 0
             : kExitNothing;
}

}  // namespace csink::tool
