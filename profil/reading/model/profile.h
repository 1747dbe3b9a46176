#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profil/format/chain_end.h"
#include "profil/format/format.h"
#include "profil/reading/model/tree_evidence.h"

/// File: a profile in memory: plain structs that every report writer reads. It is made from one
/// spool or many (images of one process, a process tree). It contains no symbols: places are
/// (module, offset in the file). Counts saturate instead of wrapping. Times ending in monotonic_ns
/// are CLOCK_MONOTONIC of the process's machine, other times durations in ns. Threads: any, read
/// only.

namespace csink {

/// Indices that mean "none".
inline constexpr std::uint32_t kNoModule = 0xffffffff;
inline constexpr std::uint32_t kNoThread = 0xffffffff;

/// The state of a process when its spool was read, as csink found it.
enum class ProcessState {
  kComplete,  ///< It ended, and all samples were drained
  kLive,      ///< It still runs; the profile is a snapshot
  kKilled,    ///< A signal ended it, as a wait call returned; the last samples may be missing
  kExited,    ///< It exited without the agent's notice, as a wait call returned; likewise
  kUnknown,   ///< It has ended, and nothing recorded how; likewise
};

/// The counts of one event in one place or row. A sample in frequency mode stands for as many
/// events as its own period.
struct EventCount {
  std::uint64_t samples = 0;
  std::uint64_t weight = 0;  ///< In events; ns for a clock
};

/// One event column, summed over all processes that sampled it. Fields as in spool::EventColumn.
struct EventTotals {
  /// As shown to users: "task-clock:u"
  std::string name;
  EventClass kind = EventClass::kOther;
  /// The largest of all processes
  spool::Skid skid = spool::Skid::kUnknown;
  std::uint64_t period = 0;        ///< 0 in frequency mode; the smallest one if they differ
  std::uint64_t frequency_hz = 0;  ///< 0 in period mode
  bool mixed_periods = false;      ///< Processes sampled at different rates
  /// Of the least precise process, as the following three
  std::uint32_t precise_ip = 0;
  std::uint32_t precise_asked = 0;
  std::uint32_t precise_errno = 0;  ///< Why precise_asked was refused; 0: it was not, or unknown
  spool::PreciseBy precise_by = spool::PreciseBy::kNothing;
  std::uint64_t samples = 0;  ///< Sum over all places
  std::uint64_t weight = 0;   ///< Sum over all places; ns for a clock
  /// Sum of squared weights of samples; the effective number of samples is weight^2 /
  /// weight_squared
  double weight_squared = 0;
  /// The following four: as in spool::EventColumn
  std::uint64_t lost_records = 0;
  std::uint64_t throttled = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
  std::uint64_t unplaced = 0;  ///< Samples for which there was no bucket
  // For events that need a hardware counter; see spool::EventColumn:
  std::uint64_t due_ns = 0;         ///< 0: unknown
  std::uint64_t throttled_ns = 0;   ///< Part of running_ns
  std::uint64_t unsampled = 0;      ///< Events that were counted but are in no sample
  std::uint64_t rate_limit_hz = 0;  ///< The lowest one; 0: the event was not throttled
};

/// A mapped file, or anonymous code. One for all processes and mappings with the same build id, or
/// without one with the same path, device and inode.
struct Module {
  /// As mapped; "" for anonymous memory without a name
  std::string path;
  /// Empty: none, or not readable
  std::vector<std::uint8_t> build_id;
  /// The file, where there is no build-id; 0: unknown
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint64_t inode = 0;
  /// Code that the kernel maps into each process; it has no file
  bool is_vdso = false;
  bool is_deleted = false;
  bool is_anonymous = false;  ///< Places are addresses in one process
  /// The first spool that has it, beside which a copy may be kept. Empty for that of another user
  std::string spool_path;
  bool is_unknown = false;  ///< No mapping covers these addresses
  /// Python functions of all processes: offsets are spool::PythonPc with an index into
  /// Profile::python_functions
  bool is_python = false;
  // For anonymous modules only: their address and process.
  std::uint64_t region_start = 0;
  std::size_t process = 0;  ///< Index into Profile::processes
  std::uint32_t pid =
      0;  ///< In the process's own pid namespace, as in the names of its JIT's files
  std::uint32_t uid = 0;
  std::uint64_t image_realtime_ns = 0;  ///< As in ProcessRow
};

/// An address that a report may resolve to a name.
struct CodeAddress {
  std::uint32_t module = kNoModule;  ///< kNoModule: unknown
  std::uint64_t offset = 0;          ///< File offset; in anonymous modules an address
};

/// One caller in the tree of callers (spool::ChainNode). Nodes of several spools are merged.
struct Caller {
  CodeAddress address;       ///< The return address, or the interrupted PC of a signal frame;
                             ///< module kNoModule if and only if IsEmpty()
  std::uint32_t parent = 0;  ///< Index into Profile::callers, smaller than the own index; 0: none
  std::uint32_t flags = 0;   ///< spool::kChain*

