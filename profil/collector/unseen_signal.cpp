#include "profil/collector/collector.h"

/// File: CPU time that no thread we know has used, and events that the program switched off.
///
/// A thread made past every hook of ours is found by the sweeps of the agent thread. In a process
/// whose only known thread waits nobody sweeps: its timer counts that thread's CPU time, and one of
/// wall time would end the program's waits. But the kernel adds all threads up, so that at the
/// end the process clock says what the clocks of the known threads do not.

namespace csink {
namespace {

// What a thread uses before its clock is read for the last time and after that is nobody's.
constexpr std::uint64_t kEndOfThreadNs = 100'000;
constexpr std::uint64_t kLeastUnseenNs = 20'000'000;
constexpr std::uint64_t kLeastPart = 200;  // half a percent

}  // namespace

// exec keeps the process clock, and with it the time of threads that are no more.
void Collector::BeginProcessClock(std::uint64_t known_ns) noexcept {
  const std::uint64_t total = ProcessCpu().total();
  foreign_ns_ = total > known_ns ? total - known_ns : 0;
  process_clock_known_ = true;
}

void Collector::CompareClocks(const Accounts& accounts) noexcept {
  switched_off_ns_ = accounts.switched_off_ns;
  unseen_ns_ = 0;
  if (!process_clock_known_) return;
  const CpuNs process = ProcessCpu();
  const std::uint64_t total = process.total();
  const std::uint64_t threads = __atomic_load_n(&threads_seen_, __ATOMIC_RELAXED);
  std::uint64_t known =
      accounts.known_cpu_ns + foreign_ns_ + own_threads_ns_ + threads * kEndOfThreadNs;
  const long own = own_thread_ != 0 ? kernel_.ThreadCpuNs(own_thread_) : 0;
  if (own > 0) known += static_cast<std::uint64_t>(own);
  std::uint64_t unseen = total > known ? total - known : 0;
  // Pauses are nothing lost, whoever ran in them.
  const std::uint64_t asked = total > foreign_ns_ ? total - foreign_ns_ : 0;
  const std::uint64_t rested = pauses_.Until(process).total();
  if (unseen + rested > asked) unseen = asked > rested ? asked - rested : 0;
  if (unseen >= kLeastUnseenNs && unseen >= asked / kLeastPart) unseen_ns_ = unseen;
}

void Collector::SwitchedOff(ThreadSlot& slot, bool off) noexcept {
  if (slot.switched_off == off) return;
  const long now = kernel_.ThreadCpuNs(slot.tid.load(std::memory_order_relaxed));
  const std::uint64_t cpu = now > 0 ? static_cast<std::uint64_t>(now) : slot.drained_cpu_ns;
  if (off) {
    slot.off_from_ns = cpu;
  } else if (cpu > slot.off_from_ns) {
    slot.off_ns += cpu - slot.off_from_ns;
  }
  slot.switched_off = off;
}

}  // namespace csink
