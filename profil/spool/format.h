#pragma once

/// File: the spool, byte for byte. One file that is always true.
///
/// The agent maps the file MAP_SHARED and writes into it while the program runs;
/// whatever ends the program, the kernel keeps the pages. The reader
/// (profil/reader/reader.h) takes the bytes as hostile.
///
///   +-----------------------+ 0
///   | Header  (kHeaderBytes)|
///   +-----------------------+ header.header_bytes
///   | SegmentHeader, records| segments lie back to back; each says its own size
///   | SegmentHeader, records|
///   | ...                   |
///   +-----------------------+ header.file_bytes (allocated with fallocate before it is mapped)
///
/// Everything is little-endian and append-only: a record is written first, then
/// its segment's `used` is raised (release). Only counters change in place.
/// All offsets are from the start of the file. Text lies in kStrings segments and
/// is named by (file offset, bytes); it is not terminated and may be any bytes.
///
/// Fields that grow while the program runs are marked [live]: the writer stores
/// them with relaxed atomics, a reader of a running program may see a value a
/// few microseconds old.

#include <cstddef>
#include <cstdint>

namespace csink::spool {

inline constexpr char kMagic[8] = {'C', 'S', 'I', 'N', 'K', 'S', 'P', 'L'};
/// Raised with every change that an older reader would misread.
inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr std::uint32_t kByteOrderMark = 0x01020304;
inline constexpr std::uint32_t kHeaderBytes = 8192;
inline constexpr std::size_t kMaxEvents = 8;
inline constexpr std::uint32_t kNone = 0xffffffff;

enum class State : std::uint32_t {
  kLive = 1,      ///< The program runs, or died without a word (kill -9).
  kComplete = 2,  ///< Everything was drained; `end` says how it ended.
};

enum class End : std::uint32_t {
  kUnknown = 0,    ///< Still running, or killed.
  kExit = 1,       ///< exit, or return from main.
  kQuickExit = 2,  ///< _exit, _Exit or quick_exit.
  kAbort = 3,
  kSignal = 4,  ///< `end_detail` is the signal's number.
  kExec = 5,    ///< The image was replaced; the next generation goes on under the same pid.
};

enum class Source : std::uint32_t { kUnknown = 0, kRing = 1, kTimer = 2 };

/// What an event column counts; says how to label it and what can be derived.
enum class EventKind : std::uint32_t {
  kOther = 0,
  kClock = 1,  ///< CPU time in ns (task-clock, cpu-clock).
  kCycles = 2,
  kInstructions = 3,
  kCacheReferences = 4,
  kCacheMisses = 5,
  kBranches = 6,
  kBranchMisses = 7,
  kPageFaults = 8,
  kContextSwitches = 9,
};

/// How far a sample may have slipped from the instruction that caused it.
enum class Skid : std::uint32_t {
  kUnknown = 0,
  kExact = 1,            ///< precise_ip 3, or 2 on hardware that is exact.
  kNextInstruction = 2,  ///< precise_ip 1 or 2.
  kInterrupt = 3,        ///< A PMU interrupt without precision: tens of instructions.
  kTimer = 4,            ///< A clock: the instruction at the interrupt, exact for time.
  kTick = 5,  ///< A tick-driven CPU timer: biased where the program sleeps between ticks.
};

/// What made samples precise.
enum class PreciseBy : std::uint32_t {
  kNothing = 0,  ///< Or not known
  kPebs = 1,     ///< Intel's processor event-based sampling
  kIbs = 2,      ///< AMD's instruction-based sampling
  kSpe = 3,      ///< Arm's statistical profiling extension
};

/// Why CPU time was not sampled. `lost_ns` of the header is indexed by this.
enum class Loss : std::uint32_t {
  kNoRing = 0,        ///< A thread that got no event or no ring (mlock limit, refusal).
  kBlockedDrain = 1,  ///< Rings ran full because nobody could drain them.
  kShortThread = 2,   ///< Threads that ended before a sample could be due.
  kUnexplained = 3,   ///< CPU clock minus system time minus samples x period, the rest.
};
inline constexpr std::size_t kLossCauses = 4;

/// One event column. 256 bytes.
struct EventColumn {
  char name[64];  ///< As shown to people, NUL-terminated: "task-clock:u".
  EventKind kind;
  Skid skid;
  std::uint64_t period;         ///< In events (ns for a clock); 0 in frequency mode.
  std::uint64_t frequency_hz;   ///< [live] Frequency mode only, else 0. May be lowered.
  std::uint32_t attr_type;      ///< perf_event_attr.type
  std::uint32_t precise_ip;     ///< As obtained.
  std::uint64_t attr_config;    ///< perf_event_attr.config
  std::uint64_t samples;        ///< [live] Samples counted into buckets.
  std::uint64_t weight;         ///< [live] Sum of sample weights, in events (ns for a clock).
  double weight_squared;        ///< [live] Sum of squared weights: effective n = weight^2 / this.
  std::uint64_t lost_records;   ///< [live] Samples the kernel says it dropped.
  std::uint64_t throttled;      ///< [live] Times the kernel throttled the event.
  std::uint64_t enabled_ns;     ///< [live] Sum over threads; 0 when not known.
  std::uint64_t running_ns;     ///< [live] Below enabled_ns: the event was multiplexed.
  std::uint64_t unplaced;       ///< [live] Samples that found no bucket (table full, frozen).
  std::uint32_t mixed_periods;  ///< Merged files: 1 where spools sampled at different rates.
  // Fields after this line came after the first release; an older file has 0 there.
  std::uint32_t precise_asked;  ///< precise_ip that was asked for first
  std::uint32_t precise_errno;  ///< Of the last refusal on the way down; 0: none, or not asked
  PreciseBy precise_by;
  // Of events that need a counter:
  std::uint64_t due_ns;         ///< [live] CPU time in which the event was to count; 0: not known
  std::uint64_t throttled_ns;   ///< [live] Of running_ns: the kernel had stopped the counter
  std::uint64_t unsampled;      ///< [live] Events that were counted and are in no sample
  std::uint64_t rate_limit_hz;  ///< [live] kernel.perf_event_max_sample_rate, where it throttled
  char reserved[256 - 64 - 4 * 2 - 8 * 2 - 4 * 2 - 8 * 9 - 4 * 4 - 8 * 4];
};
static_assert(sizeof(EventColumn) == 256);

/// The first kHeaderBytes of the file.
struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;  ///< == kHeaderBytes
  std::uint32_t byte_order;    ///< == kByteOrderMark as written by the machine
  std::uint32_t elf_machine;   ///< EM_X86_64, EM_AARCH64
  std::uint64_t file_bytes;    ///< [live] Allocated and valid; never more than the file's size.
  State state;                 ///< [live]
  End end;                     ///< [live]
  std::uint32_t end_detail;    ///< [live] Exit status or signal.
  Source source;
  std::uint32_t pid;  ///< In the program's own pid namespace.
  std::uint32_t parent_pid;
  std::uint64_t process_start_ticks;  ///< /proc/PID/stat field 22: with pid, the lineage over exec.
  std::uint32_t exec_generation;      ///< Images of this pid before this one that left a spool.
  std::uint32_t uid;
  std::uint64_t tree_id;  ///< Given by `csink run`; 0: not part of a tree.
  std::uint64_t start_realtime_ns;
  std::uint64_t start_monotonic_ns;
  std::uint64_t update_monotonic_ns;  ///< [live] Last drain.
  std::uint64_t user_ns;              ///< [live] getrusage(SELF) at the last drain.
  std::uint64_t system_ns;            ///< [live]
  std::uint64_t start_user_ns;  ///< CPU time spent before the agent was ready (never sampled).
  std::uint64_t start_system_ns;
  std::uint64_t agent_ns;              ///< [live] CPU time of the agent thread and of drains.
  std::uint64_t drains;                ///< [live]
  std::uint64_t lost_ns[kLossCauses];  ///< [live] Clock event only; indexed by Loss.
  std::uint32_t threads_seen;          ///< [live] Threads of the program, main included.
  std::uint32_t threads_sampled;       ///< [live] Of these, with an event of ours.
  std::uint32_t event_count;           ///< <= kMaxEvents
  std::uint32_t frozen;                ///< [live] 1: no segment can be added any more (sandbox).
  char host[64];                       ///< NUL-terminated, as the next ones; cut when longer.
  char program[64];                    ///< Base name of the executable.
  char executable[512];
  char command[1024];  ///< Arguments, separated by one blank.
  char working_directory[512];
  char source_reason[256];  ///< Why this source: one line for people.
  char kernel[96];          ///< uname -r
  char cpu[96];             ///< Model name; may be empty.
  // Fields after this line came after the first release; an older file has 0 there.
  std::uint64_t configuration;  ///< [live] File offset of the effective configuration; 0: none.
  std::uint32_t configuration_bytes;  ///< Lines NAME='value' that a POSIX shell can source.
  std::uint32_t rank_plus_one;        ///< MPI rank + 1; 0: no rank.
  char job[64];                       ///< Batch job's id, NUL-terminated; may be empty.
  std::uint32_t depth;       ///< Processes above this one that were profiled in the same run.
  std::uint32_t paused;      ///< [live] 1: sampling is paused now.
  std::uint64_t paused_ns;   ///< [live] CPU time that fell into pauses: user time, and system
                             ///< time where that is sampled too. Not lost.
  std::uint64_t bad_stacks;  ///< [live] Call chains that were cut (broken, too deep, not readable).
  std::uint64_t unseen_ns;   ///< At the end: CPU time, user and system, of threads that the agent
                             ///< never saw. A part of Loss::kUnexplained.
  std::uint64_t
      switched_off_ns;           ///< At the end: CPU time of threads that had their events switched
                                 ///< off (PR_TASK_PERF_EVENTS_DISABLE). Another part of it.
  std::uint64_t switches;        ///< [live] Context switches of the process at the last drain
  std::uint64_t start_switches;  ///< Of these, before the agent was ready
  char reserved[1024 - 8 - 4 * 2 - 64 - 4 * 2 - 8 * 6];
  EventColumn events[kMaxEvents];
};
static_assert(sizeof(Header) <= kHeaderBytes);

