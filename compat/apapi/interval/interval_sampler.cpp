#include "compat/apapi/interval/interval_sampler.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "compat/apapi/interval/sampling_loop.h"

/// File: the owner's side of an IntervalSampler: starting the thread, and waiting for its end or
/// abandoning it. The thread's side is sampling_loop.cpp.

namespace csink {

struct IntervalSampler::Loop : SamplingLoop {
  using SamplingLoop::SamplingLoop;
};

namespace {

/// Additional time for a thread that is late because the processors are busy.
constexpr std::uint64_t kRunningGraceNs = 1'000'000'000;
/// Polling interval for a thread that is late: nothing wakes the waiter when the thread's state in
/// /proc changes.
constexpr std::uint64_t kLookAgainNs = 2'000'000;

// The thread has a shared pointer of its own to the loop, so that the loop outlives the owner.
void* ThreadMain(void* argument) noexcept {
  const std::unique_ptr<std::shared_ptr<SamplingLoop>> loop(
      static_cast<std::shared_ptr<SamplingLoop>*>(argument));
  pthread_setname_np(pthread_self(), (*loop)->name);
  (*loop)->Run();
  return nullptr;
}

/// Creates a thread with all signals blocked. The creator blocks them first, so that no signal can
/// arrive before the thread blocks it itself.
int MakeThread(pthread_t* thread, void* argument) noexcept {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(thread, nullptr, ThreadMain, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

}  // namespace

IntervalSampler::IntervalSampler(std::shared_ptr<Sampled> what, std::uint64_t interval_ns,
                                 const char* name)
    : loop_(std::make_shared<Loop>(std::move(what), interval_ns, name)) {}

IntervalSampler::~IntervalSampler() {
  if (!started_) return;
  Interrupt();
  if (!Wait()) pthread_detach(thread_);  // The destructor runs in the sampler's own thread
}

Result<void> IntervalSampler::Start() noexcept {
  if (started_) return Error{Errc::kInvalid, 0, "the sampler was started already"};
  auto* argument = new (std::nothrow) std::shared_ptr<SamplingLoop>(loop_);
  if (argument == nullptr) return Error{Errc::kLimit, ENOMEM, "not enough memory for a thread"};
  // Set before the thread exists, because the thread may call functions of this object.
  process_ = getpid();
  started_ = true;
  if (const int error = MakeThread(&thread_, argument)) {
    started_ = false;
    delete argument;
    return Error{Errc::kSystem, error, "the sampling thread could not be created"};
  }
  return {};
}

void IntervalSampler::Finish() noexcept { loop_->Ask(SamplingLoop::kFinish); }

void IntervalSampler::Interrupt() noexcept { loop_->Ask(SamplingLoop::kInterrupt); }

Result<IntervalSampler::End> IntervalSampler::Wait() noexcept {
  // After fork the thread does not exist in the child, and the handle must not be joined.
  if (!started_ || process_ != getpid()) {
    started_ = false;
    return End::kEnded;
  }
  if (loop_->IsOwnThread()) {
    return Error{Errc::kInvalid, 0, "a sampler cannot wait for itself"};
  }
  for (;;) {
    if (loop_->ended()) break;
    const std::uint64_t now = SamplingLoop::NowNs();
    const std::uint64_t limit = loop_->LimitNs();
    const bool late = now >= limit;
    // A thread that the kernel shows as running does not hang but lacks a processor; it gets
    // kRunningGraceNs more.
    const bool hangs = late && (now - limit >= kRunningGraceNs || !loop_->IsRunning());
    if (hangs && loop_->Abandon()) {
      pthread_detach(thread_);
      started_ = false;
      return End::kAbandoned;
    }
    loop_->WaitForEnd(late ? now + kLookAgainNs : std::min(limit, now + kRunningGraceNs));
  }
  pthread_join(thread_, nullptr);
  started_ = false;
  return End::kEnded;
}

std::uint64_t IntervalSampler::missed() const noexcept {
  return loop_->missed.load(std::memory_order_relaxed);
}

std::uint64_t IntervalSampler::failed() const noexcept {
  return loop_->failed.load(std::memory_order_relaxed);
}

}  // namespace csink
