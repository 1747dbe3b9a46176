#pragma once

/// File: the binary format of a spool. The file is valid at any time.
///
/// The agent maps the file MAP_SHARED and writes to it while the program runs. However the program
/// ends, the kernel keeps the written pages. The reader (profil/reading/reader/reader.h) does not
/// trust any byte.
///
///   +-----------------------+ 0
///   | Header  (kHeaderBytes)|
///   +-----------------------+ header.header_bytes
///   | SegmentHeader, records| segments lie back to back; each says its own size
///   | SegmentHeader, records|
///   | ...                   |
///   +-----------------------+ header.file_bytes (allocated with fallocate before it is mapped)
///
/// All numbers are little-endian. The file is append-only: a record is written first, then its
/// segment's `used` is increased (release). Only counters change in place. All offsets are from the
/// start of the file. Text is in kStrings segments and is referenced by (file offset, bytes); it is
/// not terminated and may contain any bytes.
///
/// Fields that change while the program runs are marked [live]: the writer stores them with relaxed
/// atomics, and a reader of a running program may see a value that is a few microseconds old.

#include <cstddef>
#include <cstdint>

#include "core/util/event_class.h"
#include "profil/format/evidence.h"

namespace csink::spool {

/// The first bytes of a spool. Written last, so that a file without it is not begun yet.
inline constexpr char kMagic[8] = {'C', 'S', 'I', 'N', 'K', 'S', 'P', 'L'};
/// Increased with every change that an older reader would misinterpret.
inline constexpr std::uint32_t kFormatVersion = 1;
/// Reads differently on a machine of the other byte order.
inline constexpr std::uint32_t kByteOrderMark = 0x01020304;
/// Size of the header in the file: two pages, more than sizeof(Header), so that it can grow.
inline constexpr std::uint32_t kHeaderBytes = 8192;
/// Event columns of a spool.
inline constexpr std::size_t kMaxEvents = 8;
/// An id that no record has.
inline constexpr std::uint32_t kNone = 0xffffffff;

/// Whether the process still writes.
enum class State : std::uint32_t {
  kLive = 1,      ///< The program runs, or died without notice (SIGKILL).
  kComplete = 2,  ///< Everything was drained; `end` says how it ended.
};

/// How the process, or this image of it, ended.
enum class End : std::uint32_t {
  kUnknown = 0,    ///< Still running, or killed.
  kExit = 1,       ///< exit, or return from main.
  kQuickExit = 2,  ///< _exit, _Exit or quick_exit.
  /// abort, with SIGABRT at its default
  kAbort = 3,
  kSignal = 4,  ///< `end_detail` is the signal's number.
  kExec = 5,    ///< The image was replaced; the next generation has the same pid.
};

/// Where samples come from: the kernel's ring buffers, or CPU timers of the process.
enum class Source : std::uint32_t { kUnknown = 0, kRing = 1, kTimer = 2 };

/// How far a sample's address may be from the instruction that caused it.
enum class Skid : std::uint32_t {
  kUnknown = 0,
  kExact = 1,            ///< precise_ip 3, or 2 on hardware that is exact.
  kNextInstruction = 2,  ///< precise_ip 1 or 2.
  kInterrupt = 3,        ///< A PMU interrupt without precision: tens of instructions.
  kTimer = 4,            ///< A clock: the instruction at the interrupt, exact for time.
  kTick = 5,  ///< A tick-driven CPU timer: biased where the program sleeps between ticks.
};

/// The processor's mechanism for precise samples.
enum class PreciseBy : std::uint32_t {
  kNothing = 0,  ///< None, or unknown
  kPebs = 1,     ///< Intel's processor event-based sampling
  kIbs = 2,      ///< AMD's instruction-based sampling
  kSpe = 3,      ///< Arm's statistical profiling extension
};

/// Why CPU time was not sampled. Index into `lost_ns` of the header.
enum class Loss : std::uint32_t {
  kNoRing = 0,        ///< Threads without an event or ring (limit of locked memory, refusal).
  kBlockedDrain = 1,  ///< Rings were full because no thread could drain them.
  kShortThread = 2,   ///< Threads that ended before their first sample was due.
  kUnexplained = 3,   ///< The rest: CPU clock minus system time minus samples x period.
};
/// Number of causes; a further one would move the fields behind lost_ns (docs/design/profil.md).
inline constexpr std::size_t kLossCauses = 4;

/// One event column: what was sampled, how, and the sums over the process. Columns are numbered as
/// in Header::events; Count[i] belongs to column i. 256 bytes.
struct EventColumn {
  char name[64];  ///< As shown to users, NUL-terminated: "task-clock:u".
  /// What the event counts; determines labels and derived columns, of which kOther has none
  EventClass kind;
  /// How far addresses may be off, as obtained and not as asked for
  Skid skid;
  std::uint64_t period;         ///< In events (ns for a clock); 0 in frequency mode.
  std::uint64_t frequency_hz;   ///< [live] Frequency mode only, else 0. May be lowered.
  std::uint32_t attr_type;      ///< perf_event_attr.type
  std::uint32_t precise_ip;     ///< As obtained.
  std::uint64_t attr_config;    ///< perf_event_attr.config
  std::uint64_t samples;        ///< [live] Samples counted into buckets.
  std::uint64_t weight;         ///< [live] Sum of sample weights, in events (ns for a clock).
  double weight_squared;        ///< [live] Sum of squared weights: effective n = weight^2 / this.
  std::uint64_t lost_records;   ///< [live] Samples that the kernel reported as dropped.
  std::uint64_t throttled;      ///< [live] How often the kernel throttled the event.
  std::uint64_t enabled_ns;     ///< [live] Sum over threads; 0: unknown.
  std::uint64_t running_ns;     ///< [live] Below enabled_ns: the event was multiplexed.
  std::uint64_t unplaced;       ///< [live] Samples without a bucket (table full, frozen).
  std::uint32_t mixed_periods;  ///< Merged files: 1 where spools sampled at different rates.
  // The following fields were added after the first release; older files have 0 there.
  std::uint32_t precise_asked;  ///< precise_ip of the first attempt
  std::uint32_t precise_errno;  ///< errno of the last refusal; 0: none, or no precision requested
  PreciseBy precise_by;
  // For events that need a hardware counter:
  std::uint64_t due_ns;  ///< [live] CPU time in which the event should have counted; 0: unknown
  /// [live] Part of running_ns in which the kernel had stopped the counter
  std::uint64_t throttled_ns;
  std::uint64_t unsampled;  ///< [live] Events that were counted but are in no sample
  /// [live] kernel.perf_event_max_sample_rate if the event was throttled
  std::uint64_t rate_limit_hz;
  char reserved[256 - 64 - 4 * 2 - 8 * 2 - 4 * 2 - 8 * 9 - 4 * 4 - 8 * 4];
};
static_assert(sizeof(EventColumn) == 256);

/// What the observer of blocked threads did (CSINK_WAIT). All 0: it was off. All fields are [live].
/// 120 bytes.
struct WaitObserver {
  std::uint32_t state;          ///< 0: off, 1: it observed, 2: it stopped early
  std::uint32_t stopped_errno;  ///< Why: errno of the read that failed. ENOTSUP: the kernel keeps
                                ///< no times of threads; EPERM: a sandbox
  std::uint64_t moments;        ///< Random moments at which all threads were looked at
  std::uint64_t looks;          ///< Looks that found a thread blocked
  std::uint64_t moved;          ///< Of these, the thread moved on during the look
  std::uint64_t cut;            ///< Of these, the chain of callers was walked and cut
  std::uint64_t no_site;        ///< Of these, the table of sites had no room
  std::uint64_t no_lock;        ///< Of these, the table of locks or of holders had no room
  std::uint64_t no_site_ns;     ///< Blocked time of no_site
  std::uint64_t folded;         ///< Of the looks, those at threads without a ThreadRecord
  std::uint64_t cpu_ns;         ///< CPU time of the observer
  std::uint64_t blocked_ns;     ///< Blocked time of each thread from its begin, if observed, else
                                ///< the first look, to the last look. The sites have all of it but
                                ///< the time since the last look that found the thread blocked
  std::uint64_t start_monotonic_ns;  ///< The first moment
  std::uint64_t last_monotonic_ns;   ///< The last moment
  std::uint32_t threads;             ///< Threads that were looked at
  std::uint32_t most_threads;        ///< At one moment
  /// GNU C library of the process: release 2.36 is 2 << 16 | 36. That of another release if the
  /// process has its layout of condition variables. 0: not known, another one, or an older file
  std::uint32_t glibc;
  std::uint32_t reserved;
};
static_assert(sizeof(WaitObserver) == 120);

/// How the wall time of threads divides: wall = run + wait + undivided, the rest they were blocked.
/// 56 bytes.
struct WallTotals {
  std::uint64_t threads;  ///< [live] Number of threads that are added up; 0: nothing is known
  std::uint64_t wall_ns;  ///< [live] From the begin of each thread to its end, or the last look
  std::uint64_t run_ns;   ///< [live] On a processor, user and system
  std::uint64_t wait_ns;  ///< [live] Runnable, but waiting for a processor (schedstat)
  std::uint64_t undivided_ns;  ///< [live] Waiting or blocked: schedstat was not read afterwards
  std::uint32_t processors;    ///< [live] That the main thread may use (its affinity); 0: not known
  /// [live] errno of the last reading of schedstat that failed; 0: none, ENODATA: the kernel does
  /// not keep these numbers
  std::uint32_t read_errno;
  std::uint64_t reserved;
};
static_assert(sizeof(WallTotals) == 56);

/// What was recorded with times (CSINK_CRITICAL): moments, samples and context switches. All 0: it
/// was off. All fields are [live]. 64 bytes.
struct TimedCounts {
  std::uint32_t recorded;  ///< 1: it was on
  std::uint32_t hooked;    ///< 1: waits and wakers were seen by libcsink-critical.so
  /// Records that found no room: the limit of the spool or a thread's buffer was reached
  std::uint64_t moments_left_out;
  std::uint64_t samples_left_out;
  std::uint64_t switches_left_out;
  std::uint64_t full_monotonic_ns;  ///< When the limit was reached; 0: it was not
  /// Times between two records of a thread in which the kernel lost records, and so switches
  std::uint64_t lost_stretches;
  std::uint64_t lost_ns;  ///< Their sum over the threads
  std::uint64_t reserved;
};
static_assert(sizeof(TimedCounts) == 64);

/// The first kHeaderBytes of the file.
struct Header {
  char magic[8];
  /// kFormatVersion of the writer
  std::uint32_t version;
  std::uint32_t header_bytes;  ///< == kHeaderBytes
  std::uint32_t byte_order;    ///< == kByteOrderMark as written by the machine
  std::uint32_t elf_machine;   ///< EM_X86_64, EM_AARCH64
  std::uint64_t file_bytes;    ///< [live] Allocated and valid; never more than the file's size.
  State state;                 ///< [live]
  End end;                     ///< [live]
  std::uint32_t end_detail;    ///< [live] Exit status or signal.
  Source source;
  std::uint32_t pid;  ///< As in the program's own pid namespace.
  std::uint32_t parent_pid;
  /// /proc/PID/stat, field 22. With pid, identifies a process over exec.
  std::uint64_t process_start_ticks;
  std::uint32_t exec_generation;  ///< Number of earlier images of this pid that left a spool.
  /// Effective user
  std::uint32_t uid;
  std::uint64_t tree_id;  ///< Given by `csink run`; 0: not part of a tree.
  /// CLOCK_REALTIME and CLOCK_MONOTONIC of the start, or of the last reset
  std::uint64_t start_realtime_ns;
  std::uint64_t start_monotonic_ns;
  std::uint64_t update_monotonic_ns;  ///< [live] Last drain.
  std::uint64_t user_ns;              ///< [live] getrusage(SELF) at the last drain.
  std::uint64_t system_ns;            ///< [live]
  std::uint64_t start_user_ns;  ///< CPU time before the agent was ready; it cannot be sampled.
  std::uint64_t start_system_ns;
  /// [live] CPU time of the agent from then on: its threads, drains, begins and ends of threads,
  /// the end of the process. In spools of the first releases: its thread and drains.
  std::uint64_t agent_ns;
  /// [live] Number of drains
  std::uint64_t drains;
  std::uint64_t lost_ns[kLossCauses];  ///< [live] Clock event only; indexed by Loss.
  std::uint32_t threads_seen;          ///< [live] Threads of the program, main included.
  std::uint32_t threads_sampled;       ///< [live] Of these, with an event of ours.
  std::uint32_t event_count;           ///< <= kMaxEvents
  std::uint32_t frozen;                ///< [live] 1: no segment can be added any more (sandbox).
  char host[64];                       ///< NUL-terminated, as the following texts; cut if longer.
  char program[64];                    ///< Base name of the executable.
  char executable[512];
  char command[1024];  ///< Arguments, separated by one blank.
  char working_directory[512];
  char source_reason[256];  ///< Why this source was chosen: one line of text for users.
  char kernel[96];          ///< uname -r
  char cpu[96];             ///< Model name; may be empty.
  // The following fields were added after the first release; older files have 0 there.
  std::uint64_t configuration;  ///< [live] File offset of the effective configuration; 0: none.
  std::uint32_t configuration_bytes;  ///< Lines NAME='value' that a POSIX shell can source.
  std::uint32_t rank_plus_one;        ///< MPI rank + 1; 0: no rank.
  char job[64];                       ///< Batch job's id, NUL-terminated; may be empty.
  std::uint32_t depth;      ///< Number of profiled processes above this one in the same run.
  std::uint32_t paused;     ///< [live] 1: sampling is paused now.
  std::uint64_t paused_ns;  ///< [live] CPU time that fell into pauses: user time, and system
                            ///< time where that is sampled too. Not lost.
  /// [live] Samples whose call chain was cut; ChainEndRecord has the causes.
  std::uint64_t bad_stacks;
  std::uint64_t unseen_ns;  ///< At the end: CPU time, user and system, that no clock of a known
                            ///< thread had, of threads never seen or of the ends of known ones.
                            ///< A part of Loss::kUnexplained.
  std::uint64_t
      switched_off_ns;           ///< At the end: CPU time of threads that had their events switched
                                 ///< off (PR_TASK_PERF_EVENTS_DISABLE). Another part of it.
  std::uint64_t switches;        ///< [live] Context switches of the process, as of the last drain
  std::uint64_t start_switches;  ///< Part of switches before the agent was ready
  /// All threads that the agent knew, also those without a record
  WallTotals wall;
  // The time line; see ThreadSlicesRecord. All 0: the spool has none.
  std::uint64_t slices_start_ns;  ///< CLOCK_MONOTONIC of the begin of slice 0 of all rows
  std::uint64_t slice_width_ns;   ///< Width of a thread's slice that was never doubled
  std::uint64_t place_width_ns;   ///< Width of a place's slice that was never doubled
  std::uint64_t unsliced_ns;      ///< [live] Time of threads that found no room in the time line
  Evidence evidence;              ///< [live]
  /// CLOCK_REALTIME of a moment before which this image wrote no file: its begin, or where that is
  /// not known the process's start. A reset does not move it. 0: start_realtime_ns
  std::uint64_t image_realtime_ns;
  std::uint32_t namespace_pid;  ///< Number in the process's own pid namespace; 0: `pid`, or unknown
  std::uint32_t reserved0;
  TimedCounts timed;  ///< [live]
  char reserved[1024 - 8 - 4 * 2 - 64 - 4 * 2 - 8 * 6 - sizeof(WallTotals) - 8 * 4 -
                sizeof(Evidence) - 8 - 4 * 2 - sizeof(TimedCounts) - sizeof(WaitObserver)];
  WaitObserver waits;  ///< [live]
  EventColumn events[kMaxEvents];
};
static_assert(sizeof(Header) <= kHeaderBytes);

/// What a segment contains: a row each in records.inc. The id of a record is its number among all
/// records of its kind, in the order of the file. A reader skips kinds that it does not know.
enum class SegmentKind : std::uint32_t {
#define CSINK_SEGMENT(kind, number, ...) kind = number,
#include "profil/format/records.inc"
};
/// The first bytes of each segment, by which damage is found.
inline constexpr std::uint32_t kSegmentMagic = 0x47455343;  // "CSEG"

/// Begin of a segment. 32 bytes, aligned to 8. `bytes` is the size of this header and all records;
/// the next segment begins there. Records may be larger than this version's structures:
/// `record_bytes` is their distance, and later versions append fields.
struct SegmentHeader {
  std::uint32_t magic;
  SegmentKind kind;
  std::uint64_t bytes;
  std::uint32_t record_bytes;
  std::uint32_t capacity;  ///< Number of records that fit
  std::uint32_t used;      ///< [live] Number of valid records (kBuckets: any record may be valid)
  std::uint32_t reserved;
};
static_assert(sizeof(SegmentHeader) == 32);

/// Flags of a region: code of the vdso
inline constexpr std::uint32_t kRegionVdso = 1;
inline constexpr std::uint32_t kRegionDeleted = 2;    ///< The file was deleted or replaced.
inline constexpr std::uint32_t kRegionAnonymous = 4;  ///< JIT code, or text remapped to huge pages.
inline constexpr std::uint32_t kRegionKernel = 16;    ///< All of the kernel's code
inline constexpr std::uint32_t kRegionUnknown = 8;    ///< For PCs that no mapping covers.
/// Merged files: the Python functions; PCs are PythonPc.
inline constexpr std::uint32_t kRegionPython = 32;

/// One executable mapping. If another library is mapped at the same address, it is another region
/// with a higher load_sequence. 96 bytes.
struct RegionRecord {
  std::uint64_t start;        ///< First address
  std::uint64_t end;          ///< Behind the last address
  std::uint64_t file_offset;  ///< Of `start`; undefined for anonymous memory
  std::uint64_t inode;
  std::uint32_t device_major;
  std::uint32_t device_minor;
  std::uint64_t path;  ///< File offset of the text
  std::uint32_t path_bytes;
  std::uint32_t flags;             ///< kRegion*
  std::uint32_t load_sequence;     ///< Order of appearance
  std::uint32_t build_id_bytes;    ///< 0: none, or not readable
  std::uint8_t build_id[20];       ///< Of the mapped image
  std::uint32_t process_plus_one;  ///< Merged files: process of this anonymous code; else 0
  std::uint8_t reserved[8];
};
static_assert(sizeof(RegionRecord) == 96);

/// The id of the thread that stands for all threads without a record.
inline constexpr std::uint32_t kMergedThread = 0;
/// Flag of a thread's record: short threads of one start routine share it. All have ended.
inline constexpr std::uint32_t kThreadShared = 1;
/// Flag of a thread's record: it is of a child process between vfork and exec, or its end. The
/// child shares the memory, so that its samples have the regions of this spool. Nothing of it is in
/// the CPU times of the header; its samples are in the columns of the events.
inline constexpr std::uint32_t kThreadIsChild = 2;

/// One thread with samples. Thread 0 collects the threads without a record (the table is limited).
/// A record with kThreadShared has the sums of its threads, and the tid and the name of the first
/// one. A record with kThreadIsChild has the pid as tid. With both flags it is of several children.
/// 144 bytes.
struct ThreadRecord {
  std::uint32_t tid;
  std::uint32_t ended;          ///< [live] 1 after the thread's end
  char name[16];                ///< [live] comm, NUL-terminated
  std::uint64_t start_routine;  ///< Address given to pthread_create; 0: main, or unknown
  std::uint32_t start_region;   ///< Region of start_routine; kNone: unknown
  std::uint32_t flags;          ///< kThreadShared, kThreadIsChild
  std::uint64_t cpu_ns;         ///< [live] The thread's CPU clock (user + system)
  std::uint64_t sampled_ns;     ///< [live] Part of cpu_ns: samples x period, for clock events only
  std::uint64_t lost_records;   ///< [live]
  std::uint64_t threads;        ///< [live] With kThreadShared: their number
  std::uint64_t reserved1[1];
  // The following fields were added after the first release; in older files the record ends here.
  // In records of several threads (thread 0, kThreadShared) the start is 0 and the end is the sum
  // of their lives.
  std::uint64_t start_monotonic_ns;  ///< First moment of the times below
  std::uint64_t end_monotonic_ns;    ///< [live] Their last moment; 0: nothing is known
  std::uint64_t run_ns;              ///< [live] On a processor between them (schedstat)
  std::uint64_t wait_ns;             ///< [live] Runnable, but waiting for a processor
  std::uint64_t turns;               ///< [live] How often it was given a processor
  std::uint64_t undivided_ns;        ///< [live] Waiting or blocked: not read which (WallTotals)
  /// With kThreadIsChild: the system time in cpu_ns, and the end (End in the lower half, exit
  /// status or signal in the upper one). Otherwise 0
  std::uint64_t child_system_ns;
  std::uint64_t child_end;
};
static_assert(sizeof(ThreadRecord) == 144);
/// Size of a thread's record in files of the first release.
inline constexpr std::uint32_t kFirstThreadRecordBytes = 80;

/// One histogram bucket: record_bytes is sizeof(Bucket) + event_count * sizeof(Count). The writer
/// claims `owner` with compare-and-swap from 0, then stores `pc`, then `tag` with kPublished. A
/// bucket that is claimed but not published does not count. Two buckets may have the same key (two
/// threads claimed at once); readers add them up. Handlers on several threads add to buckets at the
/// same time, without a lock.
struct Bucket {
  std::uint64_t owner;  ///< (region + 1) << 32 | (thread + 1); 0: free
  std::uint64_t pc;     ///< Address as sampled
  std::uint64_t tag;    ///< kPublished | phase << 32 | caller chain id
  // Count counts[event_count];
};
static_assert(sizeof(Bucket) == 24);
/// The bit of `tag` that makes a bucket valid.
inline constexpr std::uint64_t kPublished = 1ull << 63;

/// The ids in a bucket. Region and thread wrap around to kNone where the bucket has none.
struct BucketIds {
  std::uint32_t region;
  std::uint32_t thread;
  std::uint32_t phase;
  std::uint32_t chain;
};
constexpr BucketIds IdsOf(const Bucket& bucket) noexcept {
  return {static_cast<std::uint32_t>(bucket.owner >> 32) - 1,
          static_cast<std::uint32_t>(bucket.owner) - 1,
          static_cast<std::uint32_t>((bucket.tag & ~kPublished) >> 32),
          static_cast<std::uint32_t>(bucket.tag)};
}

/// The count of one event in one bucket, process or thread. Written by atomic additions.
struct Count {
  std::uint64_t samples;  ///< [live]
  std::uint64_t weight;   ///< [live] In events (ns for a clock)
};

/// CPU time of threads that ended without a sample, by start routine: single threads are too short
/// for a row, but together they may be a large part. 48 bytes.
struct RoutineRecord {
  std::uint64_t start_routine;  ///< 0: unknown
  std::uint32_t start_region;
  std::uint32_t reserved0;
  std::uint64_t threads;  ///< [live] Number of threads that were too short for a sample
  std::uint64_t cpu_ns;   ///< [live] Their CPU time
  std::uint64_t reserved1[2];
};
static_assert(sizeof(RoutineRecord) == 48);

/// A mark that the program or a script set: later samples carry its id. Setting a mark with an
/// existing name uses the existing record. 48 bytes.
struct PhaseRecord {
  std::uint64_t text;  ///< File offset of the name
  std::uint32_t text_bytes;
  std::uint32_t reserved0;
  std::uint64_t start_monotonic_ns;
  std::uint64_t start_cpu_ns;  ///< User + system time of the process at the (first) mark
  std::uint64_t marks;         ///< [live] How often this mark was set; 0: unknown
  std::uint64_t cpu_ns;  ///< [live] CPU time from these marks to the next ones, without pauses
};
static_assert(sizeof(PhaseRecord) == 48);

/// Flags of a chain's node. The chain continues, but could not be followed
inline constexpr std::uint32_t kChainCut = 1;
inline constexpr std::uint32_t kChainDeep = 2;    ///< ... because it is deeper than the limit.
inline constexpr std::uint32_t kChainSignal = 4;  ///< A frame that a signal handler interrupted.
/// With kChainCut: no caller was found. The node has no parent and is not a parent; pc is 0, region
/// is kNone.
inline constexpr std::uint32_t kChainEmpty = 8;

/// A place in Python code, innermost: the sample's own PC is in the evaluation loop or in what it
/// calls. `region` is kNone and `pc` is PythonPc; the parent is the PC's native caller. Further
/// bits of the flags:
inline constexpr std::uint32_t kChainPython = 16;
inline constexpr std::uint32_t kChainInC = 32;  ///< The PC is in what the loop calls
/// The upper bits: how many native callers lead up to the loop and are in it.
inline constexpr std::uint32_t kChainCallersShift = 8;
/// An instruction that is not known.
inline constexpr std::uint32_t kNoInstruction = 0xffffffff;
/// `code`: id of the PythonCodeRecord; `instruction`: offset in its code in bytes, behind the
/// instruction.
constexpr std::uint64_t PythonPc(std::uint32_t code, std::uint32_t instruction) noexcept {
  return (std::uint64_t{code} << 32) | instruction;
}

constexpr std::uint32_t PythonCodeOf(std::uint64_t pc) noexcept {
  return static_cast<std::uint32_t>(pc >> 32);
}

/// One caller. A bucket's chain id is the node of the direct caller of its PC; each node refers to
/// its own caller (`parent`), up to 0. Nodes are shared: each (parent, region, pc, flags) exists
/// once. 32 bytes.
struct ChainNode {
  std::uint64_t pc;      ///< Return address as found (in the caller; look up pc - 1), or the
                         ///< interrupted PC itself with kChainSignal
  std::uint32_t region;  ///< kNone: no mapping covers it
  std::uint32_t parent;  ///< Node of the caller's caller, always a smaller id; 0: none
  std::uint32_t flags;   ///< kChain*
  std::uint32_t reserved[3];
};
static_assert(sizeof(ChainNode) == 32);

/// A function of Python (a code object). Several processes may have the same one. 64 bytes.
struct PythonCodeRecord {
  std::uint64_t name;   ///< File offset of co_qualname in UTF-8; a long one is cut
  std::uint64_t file;   ///< ... of co_filename
  std::uint64_t lines;  ///< ... of co_linetable (format of 3.11, Objects/locations.md)
  std::uint32_t name_bytes;
  std::uint32_t file_bytes;
  std::uint32_t lines_bytes;  ///< 0: not known
  std::uint32_t first_line;
  std::uint32_t units;  ///< Instructions, of 2 bytes
  std::uint32_t reserved[5];
};
static_assert(sizeof(PythonCodeRecord) == 64);

/// The interpreter of a process in which Python functions were looked for, and what became of its
/// samples. 64 bytes.
struct PythonStateRecord {
  std::uint32_t version;  ///< Py_Version: 0x030b02f0 is 3.11.2
  std::uint32_t flags;
  std::uint64_t named;     ///< [live] Samples with a Python function
  std::uint64_t nameless;  ///< [live] In the evaluation loop or below it, and without a function
  std::uint64_t cut;       ///< [live] The loop was not found: the stack could not be followed
  std::uint64_t outside;   ///< [live] The whole stack is without Python
  std::uint64_t reserved[3];
};
static_assert(sizeof(PythonStateRecord) == 64);

/// What a MomentRecord is of. A later version may know more.
enum class MomentKind : std::uint16_t {
#define CSINK_MOMENT(kind, number) kind = number,  // NOLINT(bugprone-macro-parentheses)
#include "profil/format/moment_kinds.inc"
#undef CSINK_MOMENT
};
/// The first kind that is a point in time and not a wait.
inline constexpr MomentKind kFirstPoint = MomentKind::kMutexUnlock;
/// Flag of a moment: the thread left the wait by cancellation, by a jump, or in order to wait for
/// something else in a signal handler; `end_ns` is not earlier than that.
inline constexpr std::uint16_t kMomentCut = 1;
/// Flag of a moment: the thread still waited when the process ended or called exec.
inline constexpr std::uint16_t kMomentOpen = 2;

/// A wait of a thread, or something that may wake one (CSINK_CRITICAL). Times of this and the next
/// two records are CLOCK_MONOTONIC, which is the same for all processes of a machine. Threads are
/// tids and not ids of ThreadRecords, because short threads share those. 40 bytes.
struct MomentRecord {
  std::uint64_t start_ns;
  std::uint64_t end_ns;  ///< Of a point: start_ns
  std::uint64_t object;  ///< By kind, see moment_kinds.inc
  std::uint64_t value;
  std::uint32_t thread;  ///< tid
  MomentKind kind;
  std::uint16_t flags;  ///< kMoment*
};
static_assert(sizeof(MomentRecord) == 40);

/// A sample that is counted in a bucket, with its time. Place and chain are as in the bucket.
/// 32 bytes.
struct TimedSampleRecord {
  std::uint64_t time_ns;
  std::uint64_t pc;
  std::uint32_t region;
  std::uint32_t chain;
  std::uint32_t thread;  ///< tid
  std::uint32_t event;   ///< Column of Header::events
};
static_assert(sizeof(TimedSampleRecord) == 32);

/// What a thread did at a context switch. The numbers are part of the format.
enum class SwitchKind : std::uint32_t {
  kIn = 1,            ///< It got a processor
  kOutBlocked = 2,    ///< It left the processor because it waits
  kOutPreempted = 3,  ///< It left the processor, but could run
  kLost = 4,          ///< From here to the thread's next record the kernel lost records
};

/// A context switch of a thread. 16 bytes.
struct SwitchRecord {
  std::uint64_t time_ns;
  std::uint32_t thread;  ///< tid
  SwitchKind kind;
};
static_assert(sizeof(SwitchRecord) == 16);

/// A merged file is a spool that `csink merge` wrote: the sum of many spools. Its header describes
/// their first process. A region stands for a module: start and file_offset are 0, so that a
/// bucket's pc is the offset in the module's file. Buckets and chains are sums over all processes.
/// Buckets have thread 0, or if threads are kept apart, the number of a ThreadTotalRecord (1 is the
/// first one; there are as many ThreadRecords, all zero, and one more). The records below hold what
/// is known about single processes and threads; each is followed by Count[event_count], and since
/// WallTotals exist by one of those. Older readers skip both kinds.

/// A reference to text in a kStrings segment; all 0: no text. 16 bytes.
struct TextRef {
  std::uint64_t at;
  std::uint32_t bytes;
  std::uint32_t reserved;
};
static_assert(sizeof(TextRef) == 16);

/// Fields as in Header unless a comment differs. 296 bytes.
struct ProcessRecord {
  TextRef spool_path;  ///< Path of the spool that was read
  TextRef host;
  TextRef program;
  TextRef command;
  TextRef source_reason;
  TextRef job;
  TextRef configuration;
  /// As in the program's own pid namespace, as parent_pid
  std::uint32_t pid;
  std::uint32_t parent_pid;
  std::uint32_t generation;
  /// 0: complete, 1: was running when it was merged, 2: ended, not known how (in files of the first
  /// releases: killed), 3: killed by a signal, 4: exited without the agent's notice
  std::uint32_t state;
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
  std::uint64_t processes;  ///< 1; more: sum of the processes beyond the limit
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
  // WallTotals wall; behind the counts, where older readers do not look
  // Evidence evidence; behind these, likewise
  // ProcessIdentity identity; behind `evidence`, likewise
  // ProcessFurther further; behind `identity`, likewise
};
static_assert(sizeof(ProcessRecord) == 296);

/// Fields as in Header. 16 bytes.
struct ProcessIdentity {
  std::uint64_t image_realtime_ns;
  std::uint32_t namespace_pid;
  std::uint32_t reserved;
};
static_assert(sizeof(ProcessIdentity) == 16);

/// The tree of the process and two of its losses; fields as in Header. 24 bytes.
struct ProcessFurther {
  std::uint64_t tree_id;
  std::uint64_t unseen_ns;
  std::uint64_t switched_off_ns;
};
static_assert(sizeof(ProcessFurther) == 24);

/// What the processes of a tree recorded of each other: the records of the tree's file that are of
/// no process, one behind the other, as they were written (small_record.h). 24 bytes.
struct TreeFactsRecord {
  std::uint64_t tree_id;
  TextRef records;
};
static_assert(sizeof(TreeFactsRecord) == 24);

/// Flags of ThreadTotalRecord: sum of threads without a row of their own
inline constexpr std::uint32_t kThreadIsMerged = 1;
/// The thread had ended
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
  std::uint64_t threads;  ///< With kThreadIsMerged: their number; 0: unknown
  std::uint64_t reserved[1];
  // Count counts[event_count];
  // WallTotals wall; as in a ProcessRecord
};
static_assert(sizeof(ThreadTotalRecord) == 80);

