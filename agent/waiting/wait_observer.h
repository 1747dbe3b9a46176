#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "agent/process/process_state.h"
#include "agent/waiting/look_clock.h"
#include "agent/waiting/observed_process.h"
#include "agent/waiting/thread_looks.h"
#include "core/sampling/thread_registry.h"
#include "profil/inside/collector/collector.h"
#include "profil/inside/regions/region_index.h"
#include "profil/inside/spool/writer.h"

namespace csink::agent {

/// Observes blocked threads (CSINK_WAIT) from inside: at random moments it looks at each thread of
/// the registry (ThreadLooks).
///
/// Owns:    a mapping with its state, made by Begin; descriptors in the control thread's own table.
/// Threads: the control thread, which has a table of descriptors of its own; a constructor runs
///          anywhere. Each look holds the collector's lock, so that no look is under way when the
///          process enters a sandbox (Restrictions::BeforeSeccomp).
/// Signals: safe (wait_observer_signal.cpp); raw system calls only.
class WaitObserver : private ObservedProcess {
 public:
  WaitObserver(const ProcessState& process, ThreadRegistry& registry, SpoolWriter& spool,
               RegionIndex& regions, Collector& collector) noexcept
      : process_(process),
        registry_(registry),
        spool_(spool),
        regions_(regions),
        collector_(collector) {}

  /// As spool::WaitObserver::glibc. Call before Begin.
  void set_glibc(std::uint32_t release) noexcept { glibc_ = release; }
  /// The answer of NextNs where nothing is due any more.
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  /// On the control thread, before the first moment; also in a forked child, which forgets the
  /// state of its parent. `tid`: the calling thread. Without memory nothing is observed.
  void Begin(pid_t tid) noexcept;
  /// Time until the next moment at the time `now_ns`, in ns; 0: it is due.
  std::uint64_t NextNs(std::uint64_t now_ns) const noexcept;
  /// Looks at all threads. Does nothing while sampling is paused, while the process ends and in a
  /// sandbox.
  void Moment() noexcept;
  /// In a sandbox: notes in the spool that the observation has stopped. No system call.
  void NoteSandbox() noexcept;
  /// A line about why nothing can be observed, to be printed once; nullptr: nothing to say.
  const char* TakeComplaint() noexcept {
    const char* line = complaint_;
    complaint_ = nullptr;
    return line;
  }

 private:
  /// The mapping.
  struct State {
    WatchedThread watched[ThreadRegistry::kSlots];
    ThreadLooks looks;
  };

  std::uint32_t RegionFor(std::uint64_t pc) noexcept override { return collector_.RegionFor(pc); }
  std::uint32_t ThreadRecordOf(const WatchedThread& thread) noexcept override {
    return collector_.ThreadRecordOf(SlotOf(thread));
  }
  std::uint32_t Phase() noexcept override { return collector_.phase().id(); }
  CallerChains* Chains() noexcept override { return collector_.chains(); }
  bool HasThread(pid_t tid) noexcept override { return registry_.Find(tid) != nullptr; }
  const WatchedThread* FindThread(pid_t tid) noexcept override;
  LastPlace LastPlaceOf(const WatchedThread& thread) noexcept override;
  SyscallLine NativeCall(const SyscallLine& line) noexcept override { return line; }
  bool BeginOf(const WatchedThread& thread, std::uint64_t& begin_ns,
               ThreadTimes& before) noexcept override;
  void CountLook() noexcept override { collector_.accounts().CountWait(); }

  /// Takes the collector's lock. Returns false, without the lock, if it is held for long, or if
  /// nothing may be looked at now.
  bool Enter() noexcept;
  void Leave() noexcept { collector_.lock().Unlock(); }
  /// Forgets records of a spool that is gone.
  void ForgetRecords() noexcept;
  /// Each thread's account begins anew: after a pause.
  void Rebase() noexcept;
  ThreadSlot& SlotOf(const WatchedThread& thread) noexcept {
    return registry_.at(static_cast<std::size_t>(&thread - state_->watched));
  }
  void Stop(int error) noexcept;
  /// Chooses the next moment.
  void Schedule() noexcept;

  const ProcessState& process_;
  ThreadRegistry& registry_;
  SpoolWriter& spool_;
  RegionIndex& regions_;
  Collector& collector_;

  State* state_ = nullptr;
  pid_t tid_ = 0;  ///< The control thread
  LookClock clock_;
  std::uint32_t epoch_ = 0;  ///< Collector::epoch of the records
  std::uint64_t begin_ns_ = 0;
  std::uint64_t rebased_ns_ = 0;  ///< What passed before belongs to no place
  std::uint64_t next_ns_ = kNever;
  std::uint64_t cpu_ns_ = 0;  ///< CPU time of the control thread at the last moment
  std::size_t most_files_ = 0;
  std::uint32_t glibc_ = 0;
  bool rebase_ = false;
  const char* complaint_ = nullptr;
};

}  // namespace csink::agent