  /// True for the outermost caller of a stack that was cut.
  bool IsCut() const noexcept {
    return parent == 0 && (flags & (spool::kChainCut | spool::kChainDeep)) != 0;
  }
  /// True for a node that stands for unknown callers: the stack was cut before its first caller.
  /// The node has no parent and is not a parent.
  bool IsEmpty() const noexcept { return (flags & spool::kChainEmpty) != 0; }
};

/// Chains of callers that ended in the same way; fields as in spool::ChainEndRecord.
struct ChainEndSum {
  spool::ChainEnd end = spool::ChainEnd::kUnknown;
  spool::ChainWay way = spool::ChainWay::kUnknown;
  std::uint32_t module = kNoModule;  ///< Index into Profile::modules; kNoModule: unknown
  std::uint32_t copied_bytes = 0;
  std::uint64_t chains = 0;
};

/// The samples after a mark. Phase 0 in Profile::phases has the samples before the first mark.
struct Phase {
  std::string name;  ///< "" for phase 0; marks with the same name are one phase, in all processes
  std::uint64_t marks = 0;               ///< How often it was set; 0 for phase 0
  std::uint64_t cpu_ns = 0;              ///< User + system time from these marks to the next ones
  std::uint64_t first_monotonic_ns = 0;  ///< The first mark of all processes; 0: unknown
};

/// One sampled PC, divided by phase, caller and thread if the profile keeps them apart
/// (MergeOptions).
struct Place {
  CodeAddress address;
  std::uint32_t caller = 0;          ///< Index into Profile::callers; 0: not known
  std::uint32_t phase = 0;           ///< Index into Profile::phases
  std::uint32_t thread = kNoThread;  ///< Index into Profile::threads; MergeOptions::keep_threads
  std::vector<EventCount> counts;    ///< One for each of Profile::events
  /// Of a place in a Python function: the code of C that it called, where the samples were taken;
  /// module kNoModule: none, they were taken in the interpreter's own loop
  CodeAddress native = {};
};

/// A function of Python; fields as in spool::PythonCodeRecord.
struct PythonFunction {
  std::string name;
  std::string file;
  std::string lines;
  std::uint32_t first_line = 0;
  std::uint32_t units = 0;
};

/// What became of the samples of interpreters of Python, in numbers of samples; fields as in
/// spool::PythonStateRecord.
struct PythonSums {
  std::vector<std::uint32_t> versions;  ///< Of all interpreters, each once, rising
  std::uint64_t named = 0;
  std::uint64_t nameless = 0;
  std::uint64_t cut = 0;
  std::uint64_t outside = 0;
};

/// How the wall time of threads divides. What is none of the parts below, the threads were blocked.
struct WallParts {
  std::uint64_t threads = 0;  ///< Number of threads in the sums; 0: nothing is known
  std::uint64_t wall_ns = 0;  ///< From the begin of each thread to its end, or the last reading
  std::uint64_t run_ns = 0;   ///< On a processor, user and system
  std::uint64_t wait_ns = 0;  ///< Runnable, but waiting for a processor
  std::uint64_t undivided_ns = 0;  ///< Waiting or blocked, not known which