/// A message about the spools of a merged file. 40 bytes.
struct NoteRecord {
  TextRef text;         ///< Damage of a spool with its path, or the program that was executed
  TextRef why;          ///< Why that program was not profiled; empty: `text` is damage
  std::uint64_t times;  ///< How often it was executed
};
static_assert(sizeof(NoteRecord) == 40);

/// What a comparison of runs needs to know of one, written when the process image ends, and not for
/// images with less CPU time than kLeastFactsNs. Renewed after an execve that failed. 128 bytes.
struct RunFactsRecord {
  TextRef surroundings;        ///< Lines NAME=value (agent/results/run_facts.h); empty: not read
  std::uint32_t process;       ///< Index of the process in merged files, else 0
  std::uint32_t read_errno;    ///< Why the calls and bytes below are not known; 0: they are
  std::uint64_t minor_faults;  ///< getrusage(2), as the next four
  std::uint64_t major_faults;
  std::uint64_t preemptions;
  std::uint64_t voluntary_switches;
  std::uint64_t max_resident_bytes;
  std::uint64_t read_calls;  ///< /proc/self/io, as the next three: read(2), write(2) and relatives
  std::uint64_t write_calls;
  std::uint64_t read_bytes;
  std::uint64_t written_bytes;
  std::uint64_t reserved[4];
};
static_assert(sizeof(RunFactsRecord) == 128);
inline constexpr std::uint64_t kLeastFactsNs = 50'000'000;

