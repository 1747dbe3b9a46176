#pragma once

#include <errno.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "core/perf/kernel.h"
#include "core/perf/ring_buffer.h"
#include "tests/fakes/fake_ring.h"

namespace csink::testing {

/// A kernel that refuses on command. Answers come from a script first, then from
/// rules, then from good will; everything asked of it is kept for the test to see.
/// A descriptor or mapping that is given back twice, or was never there, fails the test.
/// Threads: one.
class FakeKernel final : public Kernel {
 public:
  struct Open {
    perf_event_attr attr;
    pid_t tid;
    long answer;
    int cpu = -1;
    int group_fd = -1;
  };
  /// A counter that is open: what a test lets it count, and the group it belongs to.
  struct Event {
    perf_event_attr attr;
    int leader;
    std::uint64_t value = 0;
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
    bool on = false;
    bool was_on = false;
    bool never_scheduled = false;  ///< Pinned: an error when enabled; else it does not run
    bool throttled = false;        ///< Stands still until it is enabled again; see Throttle
    bool dead = false;             ///< Has a counter that does not count
    int signal = 0;
  };
  struct Control {
    int fd;
    unsigned long request;
    unsigned long argument;
  };
  struct Mapped {
    int fd;
    std::size_t size_bytes;
    FakeRing ring;
  };
  struct Timer {
    pid_t tid;
    int signal;
    void* value;
    std::uint64_t first_ns = 0;
    std::uint64_t interval_ns = 0;
    bool deleted = false;
  };

  ~FakeKernel() {
    for (const auto& [base, mapped] : rings_) munmap(base, mapped.size_bytes);
  }

  // The script.

  /// The next `times` opens answer -error.
  void RefuseOpens(int error, int times = 1) {
    for (int i = 0; i < times; ++i) open_script_.push_back(-error);
  }
  /// The next open succeeds, in the midst of refusals.
  void AllowOpen() { open_script_.push_back(0); }
  /// Asked for each open that the script does not answer: 0, or -errno.
  void SetOpenRule(std::function<long(const perf_event_attr&)> rule) { rule_ = std::move(rule); }
  /// mmap answers EPERM where more than `bytes` are asked for, as with a spent mlock budget.
  void SetMlockLimit(std::size_t bytes) { mlock_limit_bytes_ = bytes; }
  void RefuseMaps(int error, int times = 1) {
    for (int i = 0; i < times; ++i) map_script_.push_back(-error);
  }
  void AllowMap() { map_script_.push_back(0); }
  /// What is left of the script for opens is forgotten.
  void DropScript() { open_script_.clear(); }
  /// Events of PMU `type` exist on these processors alone, as those of a hybrid's kinds of cores.
  void SetCpusOf(std::uint32_t type, std::set<int> cpus) { cpus_of_[type] = std::move(cpus); }
  /// What the page of every ring that is mapped from now on says of its event's times.
  void SetTimesOfMaps(std::uint64_t enabled_ns, std::uint64_t running_ns) {
    map_times_ = {enabled_ns, running_ns};
  }
  void AllowControl() { control_script_.push_back(0); }
  /// The next controls or reads answer -error.
  void RefuseControls(int error, int times = 1) {
    for (int i = 0; i < times; ++i) control_script_.push_back(-error);
  }
  void RefuseReads(int error, int times = 1) {
    for (int i = 0; i < times; ++i) read_script_.push_back(-error);
  }
  /// Groups with more than this many hardware events open, but are never scheduled.
  void SetHardwareCounters(std::size_t counters) { hardware_counters_ = counters; }
  /// Of the hardware events of a group those from number `first` on (0: the first) get counters
  /// that do not count.
  void SetDeadCounters(std::size_t first) { first_dead_ = first; }
  /// Whoever is switched off has counted so much before.
  void CountBeforeOff(std::uint64_t count, std::uint64_t ns) {
    before_off_ = count;
    before_off_ns_ = ns;
  }
  /// Stops the group of `fd` as Linux 6.16 does: its time goes on, its counts do not, until its
  /// leader is disabled and enabled.
  void Throttle(int fd) {
    const int leader = events_.at(fd).leader;
    for (auto& [member_fd, member] : events_) {
      if (member.leader == leader) member.throttled = true;
    }
  }
  /// Every event that is on, and whose group is, counts `count` in `ns`.
  void Count(std::uint64_t count, std::uint64_t ns) {
    for (auto& [fd, event] : events_) {
      if (!event.on || !events_.at(event.leader).on) continue;
      if (!Scheduled(event.leader) && events_.at(event.leader).attr.pinned) continue;
      event.enabled_ns += ns;
      if (Scheduled(event.leader)) {
        event.value += event.throttled || event.dead ? 0 : count;
        event.running_ns += ns;
      }
    }
  }
  Event& event(int fd) { return events_.at(fd); }
  const std::map<int, Event>& events() const { return events_; }
  const std::vector<Control>& controls() const { return controls_; }
  std::size_t reads() const { return reads_; }
  void RefuseTimers(int error) { timer_error_ = error; }
  /// CPU time of a thread; a thread never named is gone (-EINVAL).
  void SetThreadCpu(pid_t tid, long ns) { cpu_ns_[tid] = ns; }
  /// CPU time of a process; one never named is gone (-EINVAL).
  void SetProcessCpu(pid_t pid, long ns) { process_cpu_ns_[pid] = ns; }
  void EndThread(pid_t tid) { cpu_ns_.erase(tid); }
  /// The line of a thread in schedstat; a thread never named has none (-ENOENT).
  void SetSchedule(pid_t tid, const ThreadTimes& times) { schedule_[tid] = times; }
  /// All lines answer -error from now on; 0: no longer.
  void RefuseSchedule(int error) { schedule_error_ = error; }
  /// Of every thread that asks; at first a thread has waited once.
  void SetOwnSwitches(std::uint64_t waits, std::uint64_t preempted) {
    waits_ = waits;
    preempted_ = preempted;
  }
  /// kernel.perf_event_max_sample_rate; opens in frequency mode above it answer EINVAL. -errno: the
  /// file cannot be read, and nothing is checked.
  void SetMaxSampleRate(long hz) { max_sample_rate_ = hz; }