enum class SegmentKind : std::uint32_t {
  kStrings = 1,   ///< record_bytes == 1
  kRegions = 2,   ///< RegionRecord; ids count through all segments of the kind, from 0
  kThreads = 3,   ///< ThreadRecord; ids likewise
  kBuckets = 4,   ///< Bucket; open-addressed within its segment, `used` is not kept
  kRoutines = 5,  ///< RoutineRecord
  kPhases = 6,    ///< PhaseRecord; ids count from 1: phase 0 is what came before the first mark
  kChains = 7,    ///< ChainNode; ids count from 1: chain 0 is "no callers known"
  // Only in what `csink merge` writes, see below.
  kProcesses = 8,     ///< ProcessRecord with its counts; indices from 0
  kThreadTotals = 9,  ///< ThreadTotalRecord with its counts
  kNotes = 10,        ///< NoteRecord
  // Of any spool; came later.
  kDeviceCounters = 11,  ///< DeviceCounterRecord
};
inline constexpr std::uint32_t kSegmentMagic = 0x47455343;  // "CSEG"

/// 32 bytes, 8-aligned. `bytes` covers this header and all records.
struct SegmentHeader {
  std::uint32_t magic;
  SegmentKind kind;
  std::uint64_t bytes;
  std::uint32_t record_bytes;
  std::uint32_t capacity;  ///< Records that fit.
  std::uint32_t used;      ///< [live] Records that are valid (kBuckets: every one may be).
  std::uint32_t reserved;
};
static_assert(sizeof(SegmentHeader) == 32);

