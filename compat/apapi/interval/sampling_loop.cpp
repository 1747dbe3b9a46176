#include "compat/apapi/interval/sampling_loop.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/util/raw_syscall.h"
#include "core/util/small_file.h"
#include "core/util/text.h"

namespace csink {

namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;
// A time in ns that never comes: 292 years.
constexpr std::uint64_t kEndOfTime = ~0ull >> 1;

/// Waits while `word` equals `expected`, until `until_ns` of CLOCK_MONOTONIC. Returns 0 or -errno.
long FutexWaitUntil(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                    std::uint64_t until_ns) noexcept {
  const timespec until = {static_cast<time_t>(until_ns / kSecondNs),
                          static_cast<long>(until_ns % kSecondNs)};
  return RawSyscall(SYS_futex, SyscallArg(&word), FUTEX_WAIT_BITSET_PRIVATE, expected,
                    SyscallArg(&until), 0, static_cast<long>(FUTEX_BITSET_MATCH_ANY));
}

void FutexWake(std::atomic<std::uint32_t>& word) noexcept {
  RawSyscall(SYS_futex, SyscallArg(&word), FUTEX_WAKE_PRIVATE, 64);
}

}  // namespace

SamplingLoop::SamplingLoop(std::shared_ptr<Sampled> what, std::uint64_t interval_ns,
                           const char* thread_name) noexcept
    : what_(std::move(what)), interval_ns_(std::min(interval_ns, kEndOfTime / 4)) {
  std::strncpy(name, thread_name, sizeof name - 1);
}

std::uint64_t SamplingLoop::NowNs() noexcept {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kSecondNs +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void SamplingLoop::Run() noexcept {
  // For IsOwnThread and IsRunning, which other threads ask.
  tid_.store(static_cast<int>(RawSyscall(SYS_gettid)), std::memory_order_relaxed);
  std::uint64_t deadline = NowNs();
  // The first measurement is never the last one: growth needs a first value.
  for (Command command = kRun; command != kInterrupt;) {
    const bool last = command == kFinish;
    if (!Measure(last)) return;
    if (last) break;
    // From the last deadline, not from now: the intervals do not drift.
    deadline = NextDeadline(deadline);
    command = WaitUntil(deadline);
  }
  phase_.store(kEnded, std::memory_order_release);
  FutexWake(phase_);
}

/// Reads and processes one measurement. False: the owner has abandoned the thread.
bool SamplingLoop::Measure(bool last) noexcept {
  phase_.store(kReading, std::memory_order_release);
  const bool good = what_->Read();
  std::uint32_t reading = kReading;
  // The owner may have abandoned this thread during the read. Then nothing that is shared may be
  // touched any more.
  if (!phase_.compare_exchange_strong(reading, kTaking, std::memory_order_acq_rel)) return false;
  if (!good) failed.fetch_add(1, std::memory_order_relaxed);
  what_->Take(good, last);
  phase_.store(kWaiting, std::memory_order_release);
  return true;
}

std::uint64_t SamplingLoop::NextDeadline(std::uint64_t deadline_ns) noexcept {
  const std::uint64_t now = NowNs();
  // The longest time that a read of this device took so far, at most one second: Wait allows twice
  // this time.
  const std::uint64_t took = std::min(now - deadline_ns, kSecondNs);
  if (took > slowest_ns_.load(std::memory_order_relaxed)) {
    slowest_ns_.store(took, std::memory_order_relaxed);
  }
  std::uint64_t next = deadline_ns + interval_ns_;
  if (next <= now) {
    // A late measurement is not made up for by several at once: they would all show the same value.
    const std::uint64_t over = (now - next) / interval_ns_ + 1;
    missed.fetch_add(over, std::memory_order_relaxed);
    next += over * interval_ns_;
  }
  return next;
}

SamplingLoop::Command SamplingLoop::WaitUntil(std::uint64_t deadline_ns) noexcept {
  for (;;) {
    const auto command = static_cast<Command>(command_.load(std::memory_order_acquire));
    if (command != kRun) return command;
    if (FutexWaitUntil(command_, kRun, deadline_ns) == -ETIMEDOUT) return kRun;
  }
}

void SamplingLoop::Ask(Command command) noexcept {
  std::uint64_t not_yet = 0;
  asked_ns_.compare_exchange_strong(not_yet, NowNs(), std::memory_order_acq_rel);
  std::uint32_t before = command_.load(std::memory_order_relaxed);
  // A weaker command does not replace a stronger one.
  while (before < command &&
         !command_.compare_exchange_weak(before, command, std::memory_order_acq_rel)) {
  }
  // The loop sleeps on this word until its deadline.
  FutexWake(command_);
}

std::uint64_t SamplingLoop::LimitNs() const noexcept {
  const std::uint64_t asked = asked_ns_.load(std::memory_order_acquire);
  if (asked == 0) return kEndOfTime;
  return asked + std::max(interval_ns_, 2 * slowest_ns_.load(std::memory_order_relaxed));
}

bool SamplingLoop::IsOwnThread() const noexcept {
  return tid_.load(std::memory_order_relaxed) == static_cast<int>(RawSyscall(SYS_gettid));
}

bool SamplingLoop::IsRunning() const noexcept {
  const int tid = tid_.load(std::memory_order_relaxed);
  if (tid == 0) return true;  // The thread has not started to run
  Text<64> path;
  path.Add("/proc/self/task/").Number(static_cast<std::uint64_t>(tid)).Add("/stat");
  const SmallFile<512> file(path.c_str());
  const std::string_view text = file.view();
  const std::size_t name_end = text.rfind(')');  // The name may contain blanks and parentheses
  return name_end != std::string_view::npos && text.substr(name_end, 4).find('R') == 2;
}

bool SamplingLoop::Abandon() noexcept {
  std::uint32_t reading = kReading;
  return phase_.compare_exchange_strong(reading, kAbandoned, std::memory_order_acq_rel);
}

void SamplingLoop::WaitForEnd(std::uint64_t until_ns) noexcept {
  const std::uint32_t phase = phase_.load(std::memory_order_acquire);
  // Only the end wakes waiters, because the other phases change a thousand times a second. A waiter
  // that sleeps on an earlier phase is woken as well: FUTEX_WAKE matches the address, not the
  // value.
  if (phase != kEnded) FutexWaitUntil(phase_, phase, until_ns);
}

}  // namespace csink
