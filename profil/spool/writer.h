#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/result.h"
#include "profil/spool/format.h"
#include "profil/spool/histogram.h"

namespace csink {

/// The writing side of a spool (format: profil/spool/format.h), inside the
/// profiled program.
///
/// Every byte is allocated with fallocate before it is mapped: touching an
/// unallocated page of a full disk would be SIGBUS in the host. No descriptor is
/// kept: to grow, the file is opened again and its identity checked.
///
/// Owns:    the mappings (never unmapped before the process ends: a drain in a
///          signal handler may be looking at them), and the file's name.
/// Threads: one writer at a time (the collector's lock).
/// Signals: safe (writer_signal.cpp): raw system calls, no heap.
class SpoolWriter {
 public:
  static constexpr std::size_t kPathBytes = 512;

  /// Creates `<directory>/<stem>.<generation>.csink` exclusively, with the first
  /// generation from `first_generation` on that is free, and copies `header` into it (magic, sizes,
  /// state and exec_generation are filled in here). The directory must exist. Fails with kLimit
  /// (disk full), kPermission, kNotFound, kSystem; no file is left behind then.
  Result<void> Create(std::string_view directory, std::string_view stem,
                      const spool::Header& header, unsigned first_generation = 0) noexcept;

  bool open() const noexcept { return header_ != nullptr; }
  spool::Header& header() noexcept { return *header_; }
  const char* path() const noexcept { return path_; }
  /// Says how the process stands; kLive takes an earlier end back.
  void SetState(spool::State state, spool::End end, std::uint32_t detail = 0) noexcept;
  /// Bytes of the file.
  std::uint64_t file_bytes() const noexcept { return file_bytes_; }

  /// The id of the new record, or spool::kNone when there is no room.
  std::uint32_t AddRegion(const spool::RegionRecord& region, std::string_view path) noexcept;
  std::uint32_t AddThread(const spool::ThreadRecord& thread) noexcept;
  std::uint32_t AddRoutine(const spool::RoutineRecord& routine) noexcept;
  /// Ids of phases and chains count from 1.
  std::uint32_t AddPhase(std::string_view name, std::uint64_t monotonic_ns,
                         std::uint64_t cpu_ns) noexcept;
  /// The phase of this name, or spool::kNone.
  std::uint32_t FindPhase(std::string_view name) noexcept;
  /// Id from 0, its name in `name`.
  std::uint32_t AddDeviceCounter(const spool::DeviceCounterRecord& counter,
                                 std::string_view name) noexcept;
  spool::DeviceCounterRecord* DeviceCounter(std::uint32_t id) noexcept;
  std::uint32_t phase_count() const noexcept { return phase_count_; }
  /// `node.parent` must have been added before.
  std::uint32_t AddChain(const spool::ChainNode& node) noexcept;
  /// The effective configuration, lines NAME='value'; at most 32 KiB, once.
  void SetConfiguration(std::string_view lines) noexcept;
  /// A record made before; its [live] fields may be stored to.
  spool::RegionRecord* Region(std::uint32_t id) noexcept;
  spool::ThreadRecord* Thread(std::uint32_t id) noexcept;
  spool::RoutineRecord* Routine(std::uint32_t id) noexcept;
  spool::PhaseRecord* Phase(std::uint32_t id) noexcept;  ///< Ids count from 1

  /// Counts a sample. False: no bucket could be had; counted as unplaced.
  bool AddHit(const BucketSegment::Key& key, std::size_t event, std::uint64_t weight) noexcept;
  /// Bytes in bucket segments.
  std::uint64_t bucket_bytes() const noexcept { return bucket_bytes_; }

  /// Adds a larger bucket segment and room for regions and threads, once: the file
  /// may soon be out of reach (another user).
  void Reserve() noexcept;
  /// Before a sandbox: Reserve; from then on no call makes a system call, and what
  /// finds no room is counted.
  void Freeze() noexcept;
  /// The sandbox was refused.
  void Unfreeze() noexcept;
  bool frozen() const noexcept { return frozen_; }

  /// Deletes the file; the mappings stay usable.
  void Remove() noexcept;
  /// Deletes the file and gives its memory back: as if there had never been one. Nobody may be
  /// looking at it (the collector's lock).
  void Discard() noexcept;
  /// In a forked child: forgets everything (MADV_DONTFORK has unmapped it).
  void ForgetAfterFork() noexcept { *this = SpoolWriter(); }

 private:
  struct Segment {
    spool::SegmentHeader* header;
    std::uint64_t file_offset;
    BucketSegment buckets;
  };
  static constexpr std::size_t kMaxSegments = 96;

  /// nullptr: not now, or never. Asks the file system less and less often while it refuses.
  Segment* AddSegment(spool::SegmentKind kind, std::uint32_t capacity) noexcept;
  Segment* Grow(spool::SegmentKind kind, std::uint32_t capacity) noexcept;
  Segment* InitSegment(spool::SegmentKind kind, void* at, std::uint64_t file_offset,
                       std::uint64_t bytes, std::uint32_t capacity) noexcept;
  std::uint32_t RecordBytes(spool::SegmentKind kind) const noexcept;
  void* Record(spool::SegmentKind kind, std::uint32_t id) noexcept;
  std::uint32_t Append(spool::SegmentKind kind, const void* record) noexcept;
  std::uint64_t AddString(std::string_view text) noexcept;
  std::string_view TextAt(std::uint64_t offset, std::uint32_t bytes) const noexcept;

  spool::Header* header_ = nullptr;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  std::uint64_t bucket_bytes_ = 0;
  std::size_t segment_count_ = 0;
  std::uint32_t region_count_ = 0;
  std::uint32_t phase_count_ = 0;
  std::uint64_t first_bytes_ = 0;  ///< Of the mapping that the header lies in
  std::uint32_t refusals_ = 0;     ///< In a row
  std::uint32_t growths_to_skip_ = 0;
  bool reserved_ = false;
  bool frozen_ = false;
  Segment segments_[kMaxSegments];
  char path_[kPathBytes] = {};
};

}  // namespace csink