inline constexpr std::uint32_t kRegionVdso = 1;
inline constexpr std::uint32_t kRegionDeleted = 2;    ///< The file had no name any more.
inline constexpr std::uint32_t kRegionAnonymous = 4;  ///< JIT code, or text remapped to huge pages.
inline constexpr std::uint32_t kRegionKernel = 16;    ///< All of the kernel's code
inline constexpr std::uint32_t kRegionUnknown = 8;    ///< Catch-all for PCs that no mapping covers.

/// One executable mapping. An address reused by another library is another
/// region with a higher load_sequence. 96 bytes.
struct RegionRecord {
  std::uint64_t start;        ///< First address
  std::uint64_t end;          ///< Behind the last
  std::uint64_t file_offset;  ///< Of `start`; meaningless when anonymous
  std::uint64_t inode;
  std::uint32_t device_major;
  std::uint32_t device_minor;
  std::uint64_t path;  ///< File offset of the text
  std::uint32_t path_bytes;
  std::uint32_t flags;             ///< kRegion*
  std::uint32_t load_sequence;     ///< Order of appearance
  std::uint32_t build_id_bytes;    ///< 0: none, or not readable
  std::uint8_t build_id[20];       ///< Of the mapped image
  std::uint32_t process_plus_one;  ///< Merged files: whose anonymous code this is; else 0
  std::uint8_t reserved[8];
};
static_assert(sizeof(RegionRecord) == 96);

inline constexpr std::uint32_t kMergedThread = 0;

