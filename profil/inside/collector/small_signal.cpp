#include <cstring>
#include <new>

#include "core/machine/map_query.h"
#include "core/machine/maps.h"
#include "core/machine/thread_name.h"
#include "profil/inside/collector/collector.h"

/// File: a process without a spool, as a record of its tree's file (profil/format/small_record.h).
/// The record is built from the waiting samples, the mappings that they fall into and the accounts.
/// The function runs at the end of the process, possibly in a handler on a small stack, so its
/// buffers are static.

namespace csink {
namespace {

// A process that has samples in more mappings leaves the rest of them without a region.
constexpr std::size_t kMaxRegions = 64;

// Under the collector's lock; too large for a handler's stack.
alignas(MapsReader) unsigned char g_maps_reader[sizeof(MapsReader)];
spool::SmallRegion g_regions[kMaxRegions];
char g_paths[8 * 1024];
spool::SmallHit g_hits[PendingSamples::kMax];

// What was found so far: regions in g_regions, their paths one behind the other in g_paths.
struct Walk {
  const spool::SmallHit* hits;
  std::size_t hit_count;
  std::size_t region_count;
  std::size_t path_bytes;
};

// True if a sample lies in the mapping.
bool IsHit(const Walk& walk, const MapsLine& line) noexcept {
  for (std::size_t i = 0; i < walk.hit_count; ++i) {
    if (walk.hits[i].pc >= line.start && walk.hits[i].pc < line.end) return true;
  }
  return false;
}

// Adds the mapping `line` as a region; its path is put behind the others, where it may already be.
// nullptr: there is no room.
spool::SmallRegion* AddRegion(Walk& walk, const MapsLine& line) noexcept {
  if (walk.region_count == kMaxRegions || line.path.size() > sizeof g_paths - walk.path_bytes) {
    return nullptr;
  }
  spool::SmallRegion& region = g_regions[walk.region_count++];
  region = {};
  region.start = line.start;
  region.end = line.end;
  region.file_offset = line.offset;
  region.inode = line.inode;
  region.device_major = line.dev_major;
  region.device_minor = line.dev_minor;
  region.flags = RegionFlags(line.path, line.deleted);
  region.path_bytes = static_cast<std::uint32_t>(line.path.size());
  std::memmove(g_paths + walk.path_bytes, line.path.data(), line.path.size());
  walk.path_bytes += line.path.size();
  return &region;
}

// Adds an executable mapping that has samples. False: there is no room, so the walk ends.
bool VisitMapping(const MapsLine& line, void* arg) noexcept {
  Walk& walk = *static_cast<Walk*>(arg);
  if (!line.executable || !IsHit(walk, line)) return true;
  spool::SmallRegion* region = AddRegion(walk, line);
  if (!region) return false;
  if (line.image_start != 0 && !(region->flags & spool::kRegionAnonymous)) {
    region->build_id_bytes =
        static_cast<std::uint32_t>(ReadBuildId(line.image_start, region->build_id));
  }
  return true;
}

// True if a region that was found contains the PC.
bool IsKnown(const Walk& walk, std::uint64_t pc) noexcept {
  for (std::size_t i = 0; i < walk.region_count; ++i) {
    if (pc >= g_regions[i].start && pc < g_regions[i].end) return true;
  }
  return false;
}

// Asks the kernel for the mappings of the samples only (PROCMAP_QUERY, Linux 6.11). Returns false
// if this kernel does not answer.
bool AskForMappings(Walk& walk) noexcept {
  MapQuery query("/proc/self/maps");  // there is one thread, the main one
  for (std::size_t i = 0; i < walk.hit_count; ++i) {
    const std::uint64_t pc = walk.hits[i].pc;
    if (RegionIndex::IsKernel(pc) || IsKnown(walk, pc)) continue;
    MapQuery::Found found;
    const MapQuery::Answer answer =
        query.Ask(pc, g_paths + walk.path_bytes, sizeof g_paths - walk.path_bytes, found);
    if (answer == MapQuery::Answer::kUnsupported) return false;
    // An address that no mapping covers stays without a region.
    if (answer != MapQuery::Answer::kFound) continue;
    spool::SmallRegion* region = AddRegion(walk, found.line);
    // The samples of mappings that have no room keep no region (kMaxRegions).
    if (!region) break;
    if (region->flags & spool::kRegionAnonymous) continue;
    region->build_id_bytes = static_cast<std::uint32_t>(found.build_id_bytes);
    std::memcpy(region->build_id, found.build_id, found.build_id_bytes);
  }
  return true;
}

// Kernel code has no mapping: the same region as in a spool (RegionIndex::Kernel).
void AddKernelRegion(Walk& walk) noexcept {
  const auto is_kernel = [&](const spool::SmallHit& hit) {
    return RegionIndex::IsKernel(hit.pc) && !IsKnown(walk, hit.pc);
  };
  std::size_t i = 0;
  while (i < walk.hit_count && !is_kernel(walk.hits[i])) ++i;
  if (i == walk.hit_count) return;
  MapsLine line;
  line.start = line.offset = RegionIndex::kKernelStart;
  line.end = ~std::uint64_t{0};
  line.path = RegionIndex::kKernelName;
  if (spool::SmallRegion* region = AddRegion(walk, line)) region->flags = spool::kRegionKernel;
}

// Fills g_regions with the mappings that the samples fall into.
void FindRegions(Walk& walk) noexcept {
  if (walk.hit_count == 0) return;
  if (!AskForMappings(walk)) {
    // The kernel may have refused after some answers, so the regions are collected anew.
    walk.region_count = walk.path_bytes = 0;
    auto* reader = new (g_maps_reader) MapsReader(VisitMapping, &walk);
    (void)ForEachMapping("/proc/thread-self/maps", *reader);
  }
  AddKernelRegion(walk);
}

// Appends the texts of the header, each with its NUL.
void PutTexts(SmallRecordWriter& record, const spool::Header& header) noexcept {
  const char* const texts[] = {header.host,    header.program,           header.executable,
                               header.command, header.working_directory, header.source_reason,
                               header.job};
  static_assert(sizeof texts / sizeof texts[0] == spool::kSmallTexts);
  // The order is that of the format (small_record.h).
  for (const char* text : texts) record.Put(text, std::strlen(text) + 1);
}

// Appends what a SmallProcess has no fields for. The end of the record must be a multiple of 8
// behind it, as the tail's own size is.
void PutTail(SmallRecordWriter& record, const spool::Header& header) noexcept {
  static_assert(sizeof(spool::SmallTail) % 8 == 0);
  record.Align();
  const spool::SmallTail tail = {header.evidence, sizeof(spool::SmallTail), spool::kSmallTailMagic};
  record.Put(&tail, sizeof tail);
}

// The fields of a header that a record has.
spool::SmallProcess ProcessOf(const spool::Header& header) noexcept {
  spool::SmallProcess p = {};
  p.pid = header.pid;
  p.parent_pid = header.parent_pid;
  p.uid = header.uid;
  p.elf_machine = header.elf_machine;
  p.end = header.end;
  p.end_detail = header.end_detail;
  p.source = header.source;
  p.rank_plus_one = header.rank_plus_one;
  p.depth = header.depth;
  p.threads_seen = header.threads_seen;
  p.threads_sampled = header.threads_sampled;
  p.event_count = header.event_count;
  p.tree_id = header.tree_id;
  p.start_realtime_ns = header.start_realtime_ns;
  p.start_monotonic_ns = header.start_monotonic_ns;
  p.update_monotonic_ns = header.update_monotonic_ns;
  p.user_ns = header.user_ns;
  p.system_ns = header.system_ns;
  p.start_user_ns = header.start_user_ns;
  p.start_system_ns = header.start_system_ns;
  p.agent_ns = header.agent_ns;
  p.paused_ns = header.paused_ns;
  p.drains = header.drains;
  std::memcpy(p.lost_ns, header.lost_ns, sizeof p.lost_ns);
  return p;
}

// SmallHead::wait_us_plus_one. 0 also where a part of the time is not divided.
std::uint32_t WaitField(const WallSums& wall) noexcept {
  if (wall.threads == 0 || wall.undivided_ns >= kLeastUndividedNs || wall.error != 0) return 0;
  // 0 means that the wait is not known, so the number is stored plus one.
  constexpr std::uint64_t kMostUs = 0xffff'fffe;
  const std::uint64_t us = wall.wait_ns / 1000;
  return static_cast<std::uint32_t>((us < kMostUs ? us : kMostUs) + 1);
}

}  // namespace

bool Collector::DescribeSmall(SmallRecordWriter& record, spool::Header& header) noexcept {
  // Only a process with one thread: the record has one thread. A full pending_ may have dropped
  // samples.
  if (spool_.open() || spool_failed_ || frozen_ || frozen_soon_ || pending_.full() ||
      !accounts_.short_threads().empty() || accounts_.threads_seen() != 1) {
    return false;
  }
  // A record has no room for callers, marks and pauses.
  if (chains_ || !phase_.name().empty() || pauses_.pausing() || PausedNs() != 0) return false;
  accounts_.SettleLive();
  // A record has no room for these times, either.
  if (accounts_.has_rare_times()) return false;
  accounts_.StoreSettledColumns(header);
  accounts_.losses().StoreRecords(header);
  spool::SmallHit* hits = g_hits;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const PendingSample& p = pending_[i];
    // Without a spool the samples have no columns yet: the sums of the waiting ones are all there
    // is.
    spool::EventColumn& column = header.events[p.event];
    ++column.samples;
    column.weight += p.weight;
    column.weight_squared += static_cast<double>(p.weight) * static_cast<double>(p.weight);
    hits[i] = {p.pc, p.weight, spool::kNone, p.event};
  }
  // After the columns' weights are complete: Store computes the unexplained time from them.
  accounts_.Store(header);

