#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <sstream>

#include "compat/atime/job.h"
#include "compat/atime/job_files.h"

/// File: the CPU time of processes and their descendants, from /proc/PID/stat.

namespace csink::atime {
namespace {

/// What /proc/PID/stat says.
struct Stat {
  pid_t parent = 0;
  unsigned long long started = 0;  ///< Ticks after the start of the machine; tells a reused pid
  double ticks = 0;                ///< Of the process and of the children that it waited for
  bool is_zombie = false;
};

/// nullopt: the process does not exist any more.
std::optional<Stat> ReadStat(const std::string& proc, pid_t pid) {
  const auto text = ReadFile(proc + "/" + std::to_string(pid) + "/stat");
  if (!text) return std::nullopt;
  // The name in parentheses may contain blanks and parentheses, so the rest begins at the last one.
  const std::size_t name_end = text->rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text->substr(name_end + 1));
  Stat stat;
  char state = 0;
  std::string skipped;
  fields >> state >> stat.parent;
  // proc(5): fields 5 to 13; then utime, stime, cutime, cstime; fields 18 to 21; starttime.
  for (int i = 5; i <= 13; ++i) fields >> skipped;
  for (int i = 14; i <= 17; ++i) {
    double ticks = 0;
    fields >> ticks;
    stat.ticks += ticks;
  }
  for (int i = 18; i <= 21; ++i) fields >> skipped;
  fields >> stat.started;
  if (!fields) return std::nullopt;
  stat.is_zombie = state == 'Z' || state == 'X';
  return stat;
}

/// The named processes and their descendants. Times are differences to those at the first look.
class Processes final : public Job {
 public:
  Processes(std::vector<pid_t> pids, std::string proc)
      : pids_(std::move(pids)), proc_(std::move(proc)) {}

  /// False: one of the processes does not exist.
  bool Begin(std::string& complaint) {
    for (const pid_t pid : pids_) {
      const std::string folder = proc_ + "/" + std::to_string(pid);
      const auto status = ReadFile(folder + "/status");
      const auto stat = ReadStat(proc_, pid);
      if (!status || !stat || stat->is_zombie) {
        complaint = "there is no process " + std::to_string(pid);
        return false;
      }
      // /proc lists processes only, but opens the folder of any thread.
      const std::size_t group = status->find("\nTgid:\t");
      if (group == std::string::npos ||
          std::strtol(status->c_str() + group + 7, nullptr, 10) != pid) {
        complaint = std::to_string(pid) + " is a thread, not a process";
        return false;
      }
      // The time so far is not the job's: the named process starts at its present ticks.
      Follow(pid, *stat, true);
    }
    // What exists now has used its time before.
    Search(true);
    return true;
  }

  bool Look() override {
    if (!has_looked_) {
      // Begin may have been long ago: atime measures the idle power in between.
      RefreshAll();
      Search(true);
      for (auto& [pid, known] : known_) known.before = known.ticks;
      gone_ticks_ = 0;
      has_looked_ = true;
    }
    RefreshAll();
    if (std::chrono::steady_clock::now() - searched_ >= std::chrono::seconds(1)) Search(false);
    return std::any_of(known_.begin(), known_.end(), [](const auto& entry) {
      return entry.second.is_named && !entry.second.is_gone;
    });
  }

  double CpuSeconds() const override {
    double ticks = gone_ticks_;
    for (const auto& [pid, known] : known_) {
      // The processes that are gone are in gone_ticks_.
      if (!known.is_gone) ticks += known.ticks - known.before;
    }
    return std::max(0.0, ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }

  std::string Name() const override {
    std::string name = pids_.size() == 1 ? "process " : "processes ";
    for (std::size_t i = 0; i < pids_.size(); ++i) {
      name += (i ? ", " : "") + std::to_string(pids_[i]);
    }
    return name;
  }

 private:
  struct Known {
    unsigned long long started = 0;
    pid_t parent = 0;
    double before = 0;  ///< Ticks that it had used when the measurement began
    double ticks = 0;
    bool is_named = false;  ///< By -p; not a descendant
    bool is_gone = false;
  };

  /// Adds a process. A descendant that is found later has all of its time since it began.
  void Follow(pid_t pid, const Stat& stat, bool is_named) {
    known_[pid] = {stat.started, stat.parent, is_named ? stat.ticks : 0,
                   stat.ticks,   is_named,    false};
  }

  /// Whether the parent of a process that went is in the job: it has waited for the process, and
  /// its own times contain that of the process.
  bool IsInParent(const Known& known) const {
    const auto parent = known_.find(known.parent);
    return parent != known_.end() && !parent->second.is_gone;
  }

  void Refresh(pid_t pid, Known& known) {
    const auto stat = ReadStat(proc_, pid);
    // The same number with another start is another process.
    if (stat && stat->started == known.started && !stat->is_zombie) {
      // A process whose parent ended has another one.
      known.parent = stat->parent;
      known.ticks = stat->ticks;
      return;
    }
    // A zombie still has its times, which are the last ones.
    if (stat && stat->started == known.started) known.ticks = stat->ticks;
    // Until its parent waits for it, a zombie's time is nowhere else.
    if (stat && stat->started == known.started && !known.is_named) return;
    known.is_gone = true;
    has_lost_ = true;
    // Its parent's times now contain all of its time, also that before the measurement.
    gone_ticks_ += IsInParent(known) ? -known.before : known.ticks - known.before;
  }

  /// Reads the times of all that exist. Where one has gone, the others are read again: its parent
  /// may have waited for it after the parent was read.
  void RefreshAll() {
    do {
      has_lost_ = false;
      for (auto& [pid, known] : known_) {
        if (!known.is_gone) Refresh(pid, known);
      }
    } while (has_lost_);
  }

  /// Looks for descendants that are not known. `is_begin`: they have used their time before.
  void Search(bool is_begin) {
    searched_ = std::chrono::steady_clock::now();
    std::map<pid_t, Stat> others;
    for (const std::string& name : Folders(proc_)) {
      pid_t pid = 0;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
      // Other folders of /proc are no processes.
      if (error != std::errc() || end != name.data() + name.size()) continue;
      const auto found = known_.find(pid);
      // A number of a process that is gone may belong to a new one.
      if (found != known_.end() && !found->second.is_gone) continue;
      if (const auto stat = ReadStat(proc_, pid)) others.emplace(pid, *stat);
    }
    // Children of children are found in the next round.
    for (bool found = true; found;) {
      found = false;
      // Parents that are gone do not count: their children have another parent by then.
      for (auto at = others.begin(); at != others.end();) {
        const auto parent = known_.find(at->second.parent);
        if (parent == known_.end() || parent->second.is_gone) {
          ++at;
          continue;
        }
        Follow(at->first, at->second, false);
        if (is_begin) known_[at->first].before = at->second.ticks;
        at = others.erase(at);
        found = true;
      }
    }
  }

  const std::vector<pid_t> pids_;
  const std::string proc_;
  std::map<pid_t, Known> known_;
  std::chrono::steady_clock::time_point searched_;
  bool has_looked_ = false;
  bool has_lost_ = false;  ///< RefreshAll found a process gone
  /// What the processes that are gone add to the times of those that exist; negative: that their
  /// parents' times contain too much.
  double gone_ticks_ = 0;
};

}  // namespace

std::unique_ptr<Job> OpenProcesses(const std::vector<pid_t>& pids, std::string& complaint,
                                   const std::string& root) {
  auto processes = std::make_unique<Processes>(pids, root + "/proc");
  if (!processes->Begin(complaint)) return nullptr;
  return processes;
}

}  // namespace csink::atime
