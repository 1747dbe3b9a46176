#include "core/counting/components/vendor/bounded_source.h"

#include <errno.h>
#include <pthread.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>

#include "core/machine/clocks.h"
#include "core/util/raw_log.h"
#include "core/util/signals_blocked.h"

// File: caller and thread share a desk: a mutex, a condition variable, one job at a time, and the
// places and values of a read. The caller waits for the job's end as long as the last step is not
// older than the patience. If it is, the caller marks the desk as abandoned and forgets it; the
// thread, should it ever come back, sees the mark and ends. The desk belongs to both, and is freed
// by the last one.

namespace csink {

void VendorSteps::Step() noexcept { last_ns_.store(MonotonicNs(), std::memory_order_relaxed); }

namespace {

enum class Job : unsigned char { kNone, kOpen, kRead, kReconnect, kEnd };

// The state shared by the caller and the serving thread. It lives as long as either of them uses
// it. All members but `steps` are protected by the mutex, except while a job runs: then the thread
// alone uses places, bits, errors and reason.
struct Desk {
  explicit Desk(std::shared_ptr<VendorReader> r) : reader(std::move(r)) {}

  std::shared_ptr<VendorReader> reader;
  VendorSteps steps;
  std::mutex mutex;
  std::condition_variable changed;
  Job job = Job::kNone;  // set by the caller; kNone: done
  // Set when the caller gives up: the result is not read any more.
  bool abandoned = false;
  std::vector<std::uint32_t> places;
  std::vector<std::uint64_t> bits;
  std::vector<Error> errors;
  std::string reason;
  Result<void> result;
};

// Runs on the serving thread, without the mutex. No exception may leave the thread.
Result<void> Work(Desk& desk, Job job) noexcept {
  try {
    if (job == Job::kOpen) return desk.reader->Open(desk.steps, desk.reason);
    if (job == Job::kReconnect) return desk.reader->Reconnect(desk.steps);
    return desk.reader->Read(desk.steps, desk.places, desk.bits.data(), desk.errors.data());
  } catch (const std::bad_alloc&) {
    return Error{Errc::kLimit, ENOMEM, "not enough memory for a device's answers"};
  } catch (...) {
    return Error{Errc::kSystem, 0, "a device's library threw an exception"};
  }
}

// The thread: waits for a job, does it, stores the result. The argument is its own reference to the
// desk.
void* Serve(void* argument) {
  const std::unique_ptr<std::shared_ptr<Desk>> owner(static_cast<std::shared_ptr<Desk>*>(argument));
  Desk& desk = **owner;
  // A name for ps and debuggers, where the thread would otherwise have the program's.
  prctl(PR_SET_NAME, "csink-device");
  std::unique_lock lock(desk.mutex);
  for (;;) {
    desk.changed.wait(lock, [&] { return desk.job != Job::kNone; });
    const Job job = desk.job;
    if (job == Job::kEnd) break;
    lock.unlock();
    Result<void> result = Work(desk, job);
    lock.lock();
    // The caller does not wait any more; its next job has another desk.
    if (desk.abandoned) break;
    desk.result = std::move(result);
    desk.job = Job::kNone;
    desk.changed.notify_all();
  }
  return nullptr;
}

// Detached: the thread may never end.
Result<void> StartServing(const std::shared_ptr<Desk>& desk) {
  // pthread_create instead of std::thread: a failure is a return value.
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return Error{Errc::kLimit, ENOMEM, "not enough memory"};
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  auto argument = std::make_unique<std::shared_ptr<Desk>>(desk);
  pthread_t thread;
  int failed = 0;
  {
    const SignalsBlocked signals;  // inherited by the new thread
    failed = pthread_create(&thread, &attributes, Serve, argument.get());
  }
  pthread_attr_destroy(&attributes);
  if (failed) {
    return Error{Errc::kLimit, failed, "the thread that queries a device could not be created"};
  }
  (void)argument.release();  // owned by the thread now
  return {};
}

class BoundedSource final : public DeviceSource {
 public:
  BoundedSource(std::unique_ptr<VendorReader> reader, const VendorPatience& patience)
      : reader_(std::move(reader)), patience_(patience) {}

  ~BoundedSource() override { EndThread(); }

  Result<void> Open(std::string& reason) override {
    // In the caller's thread: it does not use the device, and a machine without one needs no
    // thread.
    if (Result<void> looked = reader_->Look(reason); !looked) return looked;
    Result<void> opened = Ask(Job::kOpen, patience_.open_ns);
    opened_ = opened.has_value();
    if (opened_) {
      missing_ = desk_->reason;
    } else {
      // A reader that was given up has no reason to tell.
      reason = desk_ && !desk_->reason.empty() ? desk_->reason : opened.error().what;
      EndThread();
    }
    return opened;
  }