  Walk walk = {hits, pending_.size(), 0, 0};
  FindRegions(walk);
  // The copies of files that only this process has are kept for spools.
  for (std::size_t i = 0; i < walk.region_count; ++i) {
    const std::uint32_t flags = g_regions[i].flags;
    if ((flags & spool::kRegionDeleted) != 0 && (flags & spool::kRegionAnonymous) == 0)
      return false;
  }
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    for (std::uint32_t r = 0; r < walk.region_count; ++r) {
      if (hits[i].pc < g_regions[r].start || hits[i].pc >= g_regions[r].end) continue;
      hits[i].region = r;
      break;  // the kernel's region, the last one, also covers what the maps tell of
    }
  }
  spool::SmallProcess process = ProcessOf(header);
  process.region_count = static_cast<std::uint32_t>(walk.region_count);
  process.hit_count = static_cast<std::uint32_t>(pending_.size());
  if (!pending_.empty()) {
    std::memcpy(process.thread_name, pending_[0].name, sizeof process.thread_name);
  }
  // The main thread has the number of the process.
  const long cpu = kernel_.ThreadCpuNs(static_cast<pid_t>(header.pid));
  process.thread_cpu_ns = cpu > 0 ? static_cast<std::uint64_t>(cpu) : 0;

  record.Begin(spool::SmallKind::kProcess, WaitField(accounts_.settled_wall()));
  record.Put(&process, sizeof process);
  record.Put(header.events, header.event_count * sizeof header.events[0]);
  record.Put(g_regions, walk.region_count * sizeof g_regions[0]);
  record.Put(hits, pending_.size() * sizeof hits[0]);
  PutTexts(record, header);
  record.Put(g_paths, walk.path_bytes);
  PutTail(record, header);
  return true;
}

}  // namespace csink