  bool operator==(const WallParts&) const = default;
  bool known() const noexcept { return threads != 0; }
  /// At least 0: the parts of a damaged file may be larger than the whole.
  std::uint64_t BlockedNs() const noexcept {
    std::uint64_t rest = wall_ns;
    for (const std::uint64_t part : {run_ns, wait_ns, undivided_ns}) {
      rest = rest > part ? rest - part : 0;
    }
    return rest;
  }
};

/// The times as a spool or a merged file has them.
inline WallParts PartsOf(const spool::WallTotals& wall) noexcept {
  return {wall.threads, wall.wall_ns, wall.run_ns, wall.wait_ns, wall.undivided_ns};
}

/// What an image recorded of its calls and surroundings.
struct RunFacts {
  bool known = false;  ///< False: the other members have no value
  std::string surroundings;
  spool::RunFactsRecord record{};  ///< Without the references to its text and its process
};

/// One image of one process; it corresponds to one spool.
struct ProcessRow {
  /// Where the row was read
  std::string spool_path;
  std::string host;
  std::string program;
  std::string command;
  std::uint32_t pid = 0;
  std::uint32_t parent_pid = 0;
  std::uint32_t generation = 0;  ///< Number of earlier images of this pid
  /// Start of the process in clock ticks since boot; with host and pid, identifies a process over
  /// exec
  std::uint64_t start_ticks = 0;
  ProcessState state = ProcessState::kComplete;
  spool::End end = spool::End::kUnknown;
  /// Exit status or signal, by `end`; for kKilled the signal, for kExited the status
  std::uint32_t end_detail = 0;
  /// What the wait for the process returned: CPU time with that of descendants that were waited
  /// for. Only for the last image.
  bool waited = false;
  int wait_status = 0;  ///< As waitpid(2) returns it
  std::uint64_t waited_user_ns = 0;
  std::uint64_t waited_system_ns = 0;
  std::uint64_t wait_monotonic_ns = 0;  ///< When the wait returned; 0: not known
  /// Rings or timers
  spool::Source source = spool::Source::kUnknown;
  /// Why this source was chosen, for users
  std::string source_reason;
  std::uint64_t start_realtime_ns = 0;
  /// CLOCK_REALTIME; files that are older were not written by this image
  std::uint64_t image_realtime_ns = 0;
  /// Number in the process's own pid namespace; equal to pid where that is the namespace's number
  std::uint32_t namespace_pid = 0;
  std::uint64_t start_monotonic_ns = 0;
  /// The last drain
  std::uint64_t update_monotonic_ns = 0;
  /// In the difference of two states (difference.h): the update time of the earlier one. Else 0.
  std::uint64_t since_monotonic_ns = 0;
  std::uint64_t user_ns = 0;  ///< Since the start of the process, including earlier images
  std::uint64_t system_ns = 0;
  std::uint64_t start_user_ns = 0;  ///< Part of user_ns before the agent was ready
  std::uint64_t start_system_ns = 0;
  /// CPU time of the agent itself
  std::uint64_t agent_ns = 0;
  /// CPU time without samples, indexed by spool::Loss
  std::array<std::uint64_t, spool::kLossCauses> lost_ns{};
  /// Threads of the program, and those of them that were sampled
  std::uint32_t threads_seen = 0;
  std::uint32_t threads_sampled = 0;
  /// The spool could not grow any more (sandbox)
  bool frozen = false;
  std::int64_t rank = -1;  ///< MPI rank; -1: none
  /// Id of the batch job; empty: none
  std::string job;
  std::uint64_t tree_id = 0;  ///< Of `csink run`; 0: not part of a tree, or an older merged file
  /// Number of profiled processes above it
  std::uint32_t depth = 0;
  std::uint32_t uid = 0;
  /// CPU time in pauses; not lost
  std::uint64_t paused_ns = 0;
  /// Samples whose chain of callers was cut
  std::uint64_t bad_stacks = 0;
  /// CPU time of threads that the agent did not see; 0 in older merged files
  std::uint64_t unseen_ns = 0;
  /// CPU time while the program had disabled events; 0 in older merged files
  std::uint64_t switched_off_ns = 0;
  /// What was recorded of CPU time that samples do not show
  spool::Evidence evidence{};
  std::uint64_t switches = 0;    ///< How often its threads left a CPU
  WallParts wall;                ///< Of all its threads that the agent knew
  std::uint32_t processors = 0;  ///< That its main thread may use; 0: not known
  /// errno of a reading of schedstat that failed, ENODATA: the kernel does not keep it; 0: none
  std::uint32_t wall_errno = 0;
  RunFacts facts;                  ///< Not known of a sum of processes
  std::string configuration;       ///< NAME='value' lines
  std::vector<EventCount> counts;  ///< One for each of Profile::events
  /// More than 1: a sum of processes beyond MergeOptions::max_processes
  std::uint64_t processes = 1;

