#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <cstring>

#include "core/perf/ring_buffer.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"
#include "profil/format/slices.h"
#include "profil/inside/spool/file_piece.h"
#include "profil/inside/spool/writer.h"

/// File: creating a spool and adding records. The file is one mapping with the header and the first
/// segment of each usual kind, and one further mapping for each segment that is added later. A
/// record is written first and then made visible by its segment's `used` (release), so that the
/// file is valid at any instant, whenever the process is killed.

namespace csink {
namespace {

using spool::SegmentHeader;
using spool::SegmentKind;

// Capacities of the first segments: 40 KiB in total, enough for a C program.
constexpr std::uint32_t kFirstStrings = 6 * 1024;
constexpr std::uint32_t kFirstRegions = 40;
constexpr std::uint32_t kFirstThreads = 16;
constexpr std::uint32_t kFirstRoutines = 8;
constexpr std::uint32_t kFirstOnDemand = 120;
constexpr std::uint32_t kFirstBuckets = 512;
// Capacities that Reserve adds.
constexpr std::uint32_t kReserveBuckets = 4 * 1024;
constexpr std::uint32_t kReserveRegions = 170;
constexpr std::uint32_t kReserveThreads = 102;
constexpr std::uint32_t kReserveStrings = 12 * 1024 - sizeof(SegmentHeader);
// Buckets of a spool, 64 MiB; further places are counted as unplaced.
constexpr std::uint64_t kMaxBucketBytes = 64ull << 20;
// Segments of AddMany: the first one, and the largest.
constexpr std::uint64_t kFirstManyBytes = 64 * 1024;
constexpr std::uint64_t kMostManyBytes = 4ull << 20;
static_assert(static_cast<std::uint32_t>(SegmentKind::kSwitches) ==
              static_cast<std::uint32_t>(SegmentKind::kMoments) + 2);
// Names that are tried for a new spool.
constexpr unsigned kMaxGenerations = 10000;

// Rows of the time line in each segment: each fills its pages nearly, and a program with one thread
// takes 16 KiB.
constexpr std::uint32_t kThreadRows[] = {1, 3, 12, 48};
constexpr std::uint32_t kPlaceRows[] = {15, 49};
static_assert(1 + 3 + 12 + 48 == spool::kMaxThreadSliceRows);
static_assert(15 + 49 == spool::kMaxPlaceSliceRows);

std::uint64_t RoundUp(std::uint64_t n, std::uint64_t to) noexcept { return (n + to - 1) / to * to; }

// The error for a failed system call: `r` is its negative errno.
Error FromSystem(long r, const char* what) noexcept {
  const int e = static_cast<int>(-r);
  Errc code = ErrcFromErrno(e);
  // What users can mend: a folder that does not exist or cannot be written, a quota that is used
  // up.
  if (e == ENOENT || e == ENOTDIR) code = Errc::kNotFound;
  if (e == EROFS || e == ELOOP) code = Errc::kPermission;
  if (e == EDQUOT) code = Errc::kLimit;
  return Error{code, e, what};
}

// Returns 0 or an errno.
int WriteAt(int fd, const void* data, std::uint64_t bytes, std::uint64_t offset) noexcept {
  for (std::uint64_t done = 0; done < bytes;) {
    const long written =
        RawSyscall(SYS_pwrite64, fd, SyscallArg(static_cast<const char*>(data) + done),
                   static_cast<long>(bytes - done), static_cast<long>(offset + done));
    if (written <= 0 && written != -EINTR) return written < 0 ? static_cast<int>(-written) : EIO;
    if (written > 0) done += static_cast<std::uint64_t>(written);
  }
  return 0;
}

}  // namespace

SpoolWriter::Segment* SpoolWriter::InitSegment(SegmentKind kind, void* at,
                                               std::uint64_t file_offset, std::uint64_t bytes,
                                               std::uint32_t capacity) noexcept {
  // Every caller has checked that segments_ has room: the first five always fit, AddSegment
  // compares with kMaxSegments.
  auto* segment_header = static_cast<SegmentHeader*>(at);
  segment_header->magic = spool::kSegmentMagic;
  segment_header->kind = kind;
  segment_header->bytes = bytes;
  // `used` is 0, because the memory is new.
  segment_header->record_bytes = spool::BytesWithCounts(kind, header_->event_count);
  segment_header->capacity = capacity;
  Segment& segment = segments_[segment_count_++];
  segment.header = segment_header;
  segment.file_offset = file_offset;
  if (kind == SegmentKind::kBuckets) {
    segment.buckets = BucketSegment(segment_header + 1, capacity, header_->event_count);
    bucket_bytes_ += bytes;
  }
  return &segment;
}

Result<void> SpoolWriter::Create(std::string_view directory, std::string_view stem,
                                 const spool::Header& header, unsigned first_generation) noexcept {
  struct Part {
    SegmentKind kind;
    std::uint32_t capacity;
  };
  constexpr Part kParts[] = {{SegmentKind::kRegions, kFirstRegions},
                             {SegmentKind::kThreads, kFirstThreads},
                             {SegmentKind::kRoutines, kFirstRoutines},
                             {SegmentKind::kStrings, kFirstStrings},
                             {SegmentKind::kBuckets, kFirstBuckets}};
  // All first segments are in one piece of the file: one open, one fallocate and one mmap.
  const std::uint64_t bucket_bytes = BucketSegment::BucketBytes(header.event_count);
  const std::uint64_t total =
      RoundUp(spool::kHeaderBytes + 5 * sizeof(SegmentHeader) + kFirstStrings +
                  kFirstRegions * sizeof(spool::RegionRecord) +
                  kFirstThreads * sizeof(spool::ThreadRecord) +
                  kFirstRoutines * sizeof(spool::RoutineRecord) + kFirstBuckets * bucket_bytes,
              PageBytes());
  FilePiece piece = {};
  unsigned generation = first_generation;
  // O_EXCL: an earlier image of the process, or another one with the same number, may have used the
  // name.
  for (;; ++generation) {
    Text<kPathBytes> path;
    path.Add(directory).Add('/').Add(stem).Add('.').Number(generation).Add(spool::kFileSuffix);
    if (path.size() + 1 >= kPathBytes) {
      return Error{Errc::kInvalid, ENAMETOOLONG, "the spool folder's name is too long"};
    }
    piece = {path.c_str(), O_CREAT | O_EXCL, 0, total, false, 0, 0, 0, false, nullptr};
    OpenFilePiece(piece);
    if (piece.opened) {
      std::memcpy(path_, path.c_str(), path.size() + 1);
      break;
    }
    // Any other error would be the same for each further name.
    if (piece.result != -EEXIST || generation == kMaxGenerations) {
      return FromSystem(piece.result, "the spool could not be created");
    }
  }
  void* base = piece.address;
  // The file exists but has no space (quota, full disk); an empty file would only be in the way.
  if (!base) {
    Remove();
    return FromSystem(piece.result, "no space for the spool");
  }
  // For Grow, which must open the same file again.
  device_ = piece.device;
  inode_ = piece.inode;

  header_ = static_cast<spool::Header*>(base);
  std::memcpy(base, &header, sizeof header);
  // Until all segments are in place, the file is "not begun" for a reader.
  std::memset(header_->magic, 0, sizeof header_->magic);
  header_->version = spool::kFormatVersion;
  header_->header_bytes = spool::kHeaderBytes;
  header_->byte_order = spool::kByteOrderMark;
  header_->exec_generation = generation;
  header_->state = spool::State::kLive;
  header_->end = spool::End::kUnknown;
  std::uint64_t at = spool::kHeaderBytes;
  for (const Part& part : kParts) {
    // The buckets take the rest of the last page. Their number stays a power of two.
    const bool last = part.kind == SegmentKind::kBuckets;
    const std::uint64_t bytes =
        last ? total - at
             : RoundUp(sizeof(SegmentHeader) +
                           static_cast<std::uint64_t>(part.capacity) *
                               spool::BytesWithCounts(part.kind, header.event_count),
                       8);
    InitSegment(part.kind, static_cast<char*>(base) + at, at, bytes, part.capacity);
    at += bytes;
  }
  first_bytes_ = file_bytes_ = total;
  __atomic_store_n(&header_->file_bytes, total, __ATOMIC_RELEASE);
  // The magic is written last: from here on, readers accept the file.
  std::uint64_t magic = 0;
  std::memcpy(&magic, spool::kMagic, sizeof magic);
  __atomic_store_n(reinterpret_cast<std::uint64_t*>(base), magic, __ATOMIC_RELEASE);
  return {};
}

SpoolWriter::Segment* SpoolWriter::AddSegment(SegmentKind kind, std::uint32_t capacity) noexcept {
  if (frozen_ || !header_ || segment_count_ == kMaxSegments) return nullptr;
  // A full disk usually stays full for a while. A system call for every sample would cost more than
  // sampling itself.
  if (growths_to_skip_ != 0) {
    --growths_to_skip_;
    return nullptr;
  }
  Segment* segment = Grow(kind, capacity);
  refusals_ = segment ? 0 : refusals_ + 1;
  // Doubles with each refusal, up to 1,024 calls.
  if (refusals_ != 0) growths_to_skip_ = 1u << (refusals_ < 10 ? refusals_ : 10);
  return segment;
}

SpoolWriter::Segment* SpoolWriter::Grow(SegmentKind kind, std::uint32_t capacity) noexcept {
  const std::uint64_t bytes =
      RoundUp(sizeof(SegmentHeader) + static_cast<std::uint64_t>(capacity) *
                                          spool::BytesWithCounts(kind, header_->event_count),
              PageBytes());
  // Opened by name, and compared by device and inode: the program may have replaced the file.
  FilePiece piece = {path_, 0, file_bytes_, bytes, true, device_, inode_, 0, false, nullptr};
  OpenFilePiece(piece);
  void* at = piece.address;
  if (!at) {
    refused_ = {refused_.count + 1, static_cast<std::uint32_t>(-piece.result), FileSizeLimit()};
    return nullptr;
  }
  Segment* segment = InitSegment(kind, at, file_bytes_, bytes, capacity);
  file_bytes_ += bytes;
  __atomic_store_n(&header_->file_bytes, file_bytes_, __ATOMIC_RELEASE);
  return segment;
}

std::uint32_t SpoolWriter::Append(SegmentKind kind, const void* record) noexcept {
  Segment* last = nullptr;
  // The number of records of its kind before it, in all segments of the kind.
  std::uint32_t index = 0;
  for (std::size_t i = 0; i < segment_count_; ++i) {
    if (segments_[i].header->kind != kind) continue;
    last = &segments_[i];
    index += last->header->used;
  }
  if (!last) {
    // Phases, chains: most profiles have none. Of a process there is one record of facts.
    last = AddSegment(kind, kind == SegmentKind::kRunFacts ? 1 : kFirstOnDemand);
  } else if (last->header->used == last->header->capacity) {
    // Four times as large as the last one: the number of segments grows with the logarithm of the
    // records.
    last = AddSegment(kind, last->header->capacity * 4);
  }
  if (!last) return spool::kNone;
  SegmentHeader* header = last->header;
  std::memcpy(reinterpret_cast<char*>(header + 1) +
                  static_cast<std::size_t>(header->used) * header->record_bytes,
              record, header->record_bytes);
  // A record becomes valid when `used` of its segment is increased, so `used` is stored last.
  __atomic_store_n(&header->used, header->used + 1, __ATOMIC_RELEASE);
  return index;
}

std::size_t SpoolWriter::AppendMany(SegmentKind kind, const void* records,
                                    std::size_t count) noexcept {
  constexpr auto kFirst = static_cast<std::uint32_t>(SegmentKind::kMoments);
  SegmentHeader*& last = many_[static_cast<std::uint32_t>(kind) - kFirst];
  const auto* from = static_cast<const char*>(records);
  std::size_t done = 0;
  while (done < count) {
    if (!last || last->used == last->capacity) {
      std::uint64_t bytes = last ? last->bytes * 2 : kFirstManyBytes;
      if (bytes > kMostManyBytes) bytes = kMostManyBytes;
      const std::uint32_t record_bytes = spool::BytesWithCounts(kind, 0);
      Segment* const added = AddSegment(
          kind, static_cast<std::uint32_t>((bytes - sizeof(SegmentHeader)) / record_bytes));
      if (!added) break;
      last = added->header;
    }
    const std::size_t left = count - done;
    const std::size_t room = last->capacity - last->used;
    const std::size_t now = left < room ? left : room;
    const std::size_t bytes = now * last->record_bytes;
    std::memcpy(reinterpret_cast<char*>(last + 1) +
                    static_cast<std::size_t>(last->used) * last->record_bytes,
                from, bytes);
    __atomic_store_n(&last->used, last->used + static_cast<std::uint32_t>(now), __ATOMIC_RELEASE);
    from += bytes;
    done += now;
  }
  return done;
}

void* SpoolWriter::Record(SegmentKind kind, std::uint32_t index) noexcept {
  for (std::size_t i = 0; i < segment_count_; ++i) {
    SegmentHeader* header = segments_[i].header;
    if (header->kind != kind) continue;
    if (index < header->used) {
      return reinterpret_cast<char*>(header + 1) +
             static_cast<std::size_t>(index) * header->record_bytes;
    }
    index -= header->used;
  }
  return nullptr;
}

std::uint64_t SpoolWriter::AddString(std::string_view text) noexcept {
  // A text must lie in one segment. Earlier segments may have room for a short text, so all are
  // tried.
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (std::size_t i = 0; i < segment_count_; ++i) {
      SegmentHeader* header = segments_[i].header;
      if (header->kind != SegmentKind::kStrings || header->capacity - header->used < text.size()) {
        continue;
      }
      std::memcpy(reinterpret_cast<char*>(header + 1) + header->used, text.data(), text.size());
      const std::uint64_t offset = segments_[i].file_offset + sizeof(SegmentHeader) + header->used;
      __atomic_store_n(&header->used, header->used + static_cast<std::uint32_t>(text.size()),
                       __ATOMIC_RELEASE);
      return offset;
    }
    // Later ones are larger: a spool has a limited number of segments.
    if (!AddSegment(SegmentKind::kStrings,
                    ((32 * 1024) << MoreStrings()) - sizeof(SegmentHeader))) {
      break;
    }
  }
  return 0;
}