/// One thread that has samples. Thread 0 collects what has no record of its own
/// (the table is bounded). 80 bytes.
struct ThreadRecord {
  std::uint32_t tid;
  std::uint32_t ended;          ///< [live] 1 after the thread's end
  char name[16];                ///< [live] comm, NUL-terminated
  std::uint64_t start_routine;  ///< Address given to pthread_create; 0: main, or unknown
  std::uint32_t start_region;   ///< Region of start_routine, kNone: unknown
  std::uint32_t reserved0;
  std::uint64_t cpu_ns;        ///< [live] The thread's CPU clock (user + system)
  std::uint64_t sampled_ns;    ///< [live] Of it: samples x period, clock events only
  std::uint64_t lost_records;  ///< [live]
  std::uint64_t reserved1[2];
};
static_assert(sizeof(ThreadRecord) == 80);

/// One histogram bucket: record_bytes is sizeof(Bucket) + event_count * sizeof(Count).
/// The writer claims `owner` by compare-and-swap from 0, then stores `pc`, then
/// `tag` with kPublished. A bucket that is claimed but not published is not
/// counted. Two buckets with one key may exist (a race of claims): their counts add.
struct Bucket {
  std::uint64_t owner;  ///< (region + 1) << 32 | (thread + 1); 0: free
  std::uint64_t pc;     ///< Address as sampled
  std::uint64_t tag;    ///< kPublished | phase << 32 | caller chain id
  // Count counts[event_count];
};
static_assert(sizeof(Bucket) == 24);
inline constexpr std::uint64_t kPublished = 1ull << 63;

struct Count {
  std::uint64_t samples;  ///< [live]
  std::uint64_t weight;   ///< [live] In events (ns for a clock)
};

/// CPU time of ended threads that gave no sample, by start routine. 48 bytes.
struct RoutineRecord {
  std::uint64_t start_routine;  ///< 0: unknown
  std::uint32_t start_region;
  std::uint32_t reserved0;
  std::uint64_t threads;  ///< [live] Threads too short for a sample
  std::uint64_t cpu_ns;   ///< [live] Their CPU time
  std::uint64_t reserved1[2];
};
static_assert(sizeof(RoutineRecord) == 48);

/// A mark that the program or a script has set: samples after it carry its number. A mark of a
/// name that was there before returns to its record. 48 bytes.
struct PhaseRecord {
  std::uint64_t text;  ///< File offset of the name
  std::uint32_t text_bytes;
  std::uint32_t reserved0;
  std::uint64_t start_monotonic_ns;
  std::uint64_t start_cpu_ns;  ///< User + system time of the process at the (first) mark
  std::uint64_t marks;         ///< [live] Times that this mark was set; 0: not known
  std::uint64_t cpu_ns;        ///< [live] CPU time from these marks to the next ones, less pauses
};
static_assert(sizeof(PhaseRecord) == 48);

inline constexpr std::uint32_t kChainCut =
    1;  ///< The chain goes on from here, but could not be followed.
inline constexpr std::uint32_t kChainDeep = 2;    ///< ... because it is deeper than the limit.
inline constexpr std::uint32_t kChainSignal = 4;  ///< The frame that a signal handler interrupted.
/// With kChainCut: no caller at all was found. It has no parent and nobody's parent; pc is 0,
/// region kNone.
inline constexpr std::uint32_t kChainEmpty = 8;

/// One caller. A bucket's chain id names the node of the direct caller of its PC; each node names
/// its own caller, up to 0. Nodes are shared: one (parent, region, pc, flags) exists once. 32
/// bytes.
struct ChainNode {
  std::uint64_t pc;      ///< Return address as found (in the caller; look up pc - 1), or the
                         ///< interrupted PC itself with kChainSignal
  std::uint32_t region;  ///< kNone: no mapping covers it
  std::uint32_t parent;  ///< Node of the caller's caller; always smaller than the own id; 0: none
  std::uint32_t flags;   ///< kChain*
  std::uint32_t reserved[3];
};
static_assert(sizeof(ChainNode) == 32);

/// A merged file is a spool that `csink merge` wrote: the sum of many. Its header names their first
/// process. A region stands for a module: start and file_offset are 0, so that a bucket's pc is the
/// offset in the module's file. Buckets and chains are summed over all processes. Buckets carry
/// thread 0, or where threads were kept apart that of the ThreadTotalRecord before (1 is the first
/// of them; there are as many ThreadRecords, all zero, and one more). What is known of single
/// processes and threads stands in the records below, each of which is followed by
/// Count[event_count]. Older readers step over both kinds.

/// Text in a kStrings segment. 16 bytes.
struct TextRef {
  std::uint64_t at;
  std::uint32_t bytes;
  std::uint32_t reserved;
};
static_assert(sizeof(TextRef) == 16);