/// The samples of each rank of an MPI job, in merged files. Buckets are sums over all ranks; these
/// records say how each sum divides. Callers, marks and threads are not kept apart here, so that a
/// job of 10,000 ranks needs some 30 MB. Older readers skip the three kinds.

/// A place with samples of one event. 16 bytes.
struct RankCodeRecord {
  std::uint64_t pc;
  std::uint32_t region;  ///< kNone: unknown
  std::uint32_t event;   ///< Column of Header::events
};
static_assert(sizeof(RankCodeRecord) == 16);

/// A rank. Its counts follow those of the ranks before it. 16 bytes.
struct RankRecord {
  std::uint32_t rank;
  std::uint32_t counts;  ///< Number of its RankCountRecords; 0: a rank without samples
  std::uint64_t reserved;
};
static_assert(sizeof(RankRecord) == 16);

/// The samples of one rank in one place. 16 bytes.
struct RankCountRecord {
  std::uint32_t code;     ///< Index of a RankCodeRecord
  std::uint32_t samples;  ///< At most 2^32 - 1
  std::uint64_t weight;
};
static_assert(sizeof(RankCountRecord) == 16);

/// The counter grows; `value` is its growth
inline constexpr std::uint32_t kCounterAccumulates = 1;
/// The counter may have wrapped unnoticed
inline constexpr std::uint32_t kCounterIsLowerBound = 2;
inline constexpr std::uint32_t kCounterFailed = 4;  ///< A reading failed, others succeeded