  /// Whether the row is of a child process between vfork and exec, or its end.
  bool IsBeforeExec() const noexcept { return (evidence.flags & spool::kBeforeExec) != 0; }

  /// Begin of the time that the row covers. It ends at update_monotonic_ns.
  std::uint64_t BeginMonotonicNs() const noexcept {
    return since_monotonic_ns != 0 ? since_monotonic_ns : start_monotonic_ns;
  }
};

/// One thread of one process.
struct ThreadRow {
  std::size_t process = 0;  ///< Index into Profile::processes
  std::uint32_t tid = 0;
  std::string name;
  bool is_merged = false;  ///< Sum of threads without a record of their own
  /// Number of threads in the row: 1, or as far as it is known that of the sum (0: not known). The
  /// sum of short threads of one start routine has the tid and the name of the first of them; other
  /// sums have tid 0.
  std::uint64_t threads = 1;
  /// Whether the row is the sum of short threads of one start routine.
  bool IsOfShortThreads() const noexcept { return is_merged && tid != 0; }
  /// Whether tid and name are those of a thread, not of a sum without any.
  bool HasOwnTid() const noexcept { return !is_merged || IsOfShortThreads(); }
  /// The number of threads in the row, at least: a sum of unknown size counts as one.
  std::uint64_t LeastThreads() const noexcept { return threads != 0 ? threads : 1; }
  /// The thread had ended when the spool was read
  bool ended = false;
  std::uint64_t cpu_ns = 0;
  std::uint64_t sampled_ns = 0;
  std::uint64_t lost_records = 0;
  WallParts wall;  ///< Of a row for several threads: their sum
  /// The function given to pthread_create; module kNoModule: main, or unknown
  CodeAddress start_routine;
  std::vector<EventCount> counts;  ///< One for each of Profile::events
};

/// CPU time of threads that ended without a sample, by start routine; module kNoModule: unknown
/// routine.
struct ShortThreads {
  CodeAddress start_routine;
  /// Number of threads
  std::uint64_t threads = 0;
  std::uint64_t cpu_ns = 0;
};

/// One thread over time. Slice i covers [i, i + 1) x width_ns from origin_ns on; slices that are
/// left out at the end are 0. Times are monotonic_ns of the process's machine.
struct ThreadTime {
  std::size_t process = 0;  ///< Index into Profile::processes
  std::size_t thread = 0;   ///< Index into Profile::threads
  std::uint32_t flags = 0;  ///< spool::kSlices*
  std::uint64_t origin_ns = 0;
  std::uint64_t start_ns = 0;  ///< The row covers the time from here to end_ns
  std::uint64_t end_ns = 0;
  std::uint64_t width_ns = 0;  ///< Not 0
  std::vector<spool::ThreadSlice> slices;
};

/// Samples of one of a process's hottest places over time, of the process's first event. Otherwise
/// as ThreadTime.
struct PlaceTime {
  std::size_t process = 0;
  CodeAddress address;
  std::uint64_t origin_ns = 0;
  std::uint64_t width_ns = 0;
  std::vector<std::uint32_t> samples;
};

/// What `csink run` measured for the whole tree, including processes without a spool.
struct TreeTotals {
  /// False: the other members have no value
  bool known = false;
  std::string command;
  /// Wall time of the command
  std::uint64_t wall_ns = 0;
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  /// User and system time of the tree as an inherited counter has it, from the first execve on:
  /// also of processes without a waiting parent, which user_ns and system_ns lack. 0: unknown.
  std::uint64_t counted_ns = 0;

