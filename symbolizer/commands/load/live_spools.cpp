#include "symbolizer/commands/load/live_spools.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/util/parse.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/names/locate/live_process.h"

/// File: follows running processes. Look reads /proc for descendants and for spools in their memory
/// maps, and opens each spool once. Read reads the open files again through /proc/self/fd, which
/// works after they were unlinked. An image (pid, start, generation) that begins a new spool
/// replaces its old one.

namespace csink::tool {
namespace {

/// The children of each process of this machine, as far as /proc shows them.
std::map<std::uint32_t, std::vector<std::uint32_t>> Children() {
  std::map<std::uint32_t, std::vector<std::uint32_t>> children;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto pid = ParseUnsigned(entry->path().filename().string());
    if (!pid) continue;
    const auto stat = symbolizer::ReadProcessStat(entry->path().string());
    if (stat) children[stat->parent].push_back(static_cast<std::uint32_t>(*pid));
  }
  return children;
}

/// The state of an image: what its spool says, else whether its process was seen running.
ProcessState StateOfImage(const spool::Header& header, bool runs) {
  if (header.state == spool::State::kComplete) return ProcessState::kComplete;
  return runs ? ProcessState::kLive : ProcessState::kUnknown;
}

}  // namespace

HasAgent LooksProfiled(std::uint32_t pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  if (!maps) return HasAgent::kUnknown;
  for (std::string line; std::getline(maps, line);) {
    // Any file of this name will do: the question is only which message to print.
    if (line.find("/libagent.so") != std::string::npos) return HasAgent::kYes;
  }
  return HasAgent::kNo;
}

std::optional<std::uint64_t> StartOfProfiled(std::uint32_t pid, bool tree) {
  const std::string number = std::to_string(pid);
  const auto ticks = StartTicks(pid);
  if (!ticks) {
    Complain("no process " + number + " is running; csink report " + number +
             " shows the spools that the process left");
    return std::nullopt;
  }
  const HasAgent agent = LooksProfiled(pid);
  if (agent == HasAgent::kUnknown) {
    Complain("process " + number + " cannot be examined: the process belongs to another user");
    return std::nullopt;
  }
  if (agent == HasAgent::kNo && !MappedSpool(pid) && !tree) {
    Complain("process " + number +
             " runs without libagent.so; start it by csink run, or with LD_PRELOAD");
    return std::nullopt;
  }
  return ticks;
}

LiveSpools::LiveSpools(std::uint32_t pid, std::uint64_t start_ticks, bool tree) : tree_(tree) {
  processes_[pid] = {start_ticks, true, {}};
}

/// Adds new descendants. A descendant remains one after its parent has ended.
void LiveSpools::FindDescendants() {
  const auto children = Children();
  // Processes whose children are not yet looked at, beginning with all that were known.
  std::vector<std::uint32_t> left;
  for (const auto& [pid, process] : processes_) {
    if (process.runs) left.push_back(pid);
  }
  while (!left.empty()) {
    const std::uint32_t pid = left.back();
    left.pop_back();
    const auto found = children.find(pid);
    if (found == children.end()) continue;
    for (const std::uint32_t child : found->second) {
      const auto ticks = StartTicks(child);
      if (!ticks) continue;
      const auto at = processes_.find(child);
      // Known already. With another start time, the pid was given to a new process.
      if (at != processes_.end() && at->second.start_ticks == *ticks) continue;
      processes_[child] = {*ticks, true, {}};
      left.push_back(child);
    }
  }
}

bool LiveSpools::Look() {
  if (tree_) FindDescendants();
  // All processes are looked at even if one runs: each may have a new spool.
  bool any = false;
  for (auto& [pid, process] : processes_) {
    if (!process.runs) continue;
    Open(pid);
    // After Open: a process that ends now has its last spool opened.
    process.runs = StartTicks(pid) == process.start_ticks;
    any = any || process.runs;
  }
  return any;
}

void LiveSpools::Open(std::uint32_t pid) {
  const auto path = MappedSpool(pid);
  const auto name = path ? ParseSpoolName(*path) : std::nullopt;
  if (!name) return;
  struct stat status;
  // The file is not trusted: O_NONBLOCK for a FIFO, O_NOCTTY for a terminal.
  UniqueFd fd(open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd || fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const ImageId id{name->pid, name->start_ticks, name->generation};
  const auto known = images_.find(id);
  if (known != images_.end() && known->second.inode == status.st_ino) return;
  if (processes_[pid].forgotten.contains(status.st_ino)) return;
  if (known == images_.end() && images_.size() >= kMostImages) {
    left_out_ += ignored_.insert(status.st_ino).second;
    return;
  }
  // The same image with another file: the command `reset` started a new spool.
  images_[id] = {std::move(fd), *path, pid, status.st_ino, {}, false, false};
}

void LiveSpools::ReadAgain(Image& image) {
  if (!image.fd) return;
  auto spool = spool::ReadSpoolFile("/proc/self/fd/" + std::to_string(image.fd.get()));
  // The last content is kept.
  if (!spool) return;
  image.last = std::move(*spool);
  image.has_last = true;
}

Profile LiveSpools::Read(const MergeOptions& options, Profile* open) {
  ProfileMerger merger(options);
  ProfileMerger still_open(options);
  for (auto at = images_.begin(); at != images_.end(); ++at) {
    Image& image = at->second;
    const bool runs = processes_[image.pid].runs;
    ReadAgain(image);
    const auto next = std::next(at);
    // Of the same process.
    const bool has_successor = next != images_.end() &&
                               std::get<0>(next->first) == std::get<0>(at->first) &&
                               std::get<1>(next->first) == std::get<1>(at->first);
    const spool::Header& header = image.last.header;
    // An exec may fail: then the process goes on with the spool.
    const bool is_final = !runs || has_successor ||
                          (image.has_last && header.state == spool::State::kComplete &&
                           header.end != spool::End::kExec);
    // A tree may have many processes, and this one not many descriptors.
    if (is_final) image.fd.reset();
    image.ended = is_final;
    if (!image.has_last) continue;
    const ProcessState state = StateOfImage(header, runs);
    merger.Add(image.last, state, image.path);
    if (open && !is_final) still_open.Add(image.last, state, image.path);
  }
  if (open) *open = still_open.Finish();
  return merger.Finish();
}

void LiveSpools::ForgetEnded() {
  std::set<std::uint32_t> pids;
  for (auto at = images_.begin(); at != images_.end();) {
    const Image& image = at->second;
    if (image.ended) {
      processes_[image.pid].forgotten.insert(image.inode);
      at = images_.erase(at);
    } else {
      pids.insert(image.pid);
      ++at;
    }
  }
  std::erase_if(processes_, [&](const auto& entry) {
    return !entry.second.runs && !pids.contains(entry.first);
  });
}

}  // namespace csink::tool
