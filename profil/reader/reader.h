#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/util/result.h"
#include "profil/spool/format.h"

/// File: from the bytes of a spool to its records. The bytes are hostile: a spool
/// may be cut, foreign, half written, or made to hurt. Every offset and count is
/// checked before it is used; memory stays proportional to the file's size.
///
/// A damaged file is refused only when its header is not usable. Otherwise what
/// can be read is kept, and `problems` says what could not.

namespace csink::spool {

/// Larger files are refused: a spool of a million distinct PCs has 40 MB.
inline constexpr std::uint64_t kMaxSpoolBytes = 1ull << 30;

struct Region {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;
  std::uint64_t inode = 0;
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint32_t flags = 0;  ///< kRegion*
  std::uint32_t load_sequence = 0;
  std::string_view path;                   ///< Points into Spool::bytes.
  std::span<const std::uint8_t> build_id;  ///< Likewise.
  std::uint32_t process_plus_one = 0;      ///< Merged files only, RegionRecord.
};

struct Thread {
  std::uint32_t tid = 0;
  bool ended = false;
  std::string name;
  std::uint64_t start_routine = 0;
  std::uint32_t start_region = kNone;
  std::uint64_t cpu_ns = 0;
  std::uint64_t sampled_ns = 0;
  std::uint64_t lost_records = 0;
};

struct Routine {
  std::uint64_t start_routine = 0;
  std::uint32_t start_region = kNone;
  std::uint64_t threads = 0;
  std::uint64_t cpu_ns = 0;
};

/// One published bucket. Its counts are Spool::CountsOf(bucket).
struct Hit {
  std::uint32_t region = kNone;  ///< Index into regions, kNone: not known
  std::uint32_t thread = kNone;  ///< Index into threads, kNone: not known
  std::uint32_t phase = 0;       ///< 0..phases.size()
  std::uint32_t chain = 0;       ///< 0..chains.size()
  std::uint64_t pc = 0;
  std::size_t first_count = 0;
};

/// A mark. Phase ids count from 1: phases[0] is phase 1.
struct Phase {
  std::string_view name;  ///< Points into Spool::bytes.
  std::uint64_t start_monotonic_ns = 0;
  std::uint64_t start_cpu_ns = 0;
  std::uint64_t marks = 0;  ///< 0: neither this nor cpu_ns is known
  std::uint64_t cpu_ns = 0;
};

/// One caller. Chain ids count from 1: chains[0] is chain 1.
struct Chain {
  std::uint64_t pc = 0;
  std::uint32_t region = kNone;  ///< Index into regions, kNone: not known
  std::uint32_t parent = 0;      ///< Chain id below the own, 0: none
  std::uint32_t flags = 0;       ///< kChain*
};

/// A process of a merged file. Its counts begin at Spool::counts[first_count].
struct Process {
  ProcessRecord record{};
  std::string_view spool_path;  ///< These point into Spool::bytes.
  std::string_view host;
  std::string_view program;
  std::string_view command;
  std::string_view source_reason;
  std::string_view job;
  std::string_view configuration;
  std::size_t first_count = 0;
};

/// A thread of a merged file.
struct ThreadTotal {
  ThreadTotalRecord record{};  ///< The name is terminated.
  std::size_t first_count = 0;
};

/// A remark of a merged file, see NoteRecord.
struct Note {
  std::string_view text;  ///< These point into Spool::bytes.
  std::string_view why;
  std::uint64_t times = 0;
};

/// A counter of a device.
struct DeviceCounter {
  DeviceCounterRecord record{};  ///< Numbers are finite, units terminated.
  std::string_view name;         ///< These point into Spool::bytes.
  std::string_view host;         ///< Merged files only
};

/// A spool that was read.
/// Owns:    its bytes; views in regions point into them. Movable, not copyable.
/// Threads: any, read only.
struct Spool {
  Spool() = default;
  Spool(Spool&&) noexcept = default;
  Spool& operator=(Spool&&) noexcept = default;
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  std::vector<std::byte> bytes;
  Header header{};  ///< Numbers as written; texts are terminated, event_count checked.
  std::vector<Region> regions;
  std::vector<Thread> threads;
  std::vector<Routine> routines;
  std::vector<Phase> phases;
  std::vector<Chain> chains;
  std::vector<Process> processes;          ///< Merged files only.
  std::vector<ThreadTotal> thread_totals;  ///< Likewise.
  std::vector<Note> notes;                 ///< Likewise.
  std::vector<DeviceCounter> device_counters;
  std::string_view configuration;  ///< Lines NAME='value'; points into bytes.
  std::vector<Hit> hits;
  std::vector<Count> counts;
  std::vector<std::string> problems;  ///< What could not be read; empty for a whole file.
  /// Hits whose region or PC did not fit. In a live file: seen while being
  /// written, reading again helps. Elsewhere: damage.
  std::size_t misplaced_hits = 0;
  /// Hits whose phase or callers are not there; they count without. As above.
  std::size_t unmarked_hits = 0;

  /// Of a hit, a process or a thread total.
  template <class Record>
  std::span<const Count> CountsOf(const Record& record) const noexcept {
    return {counts.data() + record.first_count, header.event_count};
  }
};

/// Takes the whole content of a spool apart.
/// Errors: kCorrupt (not a spool, or its header is damaged), kUnsupported (another
/// format version or byte order).
Result<Spool> ParseSpool(std::vector<std::byte> bytes);

/// Reads a copy of the file (never maps it: a live file may shrink under us) and
/// takes it apart; a live file that was caught in the middle of a change is read
/// again. Errors: as ParseSpool, kNotFound (no such file, or one with nothing in it yet),
/// kPermission, kLimit (larger than kMaxSpoolBytes), kInvalid (not a regular file), kSystem.
Result<Spool> ReadSpoolFile(const std::string& path);

/// The message of kNotFound for a file with nothing in it.
inline constexpr char kNotBegun[] =
    "empty: its process was killed before the first samples were in";
/// Whether it is that: no damage, and nothing that could be missed but the first milliseconds.
inline bool IsNotBegun(const Error& error) { return error.what == kNotBegun; }

/// "PATH: what (system's word)", one line for people.
std::string DescribeReadError(const std::string& path, const Error& error);

}  // namespace csink::spool
