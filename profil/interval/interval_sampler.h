#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "core/util/result.h"

namespace csink {

/// What an IntervalSampler measures.
/// Threads: both functions are called by the sampler's thread alone.
class Sampled {
 public:
  virtual ~Sampled() = default;
  /// Asks the device; false when it could not be read. May hang for ever, and therefore touches
  /// nothing but what this object owns.
  virtual bool Read() noexcept = 0;
  /// Uses what Read found (`good`: what it said). `last`: the final one. Not called any more once
  /// the thread was abandoned.
  virtual void Take(bool good, bool last) noexcept = 0;
};

/// Measures at once and then at each multiple of an interval, in a thread of its own, so that a
/// device that answers late or never keeps no other one waiting.
///
/// Wake-ups are absolute on CLOCK_MONOTONIC. One that is over before the thread can wake is counted
/// (missed) and left out: the next measurement is at the next multiple still to come.
/// The thread has every signal blocked.
/// Owns:    its thread. What the thread uses (`what` too) stays alive as long as the thread does.
/// Threads: Finish and Interrupt may be called from any thread, also from Take; the rest from one.
///          In a forked child there is no thread: Wait returns at once.
/// Signals: not safe.
class IntervalSampler {
 public:
  enum class End : std::uint8_t {
    kEnded,
    kAbandoned,  ///< It hangs in Read: it was left behind and ends by itself if Read ever returns
  };

  /// interval_ns > 0. `name` is the thread's, its first 15 bytes.
  IntervalSampler(std::shared_ptr<Sampled> what, std::uint64_t interval_ns, const char* name);
  /// Interrupts and waits when it still runs.
  ~IntervalSampler();
  IntervalSampler(const IntervalSampler&) = delete;
  IntervalSampler& operator=(const IntervalSampler&) = delete;

  /// Once. Errors: kSystem (no thread).
  Result<void> Start() noexcept;
  /// Asks for the final measurement and the end. Does not wait.
  void Finish() noexcept;
  /// Asks for the end without one. Does not wait.
  void Interrupt() noexcept;
  /// Waits for the end, which somebody must ask for. A thread that is still in Read one interval
  /// after it was asked (or twice as long as its slowest read so far) is abandoned, unless it is
  /// running; then a second later. In the sampler's own thread: kInvalid.
  Result<End> Wait() noexcept;

  bool started() const noexcept { return started_; }
  pthread_t thread() const noexcept { return thread_; }  ///< While started
  /// Wake-ups that were left out, and reads that failed. Threads: any.
  std::uint64_t missed() const noexcept;
  std::uint64_t failed() const noexcept;

 private:
  struct Loop;

  std::shared_ptr<Loop> loop_;
  pthread_t thread_ = {};
  pid_t process_ = 0;
  bool started_ = false;
};

}  // namespace csink
