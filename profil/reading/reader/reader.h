#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/util/result.h"
#include "profil/format/chain_end.h"
#include "profil/format/format.h"

/// File: parses the bytes of a spool into records. The bytes are not trusted: a spool may be cut,
/// foreign, half written, or manipulated. Every offset and count is checked before use, and memory
/// stays proportional to the size of the file.
///
/// A damaged file is refused only if its header is not usable. Otherwise everything that can be
/// read is kept, and `problems` says what could not be read.

namespace csink::spool {

/// Larger files are refused, because a file is read completely: 1 GiB. A spool of a million
/// distinct PCs has 40 MB.
inline constexpr std::uint64_t kMaxSpoolBytes = 1ull << 30;

/// An executable mapping; ids are indices into Spool::regions. Fields as in RegionRecord.
struct Region {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;
  std::uint64_t inode = 0;
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint32_t flags = 0;  ///< kRegion*
  std::uint32_t load_sequence = 0;
  /// Points into Spool::bytes, as build_id; "": anonymous memory, or not readable
  std::string_view path;
  std::span<const std::uint8_t> build_id;  ///< Likewise.
  std::uint32_t process_plus_one = 0;      ///< Merged files only, RegionRecord.
};

/// A thread; ids are indices into Spool::threads, 0 is the merged thread. Fields as in
/// ThreadRecord.
struct Thread {
  std::uint32_t tid = 0;
  bool ended = false;
  std::string name;
  std::uint64_t start_routine = 0;
  std::uint32_t start_region = kNone;
  std::uint64_t cpu_ns = 0;
  std::uint64_t sampled_ns = 0;
  std::uint64_t lost_records = 0;
  /// Number of short threads that share the record (kThreadShared); 0: it is of one thread
  std::uint64_t sharing = 0;
  bool is_child = false;  ///< kThreadIsChild; then tid is the pid of the child
  std::uint64_t child_system_ns = 0;
  End child_end = End::kUnknown;
  std::uint32_t child_end_detail = 0;
  std::uint64_t start_monotonic_ns = 0;
  std::uint64_t end_monotonic_ns = 0;
  /// `threads` is the number of threads whose times are known (thread 0: 1 if there are any)
  WallTotals wall{};
};

/// Short threads of one start routine. Fields as in RoutineRecord.
struct Routine {
  std::uint64_t start_routine = 0;
  std::uint32_t start_region = kNone;
  std::uint64_t threads = 0;
  std::uint64_t cpu_ns = 0;
};

/// A published bucket: the samples of one place. Its counts are Spool::CountsOf(hit).
struct Hit {
  std::uint32_t region = kNone;  ///< Index into regions; kNone: unknown
  std::uint32_t thread = kNone;  ///< Index into threads; kNone: unknown
  std::uint32_t phase = 0;       ///< 0..phases.size()
  std::uint32_t chain = 0;       ///< 0..chains.size()
  std::uint64_t pc = 0;
  std::size_t first_count = 0;
};

/// A mark. Phase ids are numbered from 1: phases[0] is phase 1. Fields as in PhaseRecord.
struct Phase {
  std::string_view name;  ///< Points into Spool::bytes.
  std::uint64_t start_monotonic_ns = 0;
  std::uint64_t start_cpu_ns = 0;
  std::uint64_t marks = 0;  ///< 0: neither this nor cpu_ns is known
  std::uint64_t cpu_ns = 0;
};

/// A caller. Chain ids are numbered from 1: chains[0] is chain 1. Fields as in ChainNode.
struct Chain {
  std::uint64_t pc = 0;
  std::uint32_t region = kNone;  ///< Index into regions; kNone: unknown
  std::uint32_t parent = 0;      ///< Chain id, smaller than the own id; 0: none
  std::uint32_t flags = 0;       ///< kChain*
};

/// A thread over time. Slice i covers [i, i + 1) x width_ns from Header::slices_start_ns on. Slices
/// behind the last one that is not zero are left out. Fields as in ThreadSlicesRecord.
struct ThreadSlices {
  std::uint32_t thread = 0;  ///< Index into threads
  std::uint32_t flags = 0;   ///< kSlices*
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;    ///< Not before start_ns
  std::uint64_t width_ns = 0;  ///< Not 0
  std::vector<ThreadSlice> slices;
};

/// Samples of a place over time, of the first event. Otherwise as ThreadSlices.
struct PlaceSlices {
  std::uint64_t pc = 0;  ///< Lies in the region
  std::uint32_t region = kNone;
  std::uint64_t width_ns = 0;
  std::vector<std::uint32_t> samples;
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
  WallTotals wall{};  ///< Zero in older files, as in a ThreadTotal
  Evidence evidence{};
  ProcessIdentity identity{};
  ProcessFurther further{};
  std::size_t first_count = 0;
};

/// A thread of a merged file.
struct ThreadTotal {
  ThreadTotalRecord record{};  ///< The name is NUL-terminated
  WallTotals wall{};
  std::size_t first_count = 0;
};

/// A note in a merged file; see NoteRecord.
struct Note {
  std::string_view text;  ///< These point into Spool::bytes.
  std::string_view why;
  std::uint64_t times = 0;
};

/// What the processes of a tree recorded of each other; see TreeFactsRecord.
struct TreeFacts {
  std::uint64_t tree_id = 0;
  std::string_view records;  ///< Points into Spool::bytes. Any bytes
};

/// A counter of a device. The numbers are finite, and its times are in order.
struct DeviceCounter {
  DeviceCounterRecord record{};  ///< Numbers are finite, units are NUL-terminated
  std::string_view name;         ///< These point into Spool::bytes.
  std::string_view host;         ///< Merged files only
};

/// A function of Python; fields as in PythonCodeRecord.
struct PythonCode {
  std::string_view name;  ///< These point into Spool::bytes.
  std::string_view file;
  std::string_view lines;
  std::uint32_t first_line = 0;
  std::uint32_t units = 0;
};

/// Fields as in RunFactsRecord. `process` is not checked.
struct RunFacts {
  RunFactsRecord record{};
  std::string_view surroundings;  ///< Points into Spool::bytes
};

/// What an observer saw of blocked threads. The records are those of the file, checked: indices are
/// valid, or kNone (regions, threads) or 0 (chains, phases, locks); sums of squares are finite and
/// not negative. Ids of locks are numbered from 1: locks[0] is lock 1.
struct Waits {
  std::vector<WaitSiteRecord> sites;
  std::vector<LockRecord> locks;
  std::vector<HolderRecord> holders;  ///< Those with an unknown lock are left out
};

/// Records with times. They are those of the file, checked: regions and chains are valid or none,
/// events are valid, and no wait ends before its begin. Kinds may be unknown.
struct Timed {
  std::vector<MomentRecord> moments;
  std::vector<TimedSampleRecord> samples;
  std::vector<SwitchRecord> switches;
};

/// The samples of the ranks of a merged file. The records are those of the file, checked: regions
/// and events are valid (or region kNone), and so are codes.
struct Ranks {
  std::vector<RankCodeRecord> codes;
  std::vector<RankRecord> ranks;        ///< The sum of their `counts` is counts.size()
  std::vector<RankCountRecord> counts;  ///< In the order of the ranks
};

/// A spool that was read. The indices in hits, chains, thread totals and regions are valid, or
/// kNone (0 for phases and chains). start_region and all other numbers may be any that the file
/// has.
/// Owns:    its bytes; views in regions point into them. Movable, not copyable.
/// Threads: any, read only.
struct Spool {
  Spool() = default;
  Spool(Spool&&) noexcept = default;
  Spool& operator=(Spool&&) noexcept = default;
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  /// The file, as it was read
  std::vector<std::byte> bytes;
  Header header{};  ///< Numbers as written; texts are NUL-terminated, event_count is valid
  std::vector<Region> regions;
  std::vector<Thread> threads;
  std::vector<Routine> routines;
  std::vector<Phase> phases;
  std::vector<Chain> chains;
  std::vector<ChainEndRecord> chain_ends;  ///< Regions may be any number
  std::vector<Process> processes;          ///< Merged files only
  std::vector<ThreadTotal> thread_totals;  ///< Merged files only
  std::vector<Note> notes;                 ///< Merged files only
  std::vector<TreeFacts> tree_facts;       ///< Merged files only
  std::vector<DeviceCounter> device_counters;
  std::vector<PythonCode> python_code;  ///< Nodes with kChainPython have valid ids
  std::vector<PythonStateRecord> python_states;
  std::vector<RunFacts> run_facts;
  std::vector<ThreadSlices> thread_slices;  ///< At most one for each thread
  std::vector<PlaceSlices> place_slices;
  Ranks ranks;                     ///< Merged files only; empty if the file has no ranks
  Waits waits;                     ///< Empty unless the agent observed waiting threads
  Timed timed;                     ///< Empty unless times were recorded (CSINK_CRITICAL)
  std::string_view configuration;  ///< Lines NAME='value'; points into bytes
  /// All samples, in the order of the file
  std::vector<Hit> hits;
  /// The counts of hits, processes and thread totals
  std::vector<Count> counts;
  std::vector<std::string> problems;  ///< What could not be read; empty if the file is complete
  /// Number of hits whose region or PC is not valid. In a live file they were read while they were
  /// being written, and reading again helps. In other files they are damage.
  std::size_t misplaced_hits = 0;
  /// Number of hits whose phase or chain is not valid; they are counted without these. Reasons as
  /// above.
  std::size_t unmarked_hits = 0;
  /// Number of rows of the time line that changed while the file was copied. Rows that could not be
  /// completed are left out.
  std::size_t changed_rows = 0;
  /// Number of records of waits with an index that is not valid; it was replaced by "none". Reasons
  /// as above.
  std::size_t misplaced_waits = 0;