  const std::vector<DeviceEvent>& events() const noexcept override {
    return opened_ ? reader_->events() : none_;
  }

  Result<void> Read(std::span<const std::uint32_t> places, std::uint64_t* bits,
                    Error* errors) noexcept override {
    try {
      return ReadAll(places, bits, errors);
    } catch (...) {
      return Error{Errc::kLimit, ENOMEM, "not enough memory for a device's answers"};
    }
  }

  std::string missing() const override { return missing_; }
  std::string support_version() const override { return opened_ ? reader_->version() : ""; }

  // The reader itself stays: the next read makes a thread and connects again.
  void ForgetAfterFork() noexcept override {
    // The thread exists in the parent only, and may have held the lock during the fork: the memory
    // is leaked on purpose.
    if (desk_) new (std::nothrow) std::shared_ptr<Desk>(std::move(desk_));
    desk_ = nullptr;
    reconnect_ = true;
  }

 private:
  // One job for all places. They are copied, because the caller's arrays end with the call and the
  // thread may outlive it.
  Result<void> ReadAll(std::span<const std::uint32_t> places, std::uint64_t* bits, Error* errors) {
    if (reconnect_) {
      if (Result<void> again = Ask(Job::kReconnect, patience_.open_ns); !again) return again;
      reconnect_ = false;
    }
    if (Result<void> ready = MakeDesk(); !ready) return ready;
    {
      const std::lock_guard lock(desk_->mutex);
      desk_->places.assign(places.begin(), places.end());
      // The thread writes into the desk's own arrays for the same reason.
      desk_->bits.resize(places.size());
      desk_->errors.resize(places.size());
    }
    Result<void> read = Ask(Job::kRead, patience_.read_ns);
    if (!read) return read;
    std::copy(desk_->bits.begin(), desk_->bits.end(), bits);
    std::copy(desk_->errors.begin(), desk_->errors.end(), errors);
    return read;
  }

  // Lets the thread end. It is idle; the thread of a lost source is no longer known here.
  void EndThread() {
    if (!desk_) return;
    {
      const std::lock_guard lock(desk_->mutex);
      desk_->job = Job::kEnd;
      desk_->changed.notify_all();
    }
    desk_ = nullptr;
  }

  // A desk with a thread, for a source that is not lost.
  Result<void> MakeDesk() {
    if (lost_) return Error{Errc::kSystem, ETIMEDOUT, patience_.lost};
    if (desk_) return {};
    auto desk = std::make_shared<Desk>(reader_);
    if (Result<void> started = StartServing(desk); !started) return started;
    desk_ = std::move(desk);
    return {};
  }

  // Lets the thread do a job and waits for it, as long as the reader makes steps in time.
  Result<void> Ask(Job job, std::uint64_t patience_ns) {
    if (Result<void> ready = MakeDesk(); !ready) return ready;
    std::unique_lock lock(desk_->mutex);
    // The time begins with the question.
    desk_->steps.Step();
    desk_->job = job;
    desk_->changed.notify_all();
    for (;;) {
      // Computed anew after each wake-up: the reader may have made steps meanwhile.
      const std::uint64_t now = MonotonicNs(), until = desk_->steps.last_ns() + patience_ns;
      if (desk_->job == Job::kNone) return std::move(desk_->result);
      if (now >= until) break;
      desk_->changed.wait_for(lock, std::chrono::nanoseconds(until - now));
    }
    // Under the mutex, so the thread sees it before it stores a result.
    desk_->abandoned = true;
    lock.unlock();
    desk_ = nullptr;
    lost_ = true;
    RawLog(LogLevel::kWarn, patience_.lost);
    return Error{Errc::kSystem, ETIMEDOUT, patience_.lost};
  }

  const std::shared_ptr<VendorReader> reader_;
  const VendorPatience patience_;
  const std::vector<DeviceEvent> none_;
  std::shared_ptr<Desk> desk_;
  // Used by the caller's side only, under DeviceReader's lock.
  std::string missing_;
  bool opened_ = false, lost_ = false, reconnect_ = false;
};

}  // namespace

std::unique_ptr<DeviceSource> MakeBoundedSource(std::unique_ptr<VendorReader> reader,
                                                const VendorPatience& patience) {
  return std::make_unique<BoundedSource>(std::move(reader), patience);
}

}  // namespace csink
