#pragma once

#include <cstdint>
#include <map>

#include "tests/fakes/fake_kernel.h"

namespace csink::testing {

/// A FakeKernel whose calls take time on a clock of its own: what enabling and disabling an event
/// costs is said for each type, every call has the price of a system call.
/// Threads: one; one at a time has the clock.
class PricedKernel final : public Kernel {
 public:
  PricedKernel() { now_ns_ = 1'000'000'000; }

  static std::uint64_t Now() noexcept { return now_ns_; }
  static constexpr std::uint64_t kSystemCallNs = 200;

  /// Enabling and disabling an event of `type` together.
  void SetPairNs(unsigned type, std::uint64_t ns) { pair_ns_[type] = ns; }
  /// The next `calls` controls take so much longer: somebody else has the CPU.
  void Disturb(int calls, std::uint64_t ns) {
    disturbed_ = calls;
    disturbance_ns_ = ns;
  }
  /// Events of `type` open, but never come to a counter.
  void HoldCounters(unsigned type) { held_ = static_cast<long>(type); }
  FakeKernel& fake() { return fake_; }

  using Kernel::PerfEventOpen;
  long PerfEventOpen(perf_event_attr* attr, pid_t tid, int cpu, int group_fd) noexcept override {
    now_ns_ += 20 * kSystemCallNs;
    return fake_.PerfEventOpen(attr, tid, cpu, group_fd);
  }
  long EventControl(int fd, unsigned long request, unsigned long argument) noexcept override {
    now_ns_ += kSystemCallNs + pair_ns_[fake_.event(fd).attr.type] / 2;
    if (disturbed_ > 0) {
      --disturbed_;
      now_ns_ += disturbance_ns_;
    }
    FakeKernel::Event& event = fake_.event(fd);
    if (request == PERF_EVENT_IOC_DISABLE && event.attr.type != held_) event.running_ns += 100;
    return fake_.EventControl(fd, request, argument);
  }
  long CheckEvent(int fd) noexcept override {
    now_ns_ += kSystemCallNs;
    return fake_.CheckEvent(fd);
  }
  long EventRead(int fd, void* buffer, std::size_t bytes) noexcept override {
    return fake_.EventRead(fd, buffer, bytes);
  }
  long SignalOverflows(int fd, int signal, pid_t tid) noexcept override {
    return fake_.SignalOverflows(fd, signal, tid);
  }
  long MapRing(int fd, std::size_t bytes) noexcept override { return fake_.MapRing(fd, bytes); }
  long Unmap(void* at, std::size_t bytes) noexcept override { return fake_.Unmap(at, bytes); }
  long Close(int fd) noexcept override { return fake_.Close(fd); }
  long TimerCreate(pid_t tid, int signal, void* value) noexcept override {
    return fake_.TimerCreate(tid, signal, value);
  }
  long TimerStart(int timer, std::uint64_t first, std::uint64_t interval) noexcept override {
    return fake_.TimerStart(timer, first, interval);
  }
  long TimerDelete(int timer) noexcept override { return fake_.TimerDelete(timer); }
  long ProcessCpuNs(pid_t pid) noexcept override { return fake_.ProcessCpuNs(pid); }
  long ThreadCpuNs(pid_t tid) noexcept override { return fake_.ThreadCpuNs(tid); }
  long ScheduleTimes(pid_t tid, ThreadTimes* times) noexcept override {
    return fake_.ScheduleTimes(tid, times);
  }
  long OwnSwitches(std::uint64_t* waits, std::uint64_t* preempted) noexcept override {
    return fake_.OwnSwitches(waits, preempted);
  }
  long MaxSampleRateHz() noexcept override { return fake_.MaxSampleRateHz(); }

 private:
  inline static std::uint64_t now_ns_ = 0;  // read through a plain pointer to a function
  FakeKernel fake_;
  std::map<unsigned, std::uint64_t> pair_ns_;
  long held_ = -1;
  int disturbed_ = 0;
  std::uint64_t disturbance_ns_ = 0;
};

}  // namespace csink::testing