/// A device counter, read by csink-meter while this process ran. It covers the whole machine,
/// whichever program used the device. 144 bytes.
struct DeviceCounterRecord {
  std::uint64_t text;  ///< File offset of its name, "rapl:::PACKAGE_ENERGY:PACKAGE0"
  std::uint32_t text_bytes;
  std::uint32_t value_type;  ///< As the device reports it: 0 unsigned, 1 signed, 2 floating, 3 bits
  char units[16];            ///< Of the value, NUL-terminated: "nJ", "mW"
  std::uint32_t flags;       ///< kCounter*
  std::uint32_t host_bytes;
  std::uint64_t host;        ///< Merged files only: file offset of its name
  std::uint64_t machine;     ///< Equal for all processes of one machine since its boot
  std::uint64_t first_ns;    ///< [live] CLOCK_MONOTONIC of the first successful reading
  std::uint64_t last_ns;     ///< [live] CLOCK_MONOTONIC of the last successful reading
  std::uint64_t covered_ns;  ///< [live] Measured time; with pauses, less than last_ns - first_ns
  std::uint64_t machine_busy_ns;  ///< [live] CPU time of all programs in that time; 0: unknown
  std::uint64_t readings;         ///< [live] Number of successful readings
  double value;                   ///< [live] Growth in the measured time, else the last value
  double minimum;                 ///< [live] These three: only for counters that do not accumulate
  double maximum;                 ///< [live]
  double time_sum;                ///< [live] Value x ns
  std::uint64_t failed_readings;  ///< [live] Number of failed readings; 0 in older files
  std::uint64_t reserved[1];
};
static_assert(sizeof(DeviceCounterRecord) == 144);