  /// The signal that ended the command itself; 0: another end, or not known
  int signal = 0;
  /// How often the kernel killed a process for lack of memory while the command ran, in the cgroup
  /// of the command; 0 also where that is not known
  std::uint64_t cgroup_oom_kills = 0;
};

/// A program that a process of the tree executed and that could not be profiled.
struct NotFollowedRow {
  std::string program;  ///< Path as executed
  std::string why;      ///< Words to follow its name: "is statically linked"
  std::uint64_t times = 0;
};

/// A device counter of the whole machine, over the time in which any of the processes measured.
/// Time that several of them measured counts once.
struct DeviceCounter {
  std::string name;   ///< "rapl:::PACKAGE_ENERGY:PACKAGE0"
  std::string units;  ///< "nJ"
  std::string host;
  std::uint64_t machine = 0;  ///< See spool::DeviceCounterRecord, also for the fields below
  std::uint32_t value_type = 0;
  std::uint32_t flags = 0;
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
  std::uint64_t covered_ns = 0;
  std::uint64_t machine_busy_ns = 0;
  std::uint64_t readings = 0;
  std::uint64_t failed_readings = 0;
  double value = 0;
  double minimum = 0;
  double maximum = 0;
  double time_sum = 0;
};

/// The lock of a place where no thread waits for a lock.
inline constexpr std::uint32_t kNoLock = 0xffffffff;

/// Time that threads were blocked in one place; fields as in spool::WaitSiteRecord.
struct WaitSite {
  CodeAddress address;               ///< Behind the system call, or of a page fault's instruction
  std::uint32_t caller = 0;          ///< Index into Waits::callers; 0: not known
  std::uint32_t phase = 0;           ///< Index into Profile::phases
  std::uint32_t thread = kNoThread;  ///< Index into Profile::threads
  std::uint32_t lock = kNoLock;      ///< Index into Waits::locks
  spool::WaitKind kind = spool::WaitKind::kUnknown;
  spool::DescriptorKind descriptor = spool::DescriptorKind::kUnknown;
  std::int32_t system_call = -1;  ///< Number on Waits::machine; -1: none
  std::uint64_t looks = 0;
  std::uint64_t blocked_ns = 0;
  /// Sum of squared times of those looks whose place was sampled; 0: the time is exact
  double blocked_squared = 0;
  std::uint64_t longest_ns = 0;  ///< Longest wait seen, a lower bound; 0: unknown
};

/// An object that threads waited for. A lock in the data of a module is one row for all processes;
/// each lock on the heap or a stack has a row. Fields as in spool::LockRecord.
struct WaitLock {
  std::uint32_t module = kNoModule;  ///< Its data has the lock; kNoModule: heap or stack
  std::uint64_t address = 0;         ///< As in the module's symbol table, else in memory
  spool::WaitKind kind = spool::WaitKind::kUnknown;
  CodeAddress first;               ///< Where a thread waited for it first
  std::uint32_t first_caller = 0;  ///< Index into Waits::callers
  std::uint64_t looks = 0;
  std::uint64_t blocked_ns = 0;
  double blocked_squared = 0;
  std::uint64_t moments = 0;       ///< At which at least one thread waited
  std::uint64_t most_waiters = 0;  ///< At one moment
  std::uint64_t known_holders = 0;
  std::uint32_t operation_plus_one = 0;  ///< Of the first wait; 0: not recorded
  std::uint32_t expected = 0;
  std::uint32_t glibc = 0;    ///< Of its process, as spool::WaitObserver::glibc
  std::uint32_t process = 0;  ///< Equal addresses of two processes are two locks
};

/// Where a lock's holder was while others waited; fields as in spool::HolderRecord. The holder for
/// a join is the thread that is waited for.
struct WaitHolder {
  std::uint32_t lock = 0;            ///< Index into Waits::locks
  std::uint32_t thread = kNoThread;  ///< Index into Profile::threads
  std::uint32_t tid = 0;
  CodeAddress address;       ///< Module kNoModule: its place was not known
  std::uint32_t caller = 0;  ///< Index into Waits::callers
  std::uint32_t state = 0;
  std::uint64_t looks = 0;
  std::uint64_t blocked_ns = 0;  ///< Waiting time of others that these looks stand for
};

/// Blocked time by place, lock and holder. Empty unless it was recorded (CSINK_WAIT).
struct Waits {
  /// What the observers did, summed over the processes. state is the largest, stopped_errno the
  /// first one; the two times are 0.
  spool::WaitObserver observer{};
  std::uint32_t machine = 0;  ///< e_machine of all spools; 0: unknown, or they differ
  std::vector<WaitSite> sites;
  std::vector<WaitLock> locks;
  std::vector<WaitHolder> holders;  ///< Empty in a profile of one mark
  /// Callers of these places alone, as Profile::callers: samples may have no callers, or others
  std::vector<Caller> callers;