unsigned SpoolWriter::MoreStrings() const noexcept {
  constexpr unsigned kOfOneSize = 4;
  constexpr unsigned kMostDoublings = 4;
  unsigned segments = 0;
  for (std::size_t i = 0; i < segment_count_; ++i) {
    if (segments_[i].header->kind == SegmentKind::kStrings) ++segments;
  }
  return segments / kOfOneSize < kMostDoublings ? segments / kOfOneSize : kMostDoublings;
}

std::uint32_t SpoolWriter::AddPythonCode(const spool::PythonCodeRecord& code, std::string_view name,
                                         std::string_view file, std::string_view lines) noexcept {
  spool::PythonCodeRecord record = code;
  record.name = AddString(name);
  record.name_bytes = record.name ? static_cast<std::uint32_t>(name.size()) : 0;
  record.file = AddString(file);
  record.file_bytes = record.file ? static_cast<std::uint32_t>(file.size()) : 0;
  record.lines = AddString(lines);
  record.lines_bytes = record.lines ? static_cast<std::uint32_t>(lines.size()) : 0;
  return Add(record);
}

std::uint32_t SpoolWriter::AddRunFacts(const spool::RunFactsRecord& facts,
                                       std::string_view surroundings) noexcept {
  spool::RunFactsRecord record = facts;
  record.surroundings.at = AddString(surroundings);
  if (record.surroundings.at != 0) {
    record.surroundings.bytes = static_cast<std::uint32_t>(surroundings.size());
  }
  return Add(record);
}