  /// The counts of a hit, a process or a thread total: one for each event. Valid as long as the
  /// Spool.
  template <class Record>
  std::span<const Count> CountsOf(const Record& record) const noexcept {
    return {counts.data() + record.first_count, header.event_count};
  }
};

/// Parses the contents of a spool. Errors: kNotFound (all zero: not begun), kCorrupt (not a spool,
/// or its header is damaged), kUnsupported (another format version or byte order). Everything else
/// that is wrong becomes a line of Spool::problems.
Result<Spool> ParseSpool(std::vector<std::byte> bytes);

/// Reads a copy of the file and parses it. The file is not mapped, because a live file may be
/// truncated at any time. A live file that was read in the middle of a change is read again, three
/// times at most. Errors: as ParseSpool; kNotFound (no such file, or it is still empty),
/// kPermission, kLimit (larger than kMaxSpoolBytes), kInvalid (not a regular file), kSystem.
Result<Spool> ReadSpoolFile(const std::string& path);

/// Reads and checks only the header. Errors: as ReadSpoolFile.
Result<Header> ReadSpoolHeader(const std::string& path);

/// The text of the kNotFound error for an empty file.
inline constexpr char kNotBegun[] =
    "empty: the process was killed before its first samples were stored";
/// True if the error means an empty file. That is no damage: only the first milliseconds of a
/// process are missing. Compares the text by its address, so only for errors of this reader.
inline bool IsNotBegun(const Error& error) { return error.what == kNotBegun; }

/// The text of the kUnsupported error for another version of the format, without the number of that
/// version, because an Error owns no text. DescribeReadError reads the number from the file.
inline constexpr char kOtherVersion[] =
    "a spool of another format version than this csink reads; use the csink of the release whose "
    "libagent.so wrote it";

/// "PATH: what (strerror)", one line for the user, without a line end. For kOtherVersion with both
/// versions: "PATH: spool format 2, newer than this csink reads (1); ...".
std::string DescribeReadError(const std::string& path, const Error& error);

}  // namespace csink::spool