/// What a blocked thread waits for, from its system call and its stack.
/// A row each in wait_kinds.inc.
enum class WaitKind : std::uint32_t {
#define CSINK_WAIT_KIND(kind, number, ...) kind = number,
#include "profil/format/wait_kinds.inc"
#undef CSINK_WAIT_KIND
};

/// What kind of file a descriptor refers to, for kRead, kWrite and kPoll of one descriptor.
enum class DescriptorKind : std::uint32_t {
  kUnknown = 0,
  kFile = 1,
  kDirectory = 2,
  kPipe = 3,
  kUnixSocket = 4,
  kNetworkSocket = 5,
  kTerminal = 6,
  kEvent = 7,   ///< eventfd
  kTimer = 8,   ///< timerfd
  kSignal = 9,  ///< signalfd
  kEpoll = 10,
  kOther = 11,
};

/// Time that threads were blocked in one place, as an observer saw it. A look at a blocked thread
/// gives the place all blocked time of the thread since the look before; that time is exact
/// (schedstat), which place it belongs to is sampled. The sum over all sites of a thread is its
/// blocked time while it was observed. One record for each key (thread, phase, pc, chain, kind,
/// lock, descriptor, system call). 104 bytes.
struct WaitSiteRecord {
  std::uint64_t pc;      ///< Address behind the system call's instruction
  std::uint32_t region;  ///< kNone: no mapping covers it
  std::uint32_t chain;   ///< ChainNode of the direct caller; 0: callers unknown
  std::uint32_t thread;  ///< ThreadRecord
  std::uint32_t phase;   ///< PhaseRecord; 0: before the first mark
  std::uint32_t lock;    ///< LockRecord; 0: none
  WaitKind kind;
  DescriptorKind descriptor;
  std::int32_t system_call;  ///< Number on elf_machine of the header; -1: none (page fault)
  std::uint64_t looks;       ///< [live] How often a thread was seen here
  std::uint64_t blocked_ns;  ///< [live] Time that these looks stand for
  /// [live] Sum of squared times, in ns^2, of the looks whose time is sampled. A look at a thread
  /// that had no turn since the look before adds its time exactly, and nothing here
  double blocked_squared;
  std::uint64_t longest_ns;  ///< [live] Longest wait seen, a lower bound; 0: unknown
  std::uint64_t reserved[4];
};
static_assert(sizeof(WaitSiteRecord) == 104);