std::uint32_t SpoolWriter::AddRegion(const spool::RegionRecord& region,
                                     std::string_view path) noexcept {
  // The text goes first: a region that a reader can see must have its path.
  spool::RegionRecord record = region;
  record.path = AddString(path);
  record.path_bytes = record.path ? static_cast<std::uint32_t>(path.size()) : 0;
  record.load_sequence = region_count_;
  const std::uint32_t id = Add(record);
  if (id != spool::kNone) ++region_count_;
  return id;
}

std::uint32_t SpoolWriter::AddPhase(std::string_view name, std::uint64_t monotonic_ns,
                                    std::uint64_t cpu_ns) noexcept {
  spool::PhaseRecord record = {};
  record.text = AddString(name);
  record.text_bytes = record.text ? static_cast<std::uint32_t>(name.size()) : 0;
  record.start_monotonic_ns = monotonic_ns;
  record.start_cpu_ns = cpu_ns;
  const std::uint32_t id = Add(record);
  if (id != spool::kNone) ++phase_count_;
  return id;
}

std::uint32_t SpoolWriter::AddDeviceCounter(const spool::DeviceCounterRecord& counter,
                                            std::string_view name) noexcept {
  spool::DeviceCounterRecord record = counter;
  record.text = AddString(name);
  record.text_bytes = record.text ? static_cast<std::uint32_t>(name.size()) : 0;
  return Add(record);
}

