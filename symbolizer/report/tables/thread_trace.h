#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: what each thread did from moment to moment, from the records with times of the profile
/// (Profile::timed), for formats that draw threads over time. Times are CLOCK_MONOTONIC.

namespace csink::report {

enum class ThreadState { kRunning, kRunnable, kBlocked };

inline constexpr std::uint32_t kNoTraced = 0xffffffff;

/// A thread in one state. Slices of a thread are disjoint and sorted; between them nothing is
/// known.
struct StateSlice {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;  ///< Behind begin_ns
  ThreadState state = ThreadState::kRunning;
  std::uint32_t wait = kNoTraced;  ///< Of a blocked one: index into TracedThread::waits
};

/// A wait of a thread. It may contain time on a processor, before the thread blocks and after it
/// was woken.
struct TracedWait {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  const char* what = "";     ///< "mutex", "read of a pipe"; "unknown" where no hook saw it
  std::uint64_t object = 0;  ///< As MomentRecord::object; 0: none
  /// Who ended the wait: of a lock the thread that held it. Index into ThreadTrace::threads.
  std::uint32_t waker = kNoTraced;
  std::uint64_t woken_ns = 0;  ///< When; 0: not known
  bool is_inferred = false;    ///< Nothing recorded the waker; one other thread alone ran
  /// Where the threads of the group blocked for such an object: index into ThreadTrace::sites. 0:
  /// not recorded (CSINK_WAIT), or in several places.
  std::uint32_t site = 0;
};

struct TracedThread {
  std::size_t process = 0;  ///< Index into Profile::processes: the first image
  std::uint32_t pid = 0, tid = 0;
  std::uint32_t thread = kNoThread;  ///< Index into Profile::threads; kNoThread: has no row
  std::string name;                  ///< May be empty
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::vector<StateSlice> slices;
  std::vector<TracedWait> waits;  ///< By time
};

struct ThreadTrace {
  std::vector<TracedThread> threads;  ///< In the order of their first records
  /// Context switches were recorded. Without, threads count as running wherever they do not wait.
  bool has_switches = false;
  std::vector<std::string> sites = {""};  ///< "function file:line"
  std::uint64_t slices = 0;               ///< Of all threads
  /// Slices shorter than this are part of the slice before them; 0: there are all.
  std::uint64_t shortest_ns = 0;

  /// The thread with a row, as far as it is traced; null: it is not.
  const TracedThread* Of(std::uint32_t thread) const;
};

/// More slices are not kept: a viewer in a browser holds all of them in memory.
inline constexpr std::size_t kMostTraced = 400'000;

/// Nothing if no times were recorded. The first process is the one that started the others.
ThreadTrace MakeThreadTrace(const Report& report, std::size_t most = kMostTraced);

}  // namespace csink::report
