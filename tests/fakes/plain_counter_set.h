#pragma once

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <vector>

#include "core/counting/counters/counter_set.h"

namespace csink::testing {

/// A counter set on the machine's own kernel with nothing but what overflow needs: one group,
/// counted on the calling thread, opened at Configure. An event's number is type << 16 | config.
class PlainCounterSet final : public CounterSet {
 public:
  static constexpr std::uint32_t kCpuClock = PERF_TYPE_SOFTWARE << 16 | PERF_COUNT_SW_CPU_CLOCK;
  static constexpr std::uint32_t kTaskClock = PERF_TYPE_SOFTWARE << 16 | PERF_COUNT_SW_TASK_CLOCK;
  static constexpr std::uint32_t kPageFaults = PERF_TYPE_SOFTWARE << 16 | PERF_COUNT_SW_PAGE_FAULTS;
  static constexpr std::uint32_t kInstructions =
      PERF_TYPE_HARDWARE << 16 | PERF_COUNT_HW_INSTRUCTIONS;
  static constexpr std::uint32_t kCycles = PERF_TYPE_HARDWARE << 16 | PERF_COUNT_HW_CPU_CYCLES;

  ~PlainCounterSet() override { Close(); }

  Result<void> Configure(std::span<const CounterRequest> requests,
                         const CountingOptions&) override {
    Close();
    for (const CounterRequest& request : requests) {
      const int fd = Open(request);
      if (fd < 0) {
        const Error error{ErrcFromErrno(errno), errno, "perf_event_open"};
        Close();
        return error;
      }
      fds_.push_back(fd);
    }
    tid_ = gettid();
    base_.assign(fds_.size(), 0);
    return {};
  }
  std::size_t size() const noexcept override { return fds_.size(); }
  Result<void> Start() override {
    if (const auto done = Reset(); !done) return done.error();
    running_ = true;  // before the first count: a handler may come
    ioctl(fds_[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
    return {};
  }
  Result<void> Stop() override {
    running_ = false;
    ioctl(fds_[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
    return {};
  }
  Result<void> Read(long long* values) noexcept override {
    std::uint64_t buffer[1 + 64] = {};
    if (read(fds_[0], buffer, sizeof buffer) < 0) return Error{Errc::kSystem, errno, "read"};
    for (std::size_t i = 0; i < fds_.size(); ++i) {
      values[i] = static_cast<long long>(buffer[1 + i]) - base_[i];
    }
    return {};
  }
  Result<void> Reset() noexcept override {
    long long now[64] = {};
    const auto done = Read(now);
    for (std::size_t i = 0; i < fds_.size(); ++i) base_[i] += now[i];
    return done.error();
  }
  Result<void> ReadAndReset(long long* values) noexcept override {
    const auto done = Read(values);
    for (std::size_t i = 0; i < fds_.size(); ++i) base_[i] += values[i];
    return done.error();
  }
  Result<void> Write(const long long*) noexcept override {
    return Error{Errc::kUnsupported, 0, "not in this set"};
  }
  bool running() const noexcept override { return running_; }
  int fd(std::size_t i) const noexcept override { return fds_[i]; }
  int leader_fd(std::size_t) const noexcept override { return fds_[0]; }
  void EndThrottle(std::size_t) noexcept override {
    ++throttles_ended;
    if (!running_) return;
    ioctl(fds_[0], PERF_EVENT_IOC_DISABLE, 0);
    ioctl(fds_[0], PERF_EVENT_IOC_ENABLE, 0);
  }
  pid_t counted_tid() const noexcept override { return tid_; }
  void Times(std::size_t, std::uint64_t* enabled, std::uint64_t* run) const noexcept override {
    *enabled = *run = 0;
  }
  void ForgetAfterFork() noexcept override { Close(); }

  std::uint64_t throttles_ended = 0;

 private:
  int Open(const CounterRequest& request) {
    using Delivery = SamplingRequest::Delivery;
    const SamplingRequest& sampling = request.sampling;
    perf_event_attr attr = {};
    attr.size = sizeof attr;
    attr.type = request.event >> 16;
    attr.config = request.event & 0xffff;
    attr.disabled = fds_.empty();
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    attr.remove_on_exec = 1;
    attr.read_format = PERF_FORMAT_GROUP;
    if (sampling.delivery != Delivery::kNone) {
      attr.sample_period = sampling.period;
      attr.sample_type = PERF_SAMPLE_IP;
      attr.sigtrap = sampling.delivery == Delivery::kSigtrap;
      attr.sig_data = attr.sigtrap ? sampling.cookie : 0;
    }
    const int leader = fds_.empty() ? -1 : fds_[0];
    const int fd =
        static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
    if (fd >= 0 && sampling.delivery == Delivery::kSignal) {
      const f_owner_ex owner = {F_OWNER_TID, gettid()};
      fcntl(fd, F_SETOWN_EX, &owner);
      fcntl(fd, F_SETSIG, sampling.signal);
      fcntl(fd, F_SETFL, O_ASYNC);
    }
    return fd;
  }
  void Close() {
    for (const int fd : fds_) close(fd);
    fds_.clear();
    running_ = false;
  }

  std::vector<int> fds_;
  std::vector<long long> base_;
  pid_t tid_ = 0;
  bool running_ = false;
};

}  // namespace csink::testing