template <std::size_t N>
void* SpoolWriter::Next(SegmentKind kind, const std::uint32_t (&capacities)[N],
                        SegmentHeader*& segment) noexcept {
  std::size_t segments = 0;
  segment = nullptr;
  for (std::size_t i = 0; i < segment_count_; ++i) {
    if (segments_[i].header->kind != kind) continue;
    segment = segments_[i].header;
    ++segments;
  }
  if (!segment || segment->used == segment->capacity) {
    Segment* added = segments < N ? AddSegment(kind, capacities[segments]) : nullptr;
    if (!added) return nullptr;
    segment = added->header;
  }
  return reinterpret_cast<char*>(segment + 1) +
         static_cast<std::size_t>(segment->used) * segment->record_bytes;
}

spool::ThreadSlicesRecord* SpoolWriter::AddThreadSlices(std::uint32_t thread,
                                                        std::uint64_t start_ns) noexcept {
  SegmentHeader* segment = nullptr;
  auto* row = static_cast<spool::ThreadSlicesRecord*>(
      Next(SegmentKind::kThreadSlices, kThreadRows, segment));
  if (!row) return nullptr;
  row->thread = thread;
  row->start_ns = row->end_ns = start_ns;
  __atomic_store_n(&segment->used, segment->used + 1, __ATOMIC_RELEASE);
  return row;
}