/// A futex word, or the object that it belongs to. One record for each address and load of its
/// memory. 96 bytes.
struct LockRecord {
  std::uint64_t address;   ///< Of the object (pthread_mutex_t...) or of the futex word
  std::uint32_t region;    ///< Region of a library or program whose data has it; kNone: heap, stack
  WaitKind kind;           ///< As first seen
  std::uint64_t offset;    ///< Address less the load bias of `region`: as in its symbol table
  std::uint64_t first_pc;  ///< Where a thread first waited for it: the address in the program
  std::uint32_t first_region;
  std::uint32_t first_chain;
  std::uint64_t looks;          ///< [live] Looks at waiting threads
  std::uint64_t blocked_ns;     ///< [live] Sum of their times
  double blocked_squared;       ///< [live] As in WaitSiteRecord
  std::uint64_t moments;        ///< [live] Moments at which at least one thread waited
  std::uint32_t most_waiters;   ///< [live] At one moment
  std::uint32_t known_holders;  ///< [live] Looks at which the holder was known
  /// Of the first wait: the command of futex(2) without its flags, plus 1, and the value that the
  /// word had. 0: not recorded, as in older files
  std::uint32_t operation_plus_one;
  std::uint32_t expected;
  /// In merged files, where equal addresses of two processes mean nothing: a number for the process
  std::uint32_t process;
  std::uint32_t reserved;
};
static_assert(sizeof(LockRecord) == 96);