  // What was asked.

  const std::vector<Open>& opens() const { return opens_; }
  const std::vector<std::size_t>& map_sizes() const { return map_sizes_; }
  const std::vector<Timer>& timers() const { return timers_; }
  std::size_t open_descriptors() const { return descriptors_.size(); }
  std::size_t mapped_rings() const { return rings_.size(); }
  std::size_t rings_ever() const { return ring_order_.size(); }
  std::size_t clock_reads() const { return clock_reads_; }
  std::size_t schedule_reads() const { return schedule_reads_; }
  /// The `index`-th ring that was mapped, counted over all; it must still be mapped.
  FakeRing& ring(std::size_t index) { return rings_.at(ring_order_.at(index)).ring; }

  // Kernel

  using Kernel::PerfEventOpen;
  long PerfEventOpen(perf_event_attr* attr, pid_t tid, int cpu, int group_fd) noexcept override {
    long answer = 0;
    if (!open_script_.empty()) {
      answer = open_script_.front();
      open_script_.pop_front();
    } else if (rule_) {
      answer = rule_(*attr);
    } else if (attr->freq && max_sample_rate_ >= 0 &&
               attr->sample_freq > static_cast<std::uint64_t>(max_sample_rate_)) {
      answer = -EINVAL;
    }
    const auto cpus = cpus_of_.find(attr->type);
    if (answer >= 0 && cpu >= 0 && cpus != cpus_of_.end() && !cpus->second.count(cpu)) {
      answer = -ENOENT;
    }
    if (answer >= 0) {
      answer = next_fd_++;
      const int fd = static_cast<int>(answer);
      descriptors_.insert(fd);
      events_[fd] = {*attr, group_fd < 0 ? fd : group_fd};
      events_[fd].on = !attr->disabled;
      events_[fd].dead =
          attr->type != PERF_TYPE_SOFTWARE && HardwareEvents(events_[fd].leader) > first_dead_;
    }
    opens_.push_back({*attr, tid, answer, cpu, group_fd});
    return answer;
  }
  long EventControl(int fd, unsigned long request, unsigned long argument) noexcept override {
    controls_.push_back({fd, request, argument});
    if (const long refusal = Refusal(control_script_); refusal < 0) return refusal;
    const auto found = events_.find(fd);
    if (found == events_.end()) return -EBADF;
    // The identifier of an event is its descriptor here.
    if (request == PERF_EVENT_IOC_ID) {
      *reinterpret_cast<std::uint64_t*>(argument) = static_cast<std::uint64_t>(fd);
    }
    if (request == PERF_EVENT_IOC_ENABLE) found->second.on = found->second.was_on = true;
    if (request == PERF_EVENT_IOC_DISABLE) {
      if (found->second.on && found->second.leader == fd) Count(before_off_, before_off_ns_);
      found->second.on = false;
      for (auto& [member_fd, member] : events_) {
        if (member.leader == fd) member.throttled = false;
      }
    }
    return 0;
  }
  long EventRead(int fd, void* buffer, std::size_t size_bytes) noexcept override {
    ++reads_;
    if (const long refusal = Refusal(read_script_); refusal < 0) return refusal;
    const auto found = events_.find(fd);
    if (found == events_.end()) return -EBADF;
    const Event& leader = events_.at(found->second.leader);
    // As Linux does: only the leader itself tells.
    if (leader.attr.pinned && fd == found->second.leader && leader.was_on && !Scheduled(fd)) {
      return 0;
    }
    std::vector<std::uint64_t> words;
    const bool group = (found->second.attr.read_format & PERF_FORMAT_GROUP) != 0;
    for (const auto& [member_fd, member] : events_) {
      if (group ? member.leader == found->second.leader : member_fd == fd) {
        words.push_back(member.value);
      }
    }
    const std::uint64_t count = words.size();
    words.insert(group ? words.begin() : words.end(), {leader.enabled_ns, leader.running_ns});
    if (group) words.insert(words.begin(), count);
    const std::size_t bytes = words.size() * sizeof words[0];
    if (bytes > size_bytes) return -ENOSPC;
    std::memcpy(buffer, words.data(), bytes);
    return static_cast<long>(bytes);
  }
  long SignalOverflows(int fd, int signal, pid_t) noexcept override {
    events_.at(fd).signal = signal;
    return 0;
  }
  long MapRing(int fd, std::size_t size_bytes) noexcept override {
    EXPECT_EQ(descriptors_.count(fd), 1u) << "mmap of a descriptor that is not open";
    map_sizes_.push_back(size_bytes);
    if (!map_script_.empty()) {
      const long answer = map_script_.front();
      map_script_.pop_front();
      if (answer < 0) return answer;
    }
    if (size_bytes > mlock_limit_bytes_) return -EPERM;
    void* base =
        mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return -ENOMEM;
    rings_.insert({base, {fd, size_bytes, FakeRing(base, PageBytes(), size_bytes - PageBytes())}});
    rings_.at(base).ring.SetTimes(map_times_.first, map_times_.second);
    ring_order_.push_back(base);
    return reinterpret_cast<long>(base);
  }
  long Unmap(void* address, std::size_t size_bytes) noexcept override {
    const auto found = rings_.find(address);
    if (found == rings_.end()) {
      ADD_FAILURE() << "munmap of what was not mapped";
      return -EINVAL;
    }
    EXPECT_EQ(found->second.size_bytes, size_bytes);
    rings_.erase(found);
    return munmap(address, size_bytes);
  }
  long Close(int fd) noexcept override {
    EXPECT_EQ(descriptors_.erase(fd), 1u) << "close of descriptor " << fd << ", which is not open";
    events_.erase(fd);
    // What a leader leaves behind stands alone.
    for (auto& [member_fd, member] : events_) {
      if (member.leader == fd) member.leader = member_fd;
    }
    return 0;
  }
  long CheckEvent(int fd) noexcept override { return descriptors_.count(fd) ? 0 : -EBADF; }
  long TimerCreate(pid_t tid, int signal, void* value) noexcept override {
    if (timer_error_ != 0) return -timer_error_;
    timers_.push_back({tid, signal, value});
    return static_cast<long>(timers_.size() - 1);
  }
  long TimerStart(int timer, std::uint64_t first_ns, std::uint64_t interval_ns) noexcept override {
    Timer& t = timers_.at(static_cast<std::size_t>(timer));
    t.first_ns = first_ns;
    t.interval_ns = interval_ns;
    return 0;
  }
  long TimerDelete(int timer) noexcept override {
    Timer& t = timers_.at(static_cast<std::size_t>(timer));
    EXPECT_FALSE(t.deleted) << "timer " << timer << " is deleted twice";
    t.deleted = true;
    return 0;
  }
  long ThreadCpuNs(pid_t tid) noexcept override {
    ++clock_reads_;
    const auto found = cpu_ns_.find(tid);
    return found == cpu_ns_.end() ? -EINVAL : found->second;
  }
  long ProcessCpuNs(pid_t pid) noexcept override {
    const auto found = process_cpu_ns_.find(pid);
    return found == process_cpu_ns_.end() ? -EINVAL : found->second;
  }
  long ScheduleTimes(pid_t tid, ThreadTimes* times) noexcept override {
    ++schedule_reads_;
    if (schedule_error_ != 0) return -schedule_error_;
    const auto found = schedule_.find(tid);
    if (found == schedule_.end()) return -ENOENT;
    *times = found->second;
    return 0;
  }
  long OwnSwitches(std::uint64_t* waits, std::uint64_t* preempted) noexcept override {
    *waits = waits_;
    *preempted = preempted_;
    return 0;
  }
  long MaxSampleRateHz() noexcept override { return max_sample_rate_; }