spool::PlaceSlicesRecord* SpoolWriter::AddPlaceSlices(std::uint32_t region, std::uint64_t pc,
                                                      std::uint32_t doublings) noexcept {
  SegmentHeader* segment = nullptr;
  auto* row =
      static_cast<spool::PlaceSlicesRecord*>(Next(SegmentKind::kPlaceSlices, kPlaceRows, segment));
  if (!row) return nullptr;
  row->region = region;
  row->pc = pc;
  row->shape = row->shape_behind = spool::SliceShape{0, doublings, 0}.Word();
  __atomic_store_n(&segment->used, segment->used + 1, __ATOMIC_RELEASE);
  return row;
}

std::string_view SpoolWriter::TextAt(std::uint64_t offset, std::uint32_t bytes) const noexcept {
  for (std::size_t i = 0; i < segment_count_; ++i) {
    const Segment& segment = segments_[i];
    if (offset < segment.file_offset || offset - segment.file_offset >= segment.header->bytes) {
      continue;
    }
    return {reinterpret_cast<const char*>(segment.header) + (offset - segment.file_offset), bytes};
  }
  return {};
}

std::uint32_t SpoolWriter::FindPhase(std::string_view name) noexcept {
  for (std::uint32_t id = 1; id <= phase_count_; ++id) {
    const spool::PhaseRecord* record = At<spool::PhaseRecord>(id);
    if (!record || record->text_bytes != name.size()) continue;
    const std::string_view text = TextAt(record->text, record->text_bytes);
    if (text.size() == name.size() && std::memcmp(text.data(), name.data(), name.size()) == 0) {
      return id;
    }
  }
  return spool::kNone;
}

