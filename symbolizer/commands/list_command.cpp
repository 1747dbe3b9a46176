#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "profil/model/saturating.h"
#include "profil/reader/small_reader.h"
#include "symbolizer/commands/keep_modules.h"
#include "symbolizer/commands/report_command.h"
#include "symbolizer/commands/spool_files.h"
#include "symbolizer/commands/users_place.h"
#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: `csink report` without arguments. Listing also removes old spools of programs that died,
/// which no report has removed.

namespace csink::tool {
namespace {

/// Spools of dead processes are removed after a week.
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

/// Adds a row, or removes the file if it has expired.
void ListOne(const std::string& path, report::Table& table) {
  if (spool::IsSmallFile(path)) {
    if (AgeOf(path) > kExpirySeconds) unlink(path.c_str());
    return;  // Records of a tree's short processes: csink report FOLDER shows them
  }
  const auto spool = spool::ReadSpoolFile(path);
  if (!spool) {
    const double age = AgeOf(path);
    // Its process was killed before the first samples were in. Damaged spools are listed and not
    // removed.
    const bool is_empty = spool::IsNotBegun(spool.error());
    if (is_empty && age > kExpirySeconds) {
      unlink(path.c_str());
      return;
    }
    table.AddRow({report::Duration(age), "", "", is_empty ? "empty" : "damaged", "", "",
                  report::Printable(path)});
    return;
  }
  const double age = AgeOf(spool->header);
  const ProcessState state = StateOf(spool->header, path);
  // A process that still runs may not have been drained for long: it may be stopped.
  if (state != ProcessState::kLive && age > kExpirySeconds) {
    unlink(path.c_str());
    return;
  }
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
void RemoveIfLeft(const std::string& tree) {
  struct stat status;
  constexpr time_t kDay = 24 * 60 * 60;
  if (!SpoolsOfTree(tree).empty() || stat(tree.c_str(), &status) != 0 ||
      status.st_mtime > time(nullptr) - kDay) {
    return;
  }
  RemoveMessages(tree);
  if (RemoveUsersPlace(tree)) rmdir(tree.c_str());  // Fails if it has other files
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
  for (const std::string& root : SpoolRoots()) {
    searched += (searched.empty() ? "" : ", ") + root;
    for (const std::string& path : SpoolsIn(root)) ListOne(path, table);
    for (const std::string& tree : TreesIn(root)) {
      for (const std::string& path : SpoolsOfTree(tree)) ListOne(path, table);
      if (SpoolsOfTree(tree).empty()) RemoveLeftKept(tree);
      RemoveIfLeft(tree);
    }
  }
  if (table.rows() == 0) {
    // No error: a machine without spools is usual. The folders show where csink has looked.
    (void)WriteAll(1, "csink: no spools in " + report::Printable(searched) + "\n");
    return 0;
  }
  return Print(table.Draw({}, false)) ? 0 : kExitNothing;
}

}  // namespace csink::tool