 private:
  static long Refusal(std::deque<long>& script) {
    if (script.empty()) return 0;
    const long answer = script.front();
    script.pop_front();
    return answer;
  }
  std::size_t HardwareEvents(int leader) const {
    std::size_t hardware = 0;
    for (const auto& [fd, event] : events_) {
      if (event.leader == leader && event.attr.type != PERF_TYPE_SOFTWARE) ++hardware;
    }
    return hardware;
  }
  bool Scheduled(int leader) const {
    return HardwareEvents(leader) <= hardware_counters_ && !events_.at(leader).never_scheduled;
  }

  std::deque<long> open_script_;
  std::deque<long> control_script_;
  std::deque<long> read_script_;
  std::size_t hardware_counters_ = SIZE_MAX;
  std::size_t first_dead_ = SIZE_MAX;
  std::uint64_t before_off_ = 0;
  std::uint64_t before_off_ns_ = 0;
  std::size_t reads_ = 0;
  std::map<int, Event> events_;
  std::vector<Control> controls_;
  std::deque<long> map_script_;
  std::pair<std::uint64_t, std::uint64_t> map_times_{0, 0};  // Enabled, running
  std::map<std::uint32_t, std::set<int>> cpus_of_;
  std::function<long(const perf_event_attr&)> rule_;
  std::size_t mlock_limit_bytes_ = SIZE_MAX;
  int timer_error_ = 0;
  int next_fd_ = 1000;
  std::size_t clock_reads_ = 0;
  std::size_t schedule_reads_ = 0;
  int schedule_error_ = 0;
  std::uint64_t waits_ = 1;
  std::uint64_t preempted_ = 0;
  std::map<pid_t, ThreadTimes> schedule_;
  long max_sample_rate_ = 100'000;
  std::vector<Open> opens_;
  std::vector<std::size_t> map_sizes_;
  std::vector<Timer> timers_;
  std::set<int> descriptors_;
  std::map<void*, Mapped> rings_;
  std::vector<void*> ring_order_;
  std::map<pid_t, long> cpu_ns_;
  std::map<pid_t, long> process_cpu_ns_;
};

}  // namespace csink::testing