void SpoolWriter::SetConfiguration(std::string_view lines) noexcept {
  const std::uint64_t at = AddString(lines);
  // Offset 0 is the header, so it means that there was no room.
  if (at == 0) return;
  header_->configuration_bytes = static_cast<std::uint32_t>(lines.size());
  // Stored last: a reader that sees the offset also sees the text.
  __atomic_store_n(&header_->configuration, at, __ATOMIC_RELEASE);
}

bool SpoolWriter::HasHit(std::uint32_t region) const noexcept {
  for (std::size_t i = 0; i < segment_count_; ++i) {
    const Segment& segment = segments_[i];
    if (segment.header->kind == SegmentKind::kBuckets && segment.buckets.HasRegion(region)) {
      return true;
    }
  }
  return false;
}

bool SpoolWriter::AddHit(const BucketSegment::Key& key, std::size_t event,
                         std::uint64_t weight) noexcept {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < segment_count_; ++i) {
    Segment& segment = segments_[i];
    if (segment.header->kind != SegmentKind::kBuckets) continue;
    if (segment.buckets.AddHit(key, event, weight) == BucketSegment::Outcome::kCounted) return true;
    // The search goes from the oldest segment to the newest (BucketSegment).
    largest = segment.header->capacity;
  }
  // A new segment is twice as large as the newest.
  Segment* added =
      bucket_bytes_ < kMaxBucketBytes ? AddSegment(SegmentKind::kBuckets, largest * 2) : nullptr;
  if (added && added->buckets.AddHit(key, event, weight) == BucketSegment::Outcome::kCounted) {
    return true;
  }
  ++header_->events[event].unplaced;
  return false;
}

void SpoolWriter::Reserve() noexcept {
  // Only once: servers may change their user for every request.
  if (reserved_ || !header_) return;
  reserved_ = true;
  AddSegment(SegmentKind::kBuckets, kReserveBuckets);
  AddSegment(SegmentKind::kRegions, kReserveRegions);
  AddSegment(SegmentKind::kThreads, kReserveThreads);
  AddSegment(SegmentKind::kStrings, kReserveStrings);
}

void SpoolWriter::Freeze() noexcept {
  if (frozen_ || !header_) return;
  Reserve();
  frozen_ = true;
  header_->frozen = 1;
}

void SpoolWriter::Unfreeze() noexcept {
  frozen_ = false;
  if (header_) header_->frozen = 0;
}

void SpoolWriter::SetState(spool::State state, spool::End end, std::uint32_t detail) noexcept {
  header_->end = end;
  header_->end_detail = detail;
  // Stored last: a reader that sees the state also sees the end.
  __atomic_store_n(reinterpret_cast<std::uint32_t*>(&header_->state),
                   static_cast<std::uint32_t>(state), __ATOMIC_RELEASE);
}

void SpoolWriter::Discard() noexcept {
  if (!header_) return;
  Remove();
  // First the segments that were added later, then the first mapping, which contains the header and
  // several segments.
  for (std::size_t i = 0; i < segment_count_; ++i) {
    if (segments_[i].file_offset < first_bytes_) continue;
    RawSyscall(SYS_munmap, SyscallArg(segments_[i].header),
               static_cast<long>(segments_[i].header->bytes));
  }
  RawSyscall(SYS_munmap, SyscallArg(header_), static_cast<long>(first_bytes_));
  *this = SpoolWriter();
}

int SpoolWriter::CopyTo(int fd) const noexcept {
  const int error = WriteAt(fd, header_, first_bytes_, 0);
  if (error != 0) return error;
  for (std::size_t i = 0; i < segment_count_; ++i) {
    const Segment& segment = segments_[i];
    if (segment.file_offset < first_bytes_) continue;
    const int failed = WriteAt(fd, segment.header, segment.header->bytes, segment.file_offset);
    if (failed != 0) return failed;
  }
  return 0;
}

void SpoolWriter::Remove() noexcept {
  if (path_[0]) RawSyscall(SYS_unlinkat, AT_FDCWD, SyscallArg(path_), 0);
}

}  // namespace csink
