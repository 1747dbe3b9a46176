#include "symbolizer/commands/push/tree_parts.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "profil/reading/reader/other_user.h"
#include "profil/reading/reader/reader.h"
#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/commands/load/users_place.h"

/// File: a spool or record is read until it is final and sent. Two sums are made of one reading:
/// with and without what is final. The next part is the difference to the second one.

namespace csink::tool {
namespace {

std::string HostName() {
  char host[sizeof spool::Header{}.host] = {};
  gethostname(host, sizeof host - 1);
  return host;
}

/// Whether no more samples come into the spool that was read as `header`.
/// `has_successor`: a later image of the process has a spool.
bool IsFinal(const spool::Header& header, const std::string& path, bool has_successor) {
  if (header.state == spool::State::kComplete &&
      (header.end != spool::End::kExec || has_successor)) {
    return true;
  }
  // /proc of this machine says nothing of a process of another one.
  if (HostName() != header.host) return header.state == spool::State::kComplete;
  // The exec of a complete spool may have failed: then the process goes on with it.
  spool::Header running = header;
  running.state = spool::State::kLive;
  return StateOf(running, path) != ProcessState::kLive;
}

}  // namespace

struct TreeParts::Mergers {
  explicit Mergers(const MergeOptions& options) : now(options), open(options) {}
  ProfileMerger now;
  ProfileMerger open;
  TreeEvidence evidence;
};

void TreeParts::AddSpool(const std::string& path, bool has_successor, Mergers& mergers) {
  auto spool = spool::ReadSpoolFile(path);
  if (!spool) return;
  bool is_final = IsFinal(spool->header, path, has_successor);
  if (is_final && spool->header.state != spool::State::kComplete) {
    // Its process may have ended behind the reading: what it wrote last is read now.
    spool = spool::ReadSpoolFile(path);
    if (!spool) return;
  }
  const auto others = spool::AsOtherUsersFile(path);
  if (others && spool::Distrust(*spool, *others) != nullptr) return;
  const Image image{spool->header.pid, spool->header.start_monotonic_ns};
  // Nobody else can say what a process did that has left a spool itself.
  if (!reading_.spools.insert(image).second && others) return;
  std::uint64_t& newest = reading_.newest[image.first];
  newest = std::max(newest, image.second);
  const ProcessState state = spool->header.state == spool::State::kComplete
                                 ? ProcessState::kComplete
                             : is_final ? ProcessState::kUnknown
                                        : ProcessState::kLive;
  mergers.now.Add(*spool, state, path);
  if (is_final) {
    reading_.ended.insert(path);
  } else {
    mergers.open.Add(*spool, state, path);
  }
}

void TreeParts::AddRecords(const spool::SmallRecords& small, const std::string& path,
                           Mergers& mergers) {
  AddEvidence(small, mergers.evidence);
  const auto others = spool::AsOtherUsersFile(path);
  for (std::size_t i = 0; i < small.size(); ++i) {
    const Image image = small.ImageOf(i);
    std::uint64_t& newest = reading_.newest[image.first];
    newest = std::max(newest, image.second);
    if (reading_.spools.contains(image)) continue;
    auto record = std::make_shared<spool::Spool>(small.Process(i));
    if (others && spool::Distrust(*record, *others) != nullptr) continue;
    // A later record of the image counts instead of an earlier one.
    reading_.held[image] = std::move(record);
  }
}

void TreeParts::AddHeld(Mergers& mergers) {
  for (auto at = reading_.held.begin(); at != reading_.held.end();) {
    const auto& [image, record] = *at;
    if (reading_.spools.contains(image)) {
      at = reading_.held.erase(at);
      continue;
    }
    mergers.now.Add(*record, ProcessState::kComplete, folder_);
    const bool may_go_on = record->header.end == spool::End::kExec &&
                           reading_.newest[image.first] == image.second && StartTicks(image.first);
    if (may_go_on) {
      mergers.open.Add(*record, ProcessState::kComplete, folder_);
      ++at;
    } else {
      at = reading_.held.erase(at);
    }
  }
}

Growth TreeParts::Read(const MergeOptions& options) {
  reading_ = {};
  reading_.offsets = taken_.offsets;
  reading_.held = taken_.held;
  for (const auto& [image, record] : taken_.held) reading_.newest[image.first] = image.second;
  Mergers mergers(options);
  mergers.evidence.outer_numbers = taken_.numbers;
  std::vector<std::string> spools = SpoolsIn(folder_, [&](const std::string& name) {
    return !taken_.ended.contains(folder_ + "/" + name);
  });
  // Those of other users last: what they say of a process that has said it itself is not taken.
  for (std::string& path : UsersSpools(folder_)) {
    if (!taken_.ended.contains(path)) spools.push_back(std::move(path));
  }
  // By process: the number of its last image.
  std::map<std::tuple<std::string, std::uint32_t, std::uint64_t>, std::uint32_t> last_images;
  for (const std::string& path : spools) {
    if (const auto name = ParseSpoolName(path)) {
      std::uint32_t& last = last_images[{name->host, name->pid, name->start_ticks}];
      last = std::max(last, name->generation);
    }
  }
  for (const std::string& path : spools) {
    if (spool::IsSmallFile(path)) continue;
    const auto name = ParseSpoolName(path);
    AddSpool(path,
             name && last_images[{name->host, name->pid, name->start_ticks}] > name->generation,
             mergers);
  }
  for (const std::string& path : spools) {
    if (!spool::IsSmallFile(path)) continue;
    std::uint64_t& offset = reading_.offsets[path];
    const auto small = spool::ReadSmallFile(path, offset);
    if (!small) continue;
    AddRecords(*small, path, mergers);
    offset += small->complete_bytes();
  }
  AddHeld(mergers);
  Growth growth;
  growth.now = mergers.now.Finish();
  growth.open = mergers.open.Finish();
  for (const OuterNumber& number : mergers.evidence.outer_numbers) {
    const bool is_open =
        std::any_of(growth.open.processes.begin(), growth.open.processes.end(),
                    [&](const ProcessRow& process) { return process.pid == number.pid; });
    if (is_open) reading_.numbers.push_back(number);
  }
  mergers.evidence.tree_id = spool::TreeOf(folder_ + "/" + spool::kSmallFileName);
  growth.now.tree_evidence.push_back(std::move(mergers.evidence));
  return growth;
}

void TreeParts::Taken() {
  // Names are added: what was taken before stays taken.
  taken_.ended.merge(reading_.ended);
  taken_.offsets = std::move(reading_.offsets);
  taken_.held = std::move(reading_.held);
  taken_.numbers = std::move(reading_.numbers);
}

}  // namespace csink::tool
