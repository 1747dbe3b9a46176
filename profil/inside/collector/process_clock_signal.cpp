#include "profil/inside/collector/process_clock.h"

/// File: the process's CPU clock is exact and includes all threads that ever ran. What it has
/// beyond the clocks of known threads was used by threads that the agent never saw.

namespace csink {
namespace {

// CPU time that a thread may use after its clock was read for the last time: 0.1 ms.
constexpr std::uint64_t kEndOfThreadNs = 100'000;
// Less than 20 ms, or less than half a percent of the process, is not reported.
constexpr std::uint64_t kLeastUnseenNs = 20'000'000;
constexpr std::uint64_t kLeastPart = 200;  // half a percent

}  // namespace

void ProcessClock::Begin(std::uint64_t process_ns, std::uint64_t known_ns) noexcept {
  // exec keeps the process's clock, with the time of threads of the earlier image.
  foreign_ns_ = process_ns > known_ns ? process_ns - known_ns : 0;
  known_ = true;
}

std::uint64_t ProcessClock::UnseenNs(Kernel& kernel, const Times& now) const noexcept {
  // A tenth of a millisecond for each known thread, so that many short threads are no unseen one.
  std::uint64_t known =
      now.known_ns + foreign_ns_ + own_threads_ns_ + now.known_threads * kEndOfThreadNs;
  // The agent's own thread is not in the registry, and is no thread of the program.
  const long own = own_thread_ != 0 ? kernel.ThreadCpuNs(own_thread_) : 0;
  if (own > 0) known += static_cast<std::uint64_t>(own);
  std::uint64_t unseen = now.process_ns > known ? now.process_ns - known : 0;
  // CPU time in pauses is not lost, whichever thread used it.
  const std::uint64_t asked = now.process_ns > foreign_ns_ ? now.process_ns - foreign_ns_ : 0;
  if (unseen + now.paused_ns > asked) {
    unseen = asked > now.paused_ns ? asked - now.paused_ns : 0;
  }
  // Small rests are rounding and ends of threads; a message about them would only confuse.
  return unseen >= kLeastUnseenNs && unseen >= asked / kLeastPart ? unseen : 0;
}

}  // namespace csink