/// Slices of a thread's row of the time line, and of a place's row
inline constexpr std::size_t kThreadSliceCount = 1000;
inline constexpr std::size_t kPlaceSliceCount = 250;
/// Rows of threads in a spool; the last one is the sum of all further threads.
inline constexpr std::uint32_t kMaxThreadSliceRows = 64;
/// Rows of places in a spool
inline constexpr std::uint32_t kMaxPlaceSliceRows = 64;
/// A slice of 100 ms is 3,276.8 s wide then, which its fields can hold; a row then ends after 37
/// days.
inline constexpr std::uint32_t kMaxDoublings = 15;

/// What a thread did in a slice of time. 16 bytes.
struct ThreadSlice {
  std::uint32_t run_us;      ///< [live] On a processor, in microseconds
  std::uint32_t wait_us;     ///< [live] Runnable, but waiting for a processor
  std::uint32_t blocked_us;  ///< [live]
  std::uint32_t samples;     ///< [live] Of all events
};
static_assert(sizeof(ThreadSlice) == 16);

/// One thread over time. Slice i covers [i, i + 1) x width from Header::slices_start_ns on; the
/// width is Header::slice_width_ns << doublings. When time goes beyond the last slice, the row
/// doubles its width: two neighbours become one slice.
///
/// `shape` and `shape_behind` are the words of SliceShape (slices.h). They make the doubling safe:
/// a process that is killed in the middle leaves a row that the reader completes, and a reader of
/// a running program sees by the two words that a row changed while it was copied. slices.h has
/// the rules. 16,072 bytes.
struct ThreadSlicesRecord {
  std::uint32_t thread;    ///< ThreadRecord; kMergedThread: all threads without a row
  std::uint32_t flags;     ///< [live] kSlices*
  std::uint64_t shape;     ///< [live]
  std::uint64_t start_ns;  ///< CLOCK_MONOTONIC: begin of the time that the row covers
  std::uint64_t end_ns;    ///< [live] End of that time
  ThreadSlice saved;       ///< [live] Slice 0 as it was before the doubling in progress
  std::uint64_t reserved[2];
  ThreadSlice slices[kThreadSliceCount];
  std::uint64_t shape_behind;  ///< [live]
};
static_assert(sizeof(ThreadSlicesRecord) == 16072);
/// Flag of a thread's row: waiting for a processor is not known and counts as blocked.
inline constexpr std::uint32_t kSlicesNoWait = 1;
/// Flag of a thread's row: neither waiting nor blocked is known (the sum of further threads).
inline constexpr std::uint32_t kSlicesRunOnly = 2;