  bool recorded() const noexcept { return observer.state != 0 || !sites.empty(); }
};

/// A wait, or something that may wake a thread; fields as in spool::MomentRecord. (process, thread)
/// is the same for all records of a thread; a tid may be used again after its kThreadEnd.
struct Moment {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;  ///< Of a point: start_ns
  std::uint64_t object = 0;
  std::uint64_t value = 0;
  std::uint32_t process = 0;  ///< Index into Profile::processes
  std::uint32_t thread = 0;   ///< tid
  spool::MomentKind kind{};   ///< May be unknown
  std::uint16_t flags = 0;    ///< spool::kMoment*

  bool IsWait() const noexcept { return kind < spool::kFirstPoint; }
};

/// A sample with its time. The same sample is in a Place, too.
struct TimedSample {
  std::uint64_t time_ns = 0;
  CodeAddress address;
  std::uint32_t caller = 0;  ///< Index into Profile::callers; 0: not known
  std::uint32_t process = 0;
  std::uint32_t thread = 0;  ///< tid
  std::uint32_t event = 0;   ///< Index into Profile::events
};

/// A context switch.
struct ThreadSwitch {
  std::uint64_t time_ns = 0;
  std::uint32_t process = 0;
  std::uint32_t thread = 0;  ///< tid
  spool::SwitchKind kind{};  ///< May be unknown
};

/// Records with times (CSINK_CRITICAL), of all processes of the profile; not of merged files, and
/// not divided by mark. All times are CLOCK_MONOTONIC of one machine. Empty unless recorded.
struct TimedProfile {
  /// Summed over the processes; full_monotonic_ns is the earliest one. `recorded` and `hooked` are
  /// numbers of processes.
  spool::TimedCounts counts{};
  std::vector<Moment> moments;         ///< Sorted by start_ns
  std::vector<TimedSample> samples;    ///< Sorted by time_ns
  std::vector<ThreadSwitch> switches;  ///< Sorted by time_ns
};

/// A place with samples of one event, for Ranks.
struct RankCode {
  CodeAddress address;
  std::size_t event = 0;  ///< Index into Profile::events
};

/// The samples of one rank in one place.
struct RankCount {
  std::uint32_t code = 0;  ///< Index into Ranks::codes
  std::uint32_t samples = 0;
  std::uint64_t weight = 0;
};

/// One rank of an MPI job: the sum of all its processes.
struct RankRow {
  std::uint32_t rank = 0;
  std::vector<RankCount> counts;  ///< Sorted by code, each once; empty: no samples
};

/// The samples of the ranks, without their callers, marks and threads. Empty unless
/// MergeOptions::keep_ranks is set and processes have ranks. Damage of a merged file may leave some
/// ranks out.
struct Ranks {
  std::vector<RankCode> codes;
  std::vector<RankRow> rows;  ///< Sorted by rank, each once
};

/// A profile. Indices in its rows refer to the vectors of the same profile.
struct Profile {
  /// The columns; counts vectors have one element for each
  std::vector<EventTotals> events;
  std::vector<Module> modules;
  std::vector<Place> places;
  std::vector<Caller> callers;  ///< Entry 0 means "none"; empty without stacks
  std::vector<PythonFunction> python_functions;
  PythonSums python;
  std::vector<ChainEndSum> chain_ends;  ///< Of the whole run, also with only_phase
  std::vector<Phase> phases;            ///< Entry 0 exists if any mark was set
  std::string only_phase;               ///< The places are those of this mark only; empty: all
  std::vector<ProcessRow> processes;    ///< Sorted by start time
  /// In the order of the spools
  std::vector<ThreadRow> threads;
  std::vector<ShortThreads> short_threads;
  std::vector<ThreadTime> thread_times;  ///< The time line; not of merged files
  std::vector<PlaceTime> place_times;
  /// Programs that are not in the profile
  std::vector<NotFollowedRow> not_followed;
  std::vector<TreeEvidence> tree_evidence;     ///< One for each tree, in any order
  std::vector<TreeFacts> tree_facts;           ///< What tree_evidence was read from, likewise
  std::vector<DeviceCounter> device_counters;  ///< Sorted by first reading
  Waits waits;
  TimedProfile timed;
  Ranks ranks;
  std::vector<std::string> problems;  ///< Damage of spools, one line each
  TreeTotals tree;
};

}  // namespace csink
