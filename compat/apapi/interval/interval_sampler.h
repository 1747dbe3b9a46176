#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "core/util/result.h"

namespace csink {

/// The object that an IntervalSampler measures.
/// Threads: both functions are called only in the sampler's thread, never at the same time.
class Sampled {
 public:
  virtual ~Sampled() = default;
  /// Reads the device; false: it could not be read. May hang forever, and so must not access
  /// anything but members of this object.
  virtual bool Read() noexcept = 0;
  /// Uses the result of Read (`good` is its return value). `last`: this is the final measurement.
  /// Not called after the thread was abandoned.
  virtual void Take(bool good, bool last) noexcept = 0;
};

/// Measures at once and then at each multiple of an interval, in a thread of its own, so that a
/// slow or hanging device does not delay others.
///
/// Wake-ups are absolute times of CLOCK_MONOTONIC. A wake-up that is already over when the thread
/// could wake is skipped and counted (missed); the next measurement is at the next multiple in the
/// future. All signals are blocked in the thread.
/// Owns:    its thread. Everything that the thread uses (also `what`) lives as long as the thread.
/// Threads: Finish and Interrupt: any thread, also from Take. Others: one thread. After fork the
///          child has no such thread: Wait returns at once. Signals: not safe.
class IntervalSampler {
 public:
  /// How the thread ended.
  enum class End : std::uint8_t {
    /// Joined; the last measurement is complete
    kEnded,
    kAbandoned,  ///< Hangs in Read: left behind; ends by itself if Read ever returns
  };

  /// interval_ns > 0; at most a quarter of 2^63 ns is used. The first 15 bytes of `name` become the
  /// thread's name (PR_SET_NAME's limit).
  IntervalSampler(std::shared_ptr<Sampled> what, std::uint64_t interval_ns, const char* name);
  /// Interrupts and waits if the thread still runs.
  ~IntervalSampler();
  IntervalSampler(const IntervalSampler&) = delete;
  IntervalSampler& operator=(const IntervalSampler&) = delete;

  /// Starts the thread. Call once. Errors: kInvalid (started before), kLimit (no memory), kSystem
  /// (no thread could be created).
  Result<void> Start() noexcept;
  /// Requests a final measurement and the end. Does not wait. An Interrupt before or afterwards has
  /// precedence.
  void Finish() noexcept;
  /// Requests the end without a measurement. Does not wait.
  void Interrupt() noexcept;
  /// Waits for the end, which must have been requested. The thread is abandoned if it is still in
  /// Read one interval after the request (or after twice the time of its slowest read so far); if
  /// the kernel shows it as running, one second later. Error in the sampler's own thread: kInvalid.
  Result<End> Wait() noexcept;

  /// True from Start until Wait has succeeded.
  bool started() const noexcept { return started_; }
  pthread_t thread() const noexcept { return thread_; }  ///< Valid while started
  /// Numbers of skipped wake-ups and of reads that returned false. Threads: any.
  std::uint64_t missed() const noexcept;
  std::uint64_t failed() const noexcept;

 private:
  struct Loop;

  /// Shared with the thread, which may outlive this object
  std::shared_ptr<Loop> loop_;
  pthread_t thread_ = {};
  /// The process that started the thread
  pid_t process_ = 0;
  bool started_ = false;
};

}  // namespace csink
