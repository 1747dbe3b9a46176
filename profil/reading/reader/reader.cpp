#include "profil/reading/reader/reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "profil/reading/reader/bytes.h"
#include "profil/reading/reader/file.h"
#include "profil/reading/reader/marks.h"
#include "profil/reading/reader/segments.h"
#include "profil/reading/reader/time_rows.h"
#include "profil/reading/reader/timed.h"
#include "profil/reading/reader/waits.h"

/// File: from bytes to a Spool, in this order: header and bounds of the segments (segments.h),
/// records of all kinds but buckets, references between records, buckets. A problem in a segment
/// costs that segment, one in a segment's header all that lies behind it.

namespace csink::spool {
namespace {

constexpr std::uint32_t kMaxPathBytes = 4096;  // PATH_MAX
// Copies of a live file that are read if the copy before was inconsistent.
constexpr int kReadAttempts = 3;
constexpr char kTooLarge[] = "too large for a spool";

/// The build id of a region record.
std::span<const std::uint8_t> BuildIdOf(Spool& spool, const RegionRecord& record,
                                        std::uint64_t offset) {
  if (record.build_id_bytes > sizeof record.build_id) {
    AddProblem(spool, "a module's build-id is too long");
    return {};
  }
  return {reinterpret_cast<const std::uint8_t*>(spool.bytes.data()) + offset +
              offsetof(RegionRecord, build_id),
          record.build_id_bytes};
}

// Views in a region point into the bytes of the spool, which the Spool owns.
void Read(Spool& spool, const StoredRecord<RegionRecord>& at) {
  const RegionRecord record = at.LoadClean(spool);
  spool.regions.push_back({.start = record.start,
                           .end = record.end,
                           .file_offset = record.file_offset,
                           .inode = record.inode,
                           .device_major = record.device_major,
                           .device_minor = record.device_minor,
                           .flags = record.flags,
                           .load_sequence = record.load_sequence,
                           .path = TextAt(spool, record.path, record.path_bytes, at.limit,
                                          kMaxPathBytes, "a module's name lies outside the file"),
                           .build_id = BuildIdOf(spool, record, at.offset),
                           .process_plus_one = record.process_plus_one});
}

// Of a program that was killed, the first thread of a shared record may not be counted yet.
std::uint64_t SharingIn(const ThreadRecord& record) {
  if ((record.flags & kThreadShared) == 0) return 0;
  return record.threads != 0 ? record.threads : 1;
}

// A thread whose end lies before its start is damaged: nothing is known of its times.
WallTotals WallOf(const ThreadRecord& record) {
  WallTotals wall{};
  if (record.end_monotonic_ns <= record.start_monotonic_ns) return wall;
  wall.threads = SharingIn(record) != 0 ? SharingIn(record) : 1;
  wall.wall_ns = record.end_monotonic_ns - record.start_monotonic_ns;
  wall.run_ns = record.run_ns;
  wall.wait_ns = record.wait_ns;
  wall.undivided_ns = record.undivided_ns;
  return wall;
}

// The end of a child; a number that is no End is damage.
End EndIn(const ThreadRecord& record) {
  const auto end = static_cast<std::uint32_t>(record.child_end);
  return end <= static_cast<std::uint32_t>(End::kExec) ? static_cast<End>(end) : End::kUnknown;
}

// Older records end before the times of the thread, which are then 0.
void Read(Spool& spool, const StoredRecord<ThreadRecord>& at) {
  // A thread's name may change while it is read (pthread_setname_np); any bytes are possible.
  const ThreadRecord record = at.LoadClean(spool);
  spool.threads.push_back({.tid = record.tid,
                           .ended = record.ended != 0,
                           .name = record.name,
                           .start_routine = record.start_routine,
                           .start_region = record.start_region,
                           .cpu_ns = record.cpu_ns,
                           .sampled_ns = record.sampled_ns,
                           .lost_records = record.lost_records,
                           .sharing = SharingIn(record),
                           .is_child = (record.flags & kThreadIsChild) != 0,
                           .child_system_ns = std::min(record.child_system_ns, record.cpu_ns),
                           .child_end = EndIn(record),
                           .child_end_detail = static_cast<std::uint32_t>(record.child_end >> 32),
                           .start_monotonic_ns = record.start_monotonic_ns,
                           .end_monotonic_ns = record.end_monotonic_ns,
                           .wall = WallOf(record)});
}

// Appends a bucket and its counts. Buckets that are claimed but not published, or have no count,
// are skipped.
void Read(Spool& spool, const StoredRecord<Bucket>& at) {
  const Bucket bucket = at.Load(spool.bytes);
  if (bucket.owner == 0 || (bucket.tag & kPublished) == 0) return;
  Hit hit;
  const BucketIds ids = IdsOf(bucket);
  hit.pc = bucket.pc;
  hit.chain = ids.chain;
  hit.phase = ids.phase;
  // kNone is damage here, and out of range.
  hit.region = ids.region;
  hit.thread = ids.thread;
  // A bucket that was claimed just now has no counts yet.
  bool any = false;
  hit.first_count = at.KeepCounts(spool);
  for (std::size_t i = hit.first_count; i < spool.counts.size(); ++i) {
    any = any || spool.counts[i].samples != 0;
  }
  if (!any) {
    // The counts were appended to find this out.
    spool.counts.resize(hit.first_count);
    return;
  }
  bool fits = hit.region < spool.regions.size() && hit.thread < spool.threads.size();
  if (fits) {
    const Region& region = spool.regions[hit.region];
    // The region for unknown addresses has no bounds.
    fits = (region.flags & kRegionUnknown) != 0 || (hit.pc >= region.start && hit.pc < region.end);
  }
  // The samples are kept without a module: they were taken, and count for the process.
  if (!fits) {
    ++spool.misplaced_hits;
    hit.region = kNone;
    if (hit.thread >= spool.threads.size()) hit.thread = kNone;
  }
  if (hit.phase > spool.phases.size() || hit.chain > spool.chains.size()) {
    ++spool.unmarked_hits;
    if (hit.phase > spool.phases.size()) hit.phase = 0;
    if (hit.chain > spool.chains.size()) hit.chain = 0;
  }
  spool.hits.push_back(hit);
}

void Read(Spool& spool, const StoredRecord<RoutineRecord>& at) {
  const RoutineRecord record = at.LoadClean(spool);
  spool.routines.push_back(
      {record.start_routine, record.start_region, record.threads, record.cpu_ns});
}
// The following are kept as they are.
void Read(Spool& spool, const StoredRecord<WaitSiteRecord>& at) {
  spool.waits.sites.push_back(at.LoadClean(spool));
}
void Read(Spool& spool, const StoredRecord<LockRecord>& at) {
  spool.waits.locks.push_back(at.LoadClean(spool));
}
void Read(Spool& spool, const StoredRecord<HolderRecord>& at) {
  spool.waits.holders.push_back(at.LoadClean(spool));
}
void Read(Spool& spool, const StoredRecord<MomentRecord>& at) {
  spool.timed.moments.push_back(at.LoadClean(spool));
}
void Read(Spool& spool, const StoredRecord<TimedSampleRecord>& at) {
  spool.timed.samples.push_back(at.LoadClean(spool));
}
void Read(Spool& spool, const StoredRecord<SwitchRecord>& at) {
  spool.timed.switches.push_back(at.LoadClean(spool));
}
void Read(Spool& spool, const StoredRecord<RankCodeRecord>& at) {
  spool.ranks.codes.push_back(at.LoadClean(spool));
}
void Read(Spool& spool, const StoredRecord<RankRecord>& at) {
  spool.ranks.ranks.push_back(at.LoadClean(spool));
}
void Read(Spool& spool, const StoredRecord<RankCountRecord>& at) {
  spool.ranks.counts.push_back(at.LoadClean(spool));
}
// Strings are read through the records that refer to them.
void Read(Spool& /*spool*/, const StoredRecord<char>& /*at*/) {}

template <class T>
void ReadAll(Spool& spool, const Segment& segment, std::uint64_t limit) {
  for (std::uint64_t i = 0; i < segment.records; ++i) {
    Read(spool, StoredRecord<T>{segment.first_record + i * segment.record_bytes,
                                segment.record_bytes, limit});
  }
}

/// Reads the records of a segment, each by the function for its type.
void ReadSegment(Spool& spool, const Segment& segment, std::uint64_t limit) {
  switch (segment.kind) {
#define CSINK_SEGMENT(kind, number, type, ...) \
  case SegmentKind::kind:                      \
    return ReadAll<type>(spool, segment, limit);
#include "profil/format/records.inc"
  }
}

/// Leaves the samples of ranks out if an index is not valid, or if counts are missing: sums over a
/// part of the ranks would look like the whole.
void CheckRanks(Spool& spool) {
  const Ranks& ranks = spool.ranks;
  std::uint64_t counts = 0;
  for (const RankRecord& rank : ranks.ranks) counts += rank.counts;
  const bool codes_fit =
      std::all_of(ranks.codes.begin(), ranks.codes.end(), [&](const RankCodeRecord& code) {
        return code.event < spool.header.event_count &&
               (code.region == kNone || code.region < spool.regions.size());
      });
  const bool counts_fit =
      std::all_of(ranks.counts.begin(), ranks.counts.end(),
                  [&](const RankCountRecord& count) { return count.code < ranks.codes.size(); });
  if (counts == ranks.counts.size() && codes_fit && counts_fit) return;
  spool.ranks = {};
  AddProblem(spool, "the samples of the ranks are damaged; the ranks are not compared");
}

// All records but buckets first, whatever the order of the segments in the file is.
void ReadRecords(Spool& spool, const std::vector<Segment>& segments, std::uint64_t limit) {
  for (const Segment& segment : segments) {
    if (segment.kind != SegmentKind::kBuckets) ReadSegment(spool, segment, limit);
  }
  // Now all tables to which records refer are complete.
  ReadConfiguration(spool, limit);
  CheckReferences(spool);
  CheckTimeRows(spool);
  CheckWaits(spool);
  CheckTimed(spool);
  CheckRanks(spool);
  // Buckets refer to all other records, so they are read last, whatever their position in the file.
  for (const Segment& segment : segments) {
    if (segment.kind == SegmentKind::kBuckets) ReadSegment(spool, segment, limit);
  }
}

}  // namespace

Result<Spool> ParseSpool(std::vector<std::byte> bytes) {
  Spool spool;
  spool.bytes = std::move(bytes);
  auto header = LoadHeader(spool.bytes);
  if (!header) return header.error();
  spool.header = *header;
  const auto problem = [&](const std::string& text, std::uint64_t /*offset*/) {
    AddProblem(spool, text);
  };
  const std::uint64_t limit = ReadableBytes(spool.header, spool.bytes.size(), problem);
  const auto segments = FindSegments(spool.bytes, spool.header.event_count, limit, problem);
  ReadRecords(spool, segments, limit);
  if (spool.misplaced_hits > 0 && spool.header.state != State::kLive) {
    AddProblem(spool, std::to_string(spool.misplaced_hits) + " buckets refer to an unknown module");
  }
  if (spool.unmarked_hits > 0 && spool.header.state != State::kLive) {
    AddProblem(spool,
               std::to_string(spool.unmarked_hits) + " buckets refer to an unknown mark or caller");
  }
  if (spool.misplaced_waits > 0 && spool.header.state != State::kLive) {
    AddProblem(spool, std::to_string(spool.misplaced_waits) +
                          " records of waiting threads refer to unknown records");
  }
  return spool;
}

Result<Spool> ReadSpoolFile(const std::string& path) {
  for (int attempt = 1;; ++attempt) {
    // A new copy each time: the bytes of the last one belong to the Spool that was made of it.
    auto bytes = ReadWholeFile(path, {kMagic, sizeof kMagic}, kTooLarge);
    if (!bytes) return bytes.error();
    auto spool = ParseSpool(std::move(*bytes));
    if (!spool || attempt == kReadAttempts) return spool;
    // A live file may have been read while a record was being written, so another copy may be
    // complete. Damage of a finished file does not go away.
    const std::size_t inconsistent =
        spool->misplaced_hits + spool->unmarked_hits + spool->changed_rows + spool->misplaced_waits;
    const bool changing =
        spool->header.state == State::kLive && (inconsistent > 0 || !spool->problems.empty());
    if (!changing) return spool;
  }
}

Result<Header> ReadSpoolHeader(const std::string& path) {
  auto bytes = ReadFileHead(path, kTooLarge);
  if (!bytes) return bytes.error();
  return LoadHeader(*bytes);
}

namespace {

/// The format version that the file's header has now; 0: it cannot be read, or is no spool any
/// more.
std::uint32_t VersionOf(const std::string& path) {
  const auto bytes = ReadFileHead(path, kTooLarge);
  if (!bytes || bytes->size() < kHeaderBytes) return 0;
  return std::memcmp(bytes->data(), kMagic, sizeof kMagic) == 0 ? Load<Header>(*bytes, 0).version
                                                                : 0;
}

}  // namespace

std::string DescribeReadError(const std::string& path, const Error& error) {
  const std::uint32_t version = error.what == kOtherVersion ? VersionOf(path) : 0;
  // The file may have been replaced since it was read: then the general text is right.
  if (version != 0 && version != kFormatVersion) {
    return path + ": spool format " + std::to_string(version) + ", " +
           (version > kFormatVersion ? "newer" : "older") + " than this csink reads (" +
           std::to_string(kFormatVersion) +
           "); use the csink of the release whose libagent.so wrote it";
  }
  std::string text = path + ": " + error.what;
  if (error.sys_errno != 0) text += std::string(" (") + std::strerror(error.sys_errno) + ")";
  return text;
}

}  // namespace csink::spool