/// Fields as in Header unless said. 296 bytes.
struct ProcessRecord {
  TextRef spool_path;  ///< Of the spool that was read
  TextRef host;
  TextRef program;
  TextRef command;
  TextRef source_reason;
  TextRef job;
  TextRef configuration;
  std::uint32_t pid;
  std::uint32_t parent_pid;
  std::uint32_t generation;
  std::uint32_t state;  ///< 0 complete, 1 was running when it was merged, 2 killed
  End end;
  std::uint32_t end_detail;
  Source source;
  std::uint32_t frozen;
  std::uint32_t threads_seen;
  std::uint32_t threads_sampled;
  std::uint32_t rank_plus_one;
  std::uint32_t depth;
  std::uint32_t uid;
  std::uint32_t switches;   ///< Context switches, at most 2^32 - 1
  std::uint64_t processes;  ///< 1; more: the sum of those beyond the table's cap
  std::uint64_t start_ticks;
  std::uint64_t start_realtime_ns;
  std::uint64_t start_monotonic_ns;
  std::uint64_t update_monotonic_ns;
  std::uint64_t user_ns;
  std::uint64_t system_ns;
  std::uint64_t start_user_ns;
  std::uint64_t start_system_ns;
  std::uint64_t agent_ns;
  std::uint64_t lost_ns[kLossCauses];
  std::uint64_t paused_ns;
  std::uint64_t bad_stacks;
  // Count counts[event_count];
};
static_assert(sizeof(ProcessRecord) == 296);

inline constexpr std::uint32_t kThreadIsMerged = 1;  ///< Sum of threads without a row of their own
inline constexpr std::uint32_t kThreadHasEnded = 2;

/// One thread with samples; fields as in ThreadRecord. 80 bytes.
struct ThreadTotalRecord {
  std::uint32_t process;  ///< Index of its ProcessRecord
  std::uint32_t tid;
  char name[16];
  std::uint64_t start_routine;
  std::uint32_t start_region;
  std::uint32_t flags;  ///< kThread*
  std::uint64_t cpu_ns;
  std::uint64_t sampled_ns;
  std::uint64_t lost_records;
  std::uint64_t reserved[2];
  // Count counts[event_count];
};
static_assert(sizeof(ThreadTotalRecord) == 80);

/// What is to be said about the spools of a merged file. 40 bytes.
struct NoteRecord {
  TextRef text;         ///< Damage of a spool, with its path; or a program that was executed
  TextRef why;          ///< Why that program was not followed; empty: damage
  std::uint64_t times;  ///< That it was executed
};
static_assert(sizeof(NoteRecord) == 40);

inline constexpr std::uint32_t kCounterAccumulates = 1;   ///< Grows: `value` is what it grew by
inline constexpr std::uint32_t kCounterIsLowerBound = 2;  ///< It may have wrapped unseen
inline constexpr std::uint32_t kCounterFailed = 4;        ///< A reading failed; others did not

/// A counter of a device, read by csink-meter while this process ran. It counts for the whole
/// machine, whoever used the device. 144 bytes.
struct DeviceCounterRecord {
  std::uint64_t text;  ///< File offset of its name, "rapl:::PACKAGE_ENERGY:PACKAGE0"
  std::uint32_t text_bytes;
  std::uint32_t value_type;  ///< As the device tells it: 0 unsigned, 1 signed, 2 floating, 3 bits
  char units[16];            ///< Of the value, NUL-terminated: "nJ", "mW"
  std::uint32_t flags;       ///< kCounter*
  std::uint32_t host_bytes;
  std::uint64_t host;             ///< Merged files only: file offset of its name
  std::uint64_t machine;          ///< The same for all processes of one machine since its boot
  std::uint64_t first_ns;         ///< [live] CLOCK_MONOTONIC of the first reading that succeeded
  std::uint64_t last_ns;          ///< [live] ... and of the last such
  std::uint64_t covered_ns;       ///< [live] Time measured; less than last - first with pauses
  std::uint64_t machine_busy_ns;  ///< [live] CPU time of all programs in it; 0: not known
  std::uint64_t readings;         ///< [live] That succeeded
  double value;                   ///< [live] Growth in the time measured, else as read last
  double minimum;                 ///< [live] These three: of what does not accumulate
  double maximum;                 ///< [live]
  double time_sum;                ///< [live] Value x ns
  std::uint64_t reserved[2];
};
static_assert(sizeof(DeviceCounterRecord) == 144);

/// File names: <program>.<host>.<pid>.<start ticks>.<generation>.csink
/// Characters other than [A-Za-z0-9_+-] in program and host become '_'.
inline constexpr char kFileSuffix[] = ".csink";

}  // namespace csink::spool
