#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/result.h"
#include "profil/format/format.h"
#include "profil/format/records.h"
#include "profil/inside/spool/histogram.h"

namespace csink {

/// Stores a [live] field of the spool (format.h), which a reader in another process may read at the
/// same time: relaxed, because fields are not read together. Threads: one writer for a field.
/// Signals: safe.
template <class T>
void StoreLive(T& field, T value) noexcept {
  __atomic_store(&field, &value, __ATOMIC_RELAXED);  // generic: enumerations too
}

/// The writing side of a spool (format: profil/format/format.h), in the profiled program.
///
/// All bytes are allocated with fallocate(2) before they are mapped: on a full disk, an access to
/// an unallocated page would raise SIGBUS in the program. No descriptor is kept open; to grow, the
/// file is opened again and its identity is checked.
///
/// header, SetState and AddHit require an open spool.
/// Owns:    the mappings and the file's name. Mappings are not removed before the process ends
///          (except by Discard), because a drain in a signal handler may use them.
/// Threads: one writer at a time (the collector's lock).
/// Signals: safe (writer_signal.cpp): raw system calls, no heap.
class SpoolWriter {
 public:
  /// Room for the file's path with its NUL.
  static constexpr std::size_t kPathBytes = 512;

  /// Creates `<directory>/<stem>.<generation>.csink` with the first free generation from
  /// `first_generation` on, and copies `header` into it (magic, sizes, state and exec_generation
  /// are set here). The directory must exist. Errors: kLimit (disk full), kPermission, kNotFound,
  /// kInvalid (the path is too long), kSystem; then no file remains.
  Result<void> Create(std::string_view directory, std::string_view stem,
                      const spool::Header& header, unsigned first_generation = 0) noexcept;

  /// True after a successful Create, until Discard or ForgetAfterFork.
  bool open() const noexcept { return header_ != nullptr; }
  spool::Header& header() noexcept { return *header_; }
  const char* path() const noexcept { return path_; }
  /// Sets the state of the process and its end; `detail`: exit status or signal. kLive revokes an
  /// earlier end (an execve that failed).
  void SetState(spool::State state, spool::End end, std::uint32_t detail = 0) noexcept;
  /// Size of the file in bytes.
  std::uint64_t file_bytes() const noexcept { return file_bytes_; }

  /// Adds a record behind the last one of its kind. Returns its id, or spool::kNone if there is no
  /// room. May open and map the file (AddSegment), as the further Add functions.
  template <class T>
  std::uint32_t Add(const T& record) noexcept {
    const std::uint32_t index = Append(spool::KindOf<T>::kKind, &record);
    return index == spool::kNone ? index : index + spool::KindOf<T>::kFirstId;
  }
  /// A record that was added before; nullptr: no such id. Its [live] fields may be changed
  /// (StoreLive).
  template <class T>
  T* At(std::uint32_t id) noexcept {
    constexpr std::uint32_t kFirst = spool::KindOf<T>::kFirstId;
    return id < kFirst ? nullptr : static_cast<T*>(Record(spool::KindOf<T>::kKind, id - kFirst));
  }
  /// Records with a text; their ids are as those of Add.
  std::uint32_t AddRegion(const spool::RegionRecord& region, std::string_view path) noexcept;
  std::uint32_t AddDeviceCounter(const spool::DeviceCounterRecord& counter,
                                 std::string_view name) noexcept;
  std::uint32_t AddPythonCode(const spool::PythonCodeRecord& code, std::string_view name,
                              std::string_view file, std::string_view lines) noexcept;
  std::uint32_t AddRunFacts(const spool::RunFactsRecord& facts,
                            std::string_view surroundings) noexcept;
  /// Adds a phase that begins at these times.
  std::uint32_t AddPhase(std::string_view name, std::uint64_t monotonic_ns,
                         std::uint64_t cpu_ns) noexcept;
  /// The id of the phase with this name, or spool::kNone. Compares the names of all phases.
  std::uint32_t FindPhase(std::string_view name) noexcept;
  /// Number of phases.
  std::uint32_t phase_count() const noexcept { return phase_count_; }
  /// A new row of the time line, in place because a row is large; nullptr: no room. Its segments
  /// are made on demand, up to spool::kMaxThreadSliceRows and kMaxPlaceSliceRows rows.
  spool::ThreadSlicesRecord* AddThreadSlices(std::uint32_t thread, std::uint64_t start_ns) noexcept;
  spool::PlaceSlicesRecord* AddPlaceSlices(std::uint32_t region, std::uint64_t pc,
                                           std::uint32_t doublings) noexcept;
  /// Adds records of a kind of which there are many (moments, timed samples, switches), behind the
  /// last one. Returns how many had room, the first ones.
  template <class T>
  std::size_t AddMany(const T* records, std::size_t count) noexcept {
    return AppendMany(spool::KindOf<T>::kKind, records, count);
  }
  /// Stores the effective configuration, lines NAME='value'. At most 32 KiB; call once.
  void SetConfiguration(std::string_view lines) noexcept;