/// Samples of one of the hottest places over time, of the first event. As for threads, but the
/// width is Header::place_width_ns << doublings. If another place becomes hotter, it takes the row
/// over; the samples of the former place then remain in its buckets alone. 1,056 bytes.
struct PlaceSlicesRecord {
  std::uint64_t pc;
  std::uint32_t region;  ///< [live] kNone: the row is changing its place
  std::uint32_t reserved0;
  std::uint64_t shape;    ///< [live]
  std::uint64_t samples;  ///< [live] Sum of the slices
  std::uint32_t saved;    ///< [live] As in ThreadSlicesRecord
  std::uint32_t reserved1;
  std::uint64_t reserved2;
  std::uint32_t slices[kPlaceSliceCount];
  std::uint64_t shape_behind;  ///< [live]
};
static_assert(sizeof(PlaceSlicesRecord) == 1056);

/// States of HolderRecord: the holder of the lock ran or waited for a processor; it was blocked
/// itself; the lock keeps no holder in memory, and only this thread of the process ran or waited
/// for a processor.
inline constexpr std::uint32_t kHolderRan = 1;
inline constexpr std::uint32_t kHolderBlocked = 2;
inline constexpr std::uint32_t kOnlyRunner = 3;

/// Where a lock's holder was while other threads waited for the lock. One record for each key
/// (lock, thread, pc, chain). 72 bytes.
struct HolderRecord {
  std::uint32_t lock;    ///< LockRecord
  std::uint32_t thread;  ///< ThreadRecord of the holder; kMergedThread: no record
  std::uint64_t pc;      ///< 0: it ran, and its place was not known
  std::uint32_t region;
  std::uint32_t chain;
  std::uint32_t state;  ///< kHolderRan, kHolderBlocked or kOnlyRunner
  std::uint32_t tid;
  std::uint64_t looks;       ///< [live]
  std::uint64_t blocked_ns;  ///< [live] Waiting time of others that these looks stand for
  std::uint64_t reserved[3];
};
static_assert(sizeof(HolderRecord) == 72);

/// File names: <program>.<host>.<pid>.<start ticks>.<generation>.csink. In program and host,
/// characters other than [A-Za-z0-9_+-] are replaced by '_'.
inline constexpr char kFileSuffix[] = ".csink";

}  // namespace csink::spool
