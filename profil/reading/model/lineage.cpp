#include "profil/reading/model/lineage.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

/// File: the images of a process are found by host and pid and ordered by their start.
/// CLOCK_MONOTONIC is the same for all processes of a machine.

namespace csink {
namespace {

using HostPid = std::pair<std::string, std::uint32_t>;
using Images = std::map<HostPid, std::vector<ProcessRow*>>;

/// To derive start ticks for a process whose record has none (100 ticks a second).
constexpr std::uint64_t kNsPerTick = 10'000'000;

// True if `row` is the next image of the process of `before`. Both have the same pid, which the
// kernel may have used again.
bool FollowsOn(const ProcessRow& before, const ProcessRow& row) {
  if (before.start_ticks != 0 && row.start_ticks != 0) return before.start_ticks == row.start_ticks;
  return before.end == spool::End::kExec;
}

/// Splits the images of one pid, sorted by time, into processes and numbers them.
void NumberImages(std::vector<ProcessRow*>& images) {
  std::sort(images.begin(), images.end(), [](const ProcessRow* a, const ProcessRow* b) {
    return std::tie(a->start_monotonic_ns, a->generation) <
           std::tie(b->start_monotonic_ns, b->generation);
  });
  for (std::size_t first = 0; first < images.size();) {
    std::size_t end = first + 1;
    // A chain of execs; the next image that does not follow is another process with the same pid.
    while (end < images.size() && FollowsOn(*images[end - 1], *images[end])) ++end;
    std::uint64_t ticks = 0;
    for (std::size_t i = first; i < end; ++i) ticks = std::max(ticks, images[i]->start_ticks);
    // No image has start ticks. The start of the first one gives a number that differs from that of
    // other processes with this pid.
    if (ticks == 0) ticks = images[first]->start_monotonic_ns / kNsPerTick;
    for (std::size_t i = first; i < end; ++i) {
      images[i]->start_ticks = ticks;
      images[i]->generation = static_cast<std::uint32_t>(i - first);
    }
    first = end;
  }
}

/// The image of `parent_pid` that was running when `row` started; nullptr: it is not in the
/// profile.
const ProcessRow* ParentOf(const Images& images, const ProcessRow& row) {
  const auto found = images.find({row.host, row.parent_pid});
  // No process is its own parent, but a damaged record may say so.
  if (found == images.end() || row.parent_pid == row.pid) return nullptr;
  const ProcessRow* parent = nullptr;
  for (const ProcessRow* image : found->second) {
    // The images are sorted by time, so this is the last one that began before the child.
    if (image->start_monotonic_ns < row.start_monotonic_ns) parent = image;
  }
  return parent;
}

}  // namespace

void RelateImages(Profile& profile) {
  Images images;
  for (ProcessRow& row : profile.processes) {
    // A sum of many processes has no pid and is no parent.
    if (row.processes == 1) images[{row.host, row.pid}].push_back(&row);
  }
  for (auto& [process, rows] : images) NumberImages(rows);

  // Parents start before their children, so that a parent's depth is final when it is used.
  std::vector<ProcessRow*> order;
  for (ProcessRow& row : profile.processes) {
    if (row.processes == 1) order.push_back(&row);
  }
  std::sort(order.begin(), order.end(), [](const ProcessRow* a, const ProcessRow* b) {
    return a->start_monotonic_ns < b->start_monotonic_ns;
  });
  for (ProcessRow* row : order) {
    if (const ProcessRow* parent = ParentOf(images, *row)) row->depth = parent->depth + 1;
  }
}

}  // namespace csink