  /// Counts a sample of `weight` (events; ns for a clock) in column `event`. Returns false if there
  /// is no bucket; the sample is then counted as unplaced.
  bool AddHit(const BucketSegment::Key& key, std::size_t event, std::uint64_t weight) noexcept;
  /// Number of regions; their ids are below it.
  std::uint32_t region_count() const noexcept { return region_count_; }
  /// Whether a bucket has this region. Looks at all buckets: for the end of a process.
  bool HasHit(std::uint32_t region) const noexcept;
  /// The path of a region; valid until Discard.
  std::string_view PathOf(const spool::RegionRecord& region) const noexcept {
    return TextAt(region.path, region.path_bytes);
  }
  /// Size of all bucket segments in bytes.
  std::uint64_t bucket_bytes() const noexcept { return bucket_bytes_; }

  /// Adds a larger bucket segment and room for regions and threads, once. For moments after which
  /// the file may not be accessible any more (change of user).
  void Reserve() noexcept;
  /// For the moment before a sandbox: calls Reserve, then forbids growth. Afterwards no function
  /// makes a system call, and records without room are only counted. The header's `frozen` tells
  /// the reader.
  void Freeze() noexcept;
  /// Undoes Freeze, after the sandbox was refused.
  void Unfreeze() noexcept;
  bool frozen() const noexcept { return frozen_; }

  /// The refusals to grow so far.
  struct Refusals {
    std::uint32_t count = 0;
    std::uint32_t sys_errno = 0;  ///< Of the last one
    std::uint64_t limit = 0;      ///< RLIMIT_FSIZE then; spool::kNoFileLimit: none
  };
  const Refusals& refused() const noexcept { return refused_; }

  /// Writes the spool as it is now to `fd`, from offset 0 on. Reads the mappings, so it works where
  /// the file is out of reach. Returns 0 or an errno. Requires an open spool.
  int CopyTo(int fd) const noexcept;

  /// Deletes the file; the mappings stay usable. Nothing if there is no file.
  void Remove() noexcept;
  /// Deletes the file and releases its memory, as if it had never existed. No other thread may be
  /// using it (the collector's lock).
  void Discard() noexcept;
  /// For a forked child: forgets everything (MADV_DONTFORK has unmapped it).
  void ForgetAfterFork() noexcept { *this = SpoolWriter(); }

 private:
  /// A segment that is mapped.
  struct Segment {
    spool::SegmentHeader* header;
    std::uint64_t file_offset;
    BucketSegment buckets;
  };
  /// Segments of a spool. When all are used, further records have no room.
  static constexpr std::size_t kMaxSegments = 96;

  /// Adds a segment for `capacity` records (bytes for strings). nullptr: there is no room. While
  /// the file system refuses, it is asked less and less often.
  Segment* AddSegment(spool::SegmentKind kind, std::uint32_t capacity) noexcept;
  /// AddSegment without that rule.
  Segment* Grow(spool::SegmentKind kind, std::uint32_t capacity) noexcept;
  /// Writes the header of a segment at `at`, whose memory is zero.
  Segment* InitSegment(spool::SegmentKind kind, void* at, std::uint64_t file_offset,
                       std::uint64_t bytes, std::uint32_t capacity) noexcept;
  /// The record with this index, counted through all segments of the kind; nullptr: none.
  void* Record(spool::SegmentKind kind, std::uint32_t index) noexcept;
  /// Copies a record behind the last one of its kind. Returns its index; spool::kNone: no room.
  std::uint32_t Append(spool::SegmentKind kind, const void* record) noexcept;
  /// Copies `count` records behind the last one of their kind; returns how many had room. Segments
  /// of these kinds are doubled up to 4 MiB, so that a spool has few and wastes little.
  std::size_t AppendMany(spool::SegmentKind kind, const void* records, std::size_t count) noexcept;
  /// The memory behind the last record of a kind, zero and not yet valid; nullptr: no room.
  /// `capacities`: of the kind's segments, in their order. `segment` gets the segment to which the
  /// caller adds 1 when the record is complete.
  template <std::size_t N>
  void* Next(spool::SegmentKind kind, const std::uint32_t (&capacities)[N],
             spool::SegmentHeader*& segment) noexcept;
  /// How often the size of the next segment of texts is doubled.
  unsigned MoreStrings() const noexcept;
  /// Copies a text; returns its offset in the file, or 0.
  std::uint64_t AddString(std::string_view text) noexcept;
  /// A text that AddString has stored; empty if the offset lies in no segment.
  std::string_view TextAt(std::uint64_t offset, std::uint32_t bytes) const noexcept;

  spool::Header* header_ = nullptr;
  std::uint64_t file_bytes_ = 0;
  /// Identity of the file, with inode_
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  std::uint64_t bucket_bytes_ = 0;
  std::size_t segment_count_ = 0;
  std::uint32_t region_count_ = 0;
  std::uint32_t phase_count_ = 0;
  std::uint64_t first_bytes_ = 0;  ///< Length of the mapping that contains the header
  std::uint32_t refusals_ = 0;     ///< Consecutive refusals
  /// Calls of AddSegment that fail without asking
  std::uint32_t growths_to_skip_ = 0;
  Refusals refused_;
  /// The last segment of each kind that AddMany writes, in the order of their numbers; nullptr:
  /// none
  spool::SegmentHeader* many_[3] = {};
  bool reserved_ = false;  ///< Reserve was called
  bool frozen_ = false;
  Segment segments_[kMaxSegments];
  char path_[kPathBytes] = {};
};

}  // namespace csink
