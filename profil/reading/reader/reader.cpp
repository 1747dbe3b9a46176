#include "profil/reading/reader/reader.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <span>

#include "profil/reading/reader/bytes.h"
#include "profil/reading/reader/file.h"
#include "profil/reading/reader/marks.h"
#include "profil/reading/reader/time_rows.h"
#include "profil/reading/reader/waits.h"

/// File: from bytes to a Spool, in this order: header, bounds of the segments, records of all kinds
/// but buckets, references between records, buckets. A problem in a segment costs that segment, one
/// in a segment's header all that lies behind it.

namespace csink::spool {
namespace {

constexpr std::uint32_t kMaxPathBytes = 4096;  // PATH_MAX
// Copies of a live file that are read if the copy before was inconsistent.
constexpr int kReadAttempts = 3;
constexpr char kTooLarge[] = "too large for a spool";

/// A segment with valid bounds.
struct Segment {
  SegmentKind kind;
  std::uint32_t record_bytes;
  std::uint64_t first_record;  // offset in the file
  std::uint64_t records;
};

// Checks the header and copies it to spool.header, with texts that end by NUL and squares that are
// numbers.
Result<void> ReadHeader(Spool& spool) {
  const auto& bytes = spool.bytes;
  // An empty file has no header either, and counts as not begun.
  const auto front = std::span(bytes).first(std::min<std::size_t>(bytes.size(), kHeaderBytes));
  // The writer creates the file, fills it, and writes the magic last.
  if (std::all_of(front.begin(), front.end(), [](std::byte b) { return b == std::byte{0}; })) {
    return Error{Errc::kNotFound, 0, kNotBegun};
  }
  if (bytes.size() < sizeof kMagic || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) {
    return Error{Errc::kCorrupt, 0, "not a Countersink spool"};
  }
  if (bytes.size() < kHeaderBytes) return Error{Errc::kCorrupt, 0, "truncated in the header"};
  Header& header = spool.header;
  header = Load<Header>(bytes, 0);
  // Before the version, whose bytes would be in another order, too.
  if (header.byte_order != kByteOrderMark) {
    return Error{Errc::kUnsupported, 0, "written in another byte order, or damaged"};
  }
  if (header.version != kFormatVersion) {
    return Error{Errc::kUnsupported, 0, kOtherVersion};
  }
  // event_count is used as an index and as a factor of sizes from here on.
  if (header.header_bytes != kHeaderBytes || header.event_count == 0 ||
      header.event_count > kMaxEvents) {
    return Error{Errc::kCorrupt, 0, "the header is damaged"};
  }
  // Users print the texts as C strings.
  Terminate(header.host);
  Terminate(header.program);
  Terminate(header.executable);
  Terminate(header.command);
  Terminate(header.working_directory);
  Terminate(header.source_reason);
  Terminate(header.kernel);
  Terminate(header.cpu);
  Terminate(header.job);
  for (EventColumn& event : header.events) {
    Terminate(event.name);
    // It becomes a divisor. The other numbers are integers and cannot harm.
    if (!std::isfinite(event.weight_squared) || event.weight_squared < 0) event.weight_squared = 0;
  }
  return {};
}

/// The smallest valid size of a record; 0: an unknown kind. Records may be larger, because later
/// versions may append fields.
std::uint32_t LeastRecordBytes(SegmentKind kind, std::uint32_t events) {
  switch (kind) {
    case SegmentKind::kStrings:
      return 1;
    case SegmentKind::kRegions:
      return sizeof(RegionRecord);
    case SegmentKind::kThreads:
      return kFirstThreadRecordBytes;
    case SegmentKind::kBuckets:
      return static_cast<std::uint32_t>(sizeof(Bucket) + events * sizeof(Count));
    case SegmentKind::kRoutines:
      return sizeof(RoutineRecord);
    case SegmentKind::kPhases:
      return sizeof(PhaseRecord);
    case SegmentKind::kChains:
      return sizeof(ChainNode);
    case SegmentKind::kChainEnds:
      return sizeof(ChainEndRecord);
    case SegmentKind::kProcesses:
      return static_cast<std::uint32_t>(sizeof(ProcessRecord) + events * sizeof(Count));
    case SegmentKind::kThreadTotals:
      return static_cast<std::uint32_t>(sizeof(ThreadTotalRecord) + events * sizeof(Count));
    case SegmentKind::kNotes:
      return sizeof(NoteRecord);
    case SegmentKind::kDeviceCounters:
      return sizeof(DeviceCounterRecord);
    case SegmentKind::kWaitSites:
      return sizeof(WaitSiteRecord);
    case SegmentKind::kLocks:
      return sizeof(LockRecord);
    case SegmentKind::kHolders:
      return sizeof(HolderRecord);
    case SegmentKind::kThreadSlices:
      return sizeof(ThreadSlicesRecord);
    case SegmentKind::kPlaceSlices:
      return sizeof(PlaceSlicesRecord);
    case SegmentKind::kRankCodes:
      return sizeof(RankCodeRecord);
    case SegmentKind::kRanks:
      return sizeof(RankRecord);
    case SegmentKind::kRankCounts:
      return sizeof(RankCountRecord);
    case SegmentKind::kTreeFacts:
      return sizeof(TreeFactsRecord);
  }
  return 0;
}

/// Checks the segment at `offset`, which has `room` bytes to the end of the readable part.
Segment CheckSegment(Spool& spool, const SegmentHeader& header, std::uint64_t offset,
                     std::uint64_t room) {
  const std::uint32_t least = LeastRecordBytes(header.kind, spool.header.event_count);
  Segment segment{header.kind, header.record_bytes, offset + sizeof(SegmentHeader), 0};
  if (least == 0) return segment;  // Kind of a newer writer: skip it
  if (header.record_bytes < least) {
    AddProblem(spool, "the records of a segment are too small; the segment is ignored");
    return segment;
  }
  // The segment may claim more bytes than the file has (cut off), and more records than its bytes
  // hold (damage).
  const std::uint64_t fitting =
      (std::min(header.bytes, room) - sizeof(SegmentHeader)) / header.record_bytes;
  std::uint64_t wanted = header.used;
  // Buckets lie anywhere in their segment, so `used` means nothing there.
  if (header.kind == SegmentKind::kBuckets) wanted = header.capacity;
  if (wanted > header.capacity) {
    AddProblem(spool, "the record count of a segment is larger than the segment");
  }
  // In spite of the problem the records up to the capacity are read.
  wanted = std::min<std::uint64_t>(wanted, header.capacity);
  if (wanted > fitting && header.bytes <= room) {
    AddProblem(spool, "the record count of a segment is larger than the segment");
  }
  segment.records = std::min(wanted, fitting);
  return segment;
}

// The segments in [kHeaderBytes, limit). Ends at the first damaged one, because the next one's
// place is then unknown.
std::vector<Segment> FindSegments(Spool& spool, std::uint64_t limit) {
  std::vector<Segment> segments;
  std::uint64_t offset = kHeaderBytes;
  while (limit - offset >= sizeof(SegmentHeader)) {
    const auto header = Load<SegmentHeader>(spool.bytes, offset);
    if (header.magic == 0 && header.bytes == 0) break;  // Allocated, but not yet used
    const std::uint64_t room = limit - offset;
    if (header.magic != kSegmentMagic || header.bytes < sizeof(SegmentHeader) ||
        header.bytes % 8 != 0) {
      AddProblem(spool, "a segment is damaged; the data after this segment is lost");
      break;
    }
    // A segment that is cut off still has its first records.
    segments.push_back(CheckSegment(spool, header, offset, room));
    if (header.bytes > room) {
      AddProblem(spool, "truncated: the last segment is incomplete");
      break;
    }
    offset += header.bytes;
  }
  return segments;
}

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
void ReadRegion(Spool& spool, std::uint64_t offset, std::uint64_t limit) {
  const auto record = Load<RegionRecord>(spool.bytes, offset);
  spool.regions.push_back({.start = record.start,
                           .end = record.end,
                           .file_offset = record.file_offset,
                           .inode = record.inode,
                           .device_major = record.device_major,
                           .device_minor = record.device_minor,
                           .flags = record.flags,
                           .load_sequence = record.load_sequence,
                           .path = TextAt(spool, record.path, record.path_bytes, limit,
                                          kMaxPathBytes, "a module's name lies outside the file"),
                           .build_id = BuildIdOf(spool, record, offset),
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
void ReadThread(Spool& spool, std::uint64_t offset, std::uint32_t record_bytes) {
  // A thread's name may change while it is read (pthread_setname_np); any bytes are possible.
  auto record = LoadShorter<ThreadRecord>(spool.bytes, offset, record_bytes);
  Terminate(record.name);
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
void ReadBucket(Spool& spool, std::uint64_t offset) {
  const auto bucket = Load<Bucket>(spool.bytes, offset);
  if (bucket.owner == 0 || (bucket.tag & kPublished) == 0) return;
  Hit hit;
  hit.pc = bucket.pc;
  // The tag's lower half.
  hit.chain = static_cast<std::uint32_t>(bucket.tag);
  hit.phase = static_cast<std::uint32_t>((bucket.tag & ~kPublished) >> 32);
  // A half of `owner` that is 0 is damage; it becomes kNone, which is out of range.
  hit.region = static_cast<std::uint32_t>(bucket.owner >> 32) - 1;
  hit.thread = static_cast<std::uint32_t>(bucket.owner) - 1;
  // A bucket that was claimed just now has no counts yet.
  bool any = false;
  hit.first_count = spool.counts.size();
  for (std::uint32_t i = 0; i < spool.header.event_count; ++i) {
    const auto count = Load<Count>(spool.bytes, offset + sizeof(Bucket) + i * sizeof(Count));
    any = any || count.samples != 0;
    spool.counts.push_back(count);
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

// Reads one record of a kind that is not a bucket.
void ReadRecord(Spool& spool, const Segment& segment, std::uint64_t offset, std::uint64_t limit) {
  switch (segment.kind) {
    case SegmentKind::kRegions:
      return ReadRegion(spool, offset, limit);
    case SegmentKind::kThreads:
      return ReadThread(spool, offset, segment.record_bytes);
    case SegmentKind::kRoutines: {
      const auto record = Load<RoutineRecord>(spool.bytes, offset);
      spool.routines.push_back(
          {record.start_routine, record.start_region, record.threads, record.cpu_ns});
      return;
    }
    case SegmentKind::kPhases:
      return ReadPhase(spool, offset, limit);
    case SegmentKind::kChains:
      return ReadChain(spool, offset);
    case SegmentKind::kChainEnds:
      return ReadChainEnd(spool, offset);
    case SegmentKind::kProcesses:
      return ReadProcess(spool, offset, segment.record_bytes, limit);
    case SegmentKind::kThreadTotals:
      return ReadThreadTotal(spool, offset, segment.record_bytes);
    case SegmentKind::kNotes:
      return ReadNote(spool, offset, limit);
    case SegmentKind::kDeviceCounters:
      return ReadDeviceCounter(spool, offset, limit);
    case SegmentKind::kThreadSlices:
      return ReadThreadSlices(spool, offset);
    case SegmentKind::kPlaceSlices:
      return ReadPlaceSlices(spool, offset);
    case SegmentKind::kWaitSites:
      spool.waits.sites.push_back(Load<WaitSiteRecord>(spool.bytes, offset));
      return;
    case SegmentKind::kLocks:
      spool.waits.locks.push_back(Load<LockRecord>(spool.bytes, offset));
      return;
    case SegmentKind::kHolders:
      spool.waits.holders.push_back(Load<HolderRecord>(spool.bytes, offset));
      return;
    case SegmentKind::kRankCodes:
      spool.ranks.codes.push_back(Load<RankCodeRecord>(spool.bytes, offset));
      return;
    case SegmentKind::kRanks:
      spool.ranks.ranks.push_back(Load<RankRecord>(spool.bytes, offset));
      return;
    case SegmentKind::kRankCounts:
      spool.ranks.counts.push_back(Load<RankCountRecord>(spool.bytes, offset));
      return;
    case SegmentKind::kTreeFacts:
      return ReadTreeFacts(spool, offset, limit);
    case SegmentKind::kStrings:
    case SegmentKind::kBuckets:
      return;
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
  const auto for_each = [&](const Segment& segment, auto&& read) {
    for (std::uint64_t i = 0; i < segment.records; ++i) {
      read(segment.first_record + i * segment.record_bytes);
    }
  };
  for (const Segment& segment : segments) {
    // Strings are read through the records that refer to them.
    if (segment.kind == SegmentKind::kStrings || segment.kind == SegmentKind::kBuckets) continue;
    for_each(segment, [&](std::uint64_t at) { ReadRecord(spool, segment, at, limit); });
  }
  // Now all tables to which records refer are complete.
  ReadConfiguration(spool, limit);
  CheckReferences(spool);
  CheckTimeRows(spool);
  CheckWaits(spool);
  CheckRanks(spool);
  // Buckets refer to all other records, so they are read last, whatever their position in the file.
  for (const Segment& segment : segments) {
    if (segment.kind != SegmentKind::kBuckets) continue;
    for_each(segment, [&](std::uint64_t at) { ReadBucket(spool, at); });
  }
}

}  // namespace

Result<Spool> ParseSpool(std::vector<std::byte> bytes) {
  Spool spool;
  spool.bytes = std::move(bytes);
  if (const auto header = ReadHeader(spool); !header) return header.error();
  // Only bytes that the writer has declared as valid are read. The file may be larger, since space
  // is allocated before it is used, or smaller, if it was cut.
  std::uint64_t limit = spool.bytes.size();
  if (spool.header.file_bytes > limit) {
    AddProblem(spool, "truncated: " + std::to_string(limit) + " of " +
                          std::to_string(spool.header.file_bytes) + " bytes exist");
  } else if (spool.header.file_bytes < kHeaderBytes) {
    AddProblem(spool, "the size in the header is not valid");
  } else {
    limit = spool.header.file_bytes;
  }
  const auto segments = FindSegments(spool, limit);
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
  Spool head;
  head.bytes = std::move(*bytes);
  if (const auto header = ReadHeader(head); !header) return header.error();
  return head.header;
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
