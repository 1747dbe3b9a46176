#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profil/reading/model/profile.h"

/// File: what threads waited for, as data of a report: rows by the program's function and by what
/// it waited for, in groups of threads, and the locks with their holders. docs/waiting.md describes
/// the meaning.

namespace csink::report {

/// Blocked time, and its share of a whole that the owner names. The time of single threads is
/// exact; how it is divided among places is sampled, so the share has an interval.
struct WaitCell {
  std::uint64_t looks = 0;  ///< How often a thread was seen there
  double seconds = 0;
  double share = 0;  ///< 0..1
  double low = 0;    ///< 95 % interval of the share (Wilson's); low == high: exact
  double high = 0;
};

/// A call path to a place, from the direct caller of WaitRow::function to the beginning.
struct WaitPath {
  std::vector<std::string> functions;
  WaitCell cell;  ///< Share of the row
};

/// A function of the program and what it waited for.
struct WaitRow {
  /// The first function up the stack that is not of the C or C++ runtime and has a name.
  std::string function;
  std::string module;  ///< As FunctionRow::module
  std::string file;    ///< Of the call in this function; empty: unknown
  std::uint32_t line = 0;
  spool::WaitKind kind = spool::WaitKind::kUnknown;
  std::string primitive;        ///< "mutex", "read of a pipe" (WaitWords)
  std::string call;             ///< The system call; empty: none, or its machine is not known
  std::size_t lock = kNoRow;    ///< Index into WaitTables::locks
  WaitCell cell;                ///< Share of the group's blocked time
  double longest_seconds = 0;   ///< Longest wait seen, a lower bound; 0: unknown
  std::vector<WaitPath> paths;  ///< kMostWaitPaths with most time

  static constexpr std::size_t kNoRow = ~std::size_t{0};
};
inline constexpr std::size_t kMostWaitPaths = 8;

/// One thread of a group.
struct WaitThread {
  std::uint32_t thread = 0;  ///< Index into Profile::threads
  WaitCell cell;             ///< Share of the group
  std::size_t row = 0;       ///< Where it waited longest: index into WaitGroup::rows
  double row_share = 0;      ///< Of the thread's own blocked time
};

/// Threads of one start routine, or all main threads.
struct WaitGroup {
  std::string name;           ///< "main thread", "worker()", "threads named x"
  std::uint64_t threads = 0;  ///< That were seen blocked
  /// A main thread, or one for which a critical thread waited at least kLeastCritical of its
  /// blocked time, by a lock that it held or by a join.
  bool is_critical = false;
  /// Not critical, and at least kLeastIdle of the time in one place that waits for work: in rows
  /// that differ by their lock alone, since each thread of a pool may have a condition variable of
  /// its own.
  bool is_idle = false;
  double idle_share = 0;            ///< Of the group's time, if idle: that of this place
  std::size_t idle_row = 0;         ///< The row of this place with most time
  WaitCell cell;                    ///< Share of all blocked time
  std::vector<WaitRow> rows;        ///< By time
  std::vector<WaitThread> members;  ///< By time
};
inline constexpr double kLeastCritical = 0.05;
inline constexpr double kLeastIdle = 0.9;

/// Where a lock was held while others waited.
struct HolderRow {
  std::string function;  ///< As WaitRow::function; empty: not known
  std::string module;
  std::uint32_t tid = 0;
  std::string thread;       ///< Its name
  bool is_blocked = false;  ///< It was blocked itself; false: it ran, or waited for a processor
  /// The lock has no known holder (a condition variable), and only this thread of the process ran
  /// meanwhile. If the program makes a lock of such a variable, this is its holder.
  bool is_only_runner = false;
  WaitCell cell;  ///< Share of the lock's waiting time
};

/// A lock, or all locks without a symbol that were first waited for in one place.
struct LockRow {
  std::string name;  ///< Symbol, with "+0x10" behind its start; empty: none
  std::string module;
  spool::WaitKind kind = spool::WaitKind::kUnknown;
  std::string primitive;
  std::string first_function;  ///< Where a thread waited for it first; as WaitRow::function
  std::string first_file;
  std::uint32_t first_line = 0;
  std::uint64_t objects = 1;       ///< Number of locks in the row
  WaitCell cell;                   ///< Share of all blocked time
  std::uint64_t moments = 0;       ///< At which at least one thread waited
  std::uint64_t most_waiters = 0;  ///< At one moment
  double known_share = 0;          ///< Part of the looks at which the holder was known
  /// It keeps threads from running: a mutex, rwlock, semaphore or futex; or a condition variable
  /// for which threads that are not idle wait while one thread alone runs, as for Python's GIL.
  bool is_lock = false;
  std::vector<HolderRow> holders;  ///< By waiting time
};

/// All of it.
struct WaitTables {
  double blocked_seconds = 0;  ///< Of all rows
  /// Of all threads: blocked time in all, and the part of it that is in no row
  std::uint64_t all_threads = 0;  ///< 0: not known
  double all_blocked_seconds = 0;
  double not_looked_seconds = 0;
  double undivided_seconds = 0;  ///< As BlockedTotal::undivided_seconds
  std::uint64_t looks = 0;
  /// Independent looks of equal weight that would give the same error (Kish); `looks` if no wait is
  /// sampled.
  double effective_looks = 0;
  /// Critical ones first, idle ones last; in each part by time
  std::vector<WaitGroup> groups;
  std::vector<LockRow> locks;  ///< By time
};

struct Report;
class Names;
struct WaitPlace;

/// Makes the tables of a profile with recorded waits; nullopt without. Locks in the data of modules
/// are named by Names::DataName. `places`: those of PlacesOfWaits.
std::optional<WaitTables> MakeWaits(const Report& report, const Names& names,
                                    const std::vector<WaitPlace>& places);

/// A lock in text: "mutex table_lock", "2 x mutex first waited for in f x.c:3".
std::string LockText(const LockRow& lock);

}  // namespace csink::report
