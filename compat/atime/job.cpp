#include "compat/atime/job.h"

#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "compat/atime/job_files.h"

/// File: the CPU time of the machine, and of control groups.

namespace csink::atime {
namespace {

constexpr const char* kGroups = "/sys/fs/cgroup/";

/// A number behind a key in a file of lines "KEY NUMBER".
std::optional<double> NumberOf(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  std::string word;
  double number = 0;
  while (lines >> word >> number) {
    if (word == key) return number;
  }
  return std::nullopt;
}

/// The processes of a control group. The kernel counts their time, also of those that have ended.
class ControlGroup final : public Job {
 public:
  ControlGroup(std::string folder, std::string shown)
      : folder_(std::move(folder)), shown_(std::move(shown)) {}

  /// False: the group cannot be measured.
  bool Begin(std::string& complaint) {
    // Groups of v1 and of v2 have this file.
    if (!ReadFile(folder_ + "/cgroup.procs")) {
      complaint = shown_ + " is not a control group";
      return false;
    }
    // v2 groups count CPU time always; v1 groups below another controller do not.
    if (!Seconds()) {
      complaint = shown_ + " does not count CPU time (neither cpu.stat nor cpuacct.usage)";
      return false;
    }
    if (IsEmpty()) {
      complaint = shown_ + " has no processes";
      return false;
    }
    return true;
  }

  bool Look() override {
    const std::optional<double> now = Seconds();
    if (!now) return false;  // the group was removed
    if (!first_) first_ = *now;
    // A group that was removed and made again begins at 0.
    last_ = std::max(last_, *now);
    return !IsEmpty();
  }
  double CpuSeconds() const override { return first_ ? std::max(0.0, last_ - *first_) : 0; }
  std::string Name() const override { return "cgroup " + shown_; }

 private:
  /// The CPU time of the group since it was made, in s.
  std::optional<double> Seconds() const {
    if (const auto text = ReadFile(folder_ + "/cpu.stat")) {
      // v1 has a file of this name with other keys.
      if (const auto us = NumberOf(*text, "usage_usec")) return *us / 1e6;
    }
    const auto text = ReadFile(folder_ + "/cpuacct.usage");
    // The file is a number alone; with a key in front the same parser reads it.
    const auto ns = text ? NumberOf("usage " + *text, "usage") : std::nullopt;
    return ns ? std::optional(*ns / 1e9) : std::nullopt;
  }

  /// Whether neither the group nor one below it has a process. v1 cannot tell of those below.
  bool IsEmpty() const {
    if (const auto text = ReadFile(folder_ + "/cgroup.events")) {
      if (const auto populated = NumberOf(*text, "populated")) return *populated == 0;
    }
    // The root group of v2 and groups of v1 have no such file.
    const auto processes = ReadFile(folder_ + "/cgroup.procs");
    // Of v2 only the root group comes here (cgroup.controllers), and the machine always has
    // processes.
    return processes && processes->empty() && !ReadFile(folder_ + "/cgroup.controllers") &&
           Folders(folder_).empty();
  }

  const std::string folder_, shown_;
  std::optional<double> first_;
  double last_ = 0;
};

}  // namespace

std::unique_ptr<Job> OpenControlGroup(const std::string& path, std::string& complaint,
                                      const std::string& root) {
  // An absolute path names any folder, so that groups of v1 below a controller can be named, too.
  const std::string shown = path.starts_with('/') ? path : kGroups + path;
  auto group = std::make_unique<ControlGroup>(root + shown, shown);
  if (!group->Begin(complaint)) return nullptr;
  return group;
}

std::optional<double> MachineCpuSeconds(const std::string& root) {
  const auto text = ReadFile(root + "/proc/stat");
  if (!text) return std::nullopt;
  std::istringstream line(*text);
  std::string name;
  // proc(5): user (contains guest), nice (contains guest_nice), system, idle, iowait, irq, softirq.
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0;
  line >> name >> user >> nice >> system >> idle >> waiting >> irq >> softirq;
  if (!line || name != "cpu") return std::nullopt;
  return (user + nice + system + irq + softirq) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace csink::atime
