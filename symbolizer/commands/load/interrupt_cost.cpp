#include "symbolizer/commands/load/interrupt_cost.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>

#include "core/util/cache_files.h"
#include "core/util/raw_syscall.h"
#include "core/util/unique_fd.h"
#include "symbolizer/commands/load/perf_allowed.h"

namespace csink::tool {
namespace {

constexpr std::string_view kMagic = "csink-interrupt-cost 1";
/// Each round does the work twice, with and without the event. The shortest time of each counts:
/// whatever else happens makes a round longer.
constexpr unsigned kRounds = 8;
constexpr std::uint64_t kWorkNs = 1'000'000;
/// 20 interrupts in a round
constexpr std::uint64_t kClockPeriodNs = 50'000;
constexpr std::uint64_t kCounterPeriod = 150'000;
constexpr std::size_t kPageBytes = 4096;
/// Ring of a measurement, without its first page: 20 copies of a stack and some more
constexpr std::size_t kRingBytes = 64 * kPageBytes;
/// As core/perf/stack_sample.h copies at first
constexpr std::uint32_t kFpStackBytes = 256;
constexpr std::uint32_t kUnwindStackBytes = 8192;
/// A profile of fewer samples needs no estimate.
constexpr std::uint64_t kLeastSamples = 100;
/// A larger number is damage of the file.
constexpr std::uint64_t kMostCostNs = 10'000'000;
/// Two readings of the difference of the clocks may differ by so much, because CLOCK_REALTIME is
/// corrected.
constexpr std::int64_t kSameStartNs = 60'000'000'000;

bool IsCounter(InterruptKind kind) { return kind >= InterruptKind::kCounter; }

std::uint32_t StackBytesOf(InterruptKind kind) {
  switch (kind) {
    case InterruptKind::kClock:
    case InterruptKind::kCounter:
      return 0;
    case InterruptKind::kClockFp:
    case InterruptKind::kCounterFp:
      return kFpStackBytes;
    case InterruptKind::kClockUnwind:
    case InterruptKind::kCounterUnwind:
      return kUnwindStackBytes;
  }
  return 0;
}

perf_event_attr AttributesOf(InterruptKind kind) {
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof attr);
  attr.size = PERF_ATTR_SIZE_VER5;
  attr.type = IsCounter(kind) ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
  attr.config = IsCounter(kind) ? static_cast<std::uint64_t>(PERF_COUNT_HW_CPU_CYCLES)
                                : static_cast<std::uint64_t>(PERF_COUNT_SW_TASK_CLOCK);
  attr.sample_period = IsCounter(kind) ? kCounterPeriod : kClockPeriodNs;
  attr.sample_type = PERF_SAMPLE_IP;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.disabled = 1;
  attr.watermark = 1;
  attr.wakeup_watermark = kRingBytes;  // Nobody waits for the ring
  if (const std::uint32_t bytes = StackBytesOf(kind)) {
    attr.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr.exclude_callchain_kernel = 1;
    attr.sample_regs_user = 0x1ff;  // The first nine: x86-64 and aarch64 have them all
    attr.sample_stack_user = bytes;
  }
  return attr;
}

/// An event of the calling thread with a ring.
class SampledEvent {
 public:
  explicit SampledEvent(InterruptKind kind) {
    if (!PerfMayBeOpened()) return;
    const perf_event_attr attr = AttributesOf(kind);
    const long fd =
        RawSyscall(SYS_perf_event_open, SyscallArg(&attr), 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) return;
    fd_ = UniqueFd(static_cast<int>(fd));
    void* ring =
        mmap(nullptr, kPageBytes + kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
    if (ring != MAP_FAILED) ring_ = static_cast<unsigned char*>(ring);
  }
  ~SampledEvent() {
    if (ring_) munmap(ring_, kPageBytes + kRingBytes);
  }
  SampledEvent(const SampledEvent&) = delete;
  SampledEvent& operator=(const SampledEvent&) = delete;

  bool usable() const { return ring_ != nullptr; }
  void Switch(bool on) const {
    ioctl(fd_.get(), on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
  }
  /// Takes all records out of the ring, and returns the number of samples among them. Lost ones
  /// had an interrupt as well.
  std::uint64_t Drain() const {
    auto* page = reinterpret_cast<perf_event_mmap_page*>(ring_);
    const std::uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    std::uint64_t samples = 0;
    std::uint64_t at = page->data_tail;
    while (at < head) {
      perf_event_header record;
      // Records are multiples of 8 bytes, so a header does not wrap around.
      std::memcpy(&record, ring_ + kPageBytes + at % kRingBytes, sizeof record);
      if (record.size < sizeof record) break;
      samples += record.type == PERF_RECORD_SAMPLE;
      if (record.type == PERF_RECORD_LOST) {
        std::uint64_t lost = 0;  // Behind the header and an id
        std::memcpy(&lost, ring_ + kPageBytes + (at + 16) % kRingBytes, sizeof lost);
        samples += lost;
      }
      at += record.size;
    }
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
    return samples;
  }

 private:
  UniqueFd fd_;
  unsigned char* ring_ = nullptr;
};

std::uint64_t ClockNs(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// CPU time of `steps` dependent multiplications.
std::uint64_t Work(std::uint64_t steps) {
  const std::uint64_t from = ClockNs(CLOCK_THREAD_CPUTIME_ID);
  std::uint64_t value = steps;
  for (std::uint64_t i = 0; i < steps; ++i) {
    value = value * 6'364'136'223'846'793'005u + 1;
    asm volatile("" : "+r"(value));  // Each step is done
  }
  return ClockNs(CLOCK_THREAD_CPUTIME_ID) - from;
}

const char* WordFor(InterruptKind kind) {
  switch (kind) {
    case InterruptKind::kClock:
      return "clock";
    case InterruptKind::kClockFp:
      return "clock-fp";
    case InterruptKind::kClockUnwind:
      return "clock-unwind";
    case InterruptKind::kCounter:
      return "counter";
    case InterruptKind::kCounterFp:
      return "counter-fp";
    case InterruptKind::kCounterUnwind:
      return "counter-unwind";
  }
  return "";
}

std::string HostName() {
  utsname about = {};
  return uname(&about) == 0 ? about.nodename : "";
}

/// Name of the file. A home folder on a file server is shared by many machines.
std::string FileName(InterruptKind kind) {
  std::string host = HostName();
  std::replace(host.begin(), host.end(), '/', '_');
  return std::string(kInterruptCostFile) + host + '.' + WordFor(kind);
}

/// What stands before the number in the file. "": the machine's start has no id.
std::string LineBegin() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  if (!(file >> boot)) return {};
  return std::string(kMagic) + ' ' + boot + ' ';
}

/// The interrupts of the process's first event that was sampled.
struct Interrupts {
  InterruptKind kind = InterruptKind::kClock;
  std::uint64_t samples = 0;
};

Interrupts InterruptsOf(const Profile& profile, const ProcessRow& row) {
  Interrupts found;
  if (row.source != spool::Source::kRing) return found;
  for (std::size_t i = 0; i < profile.events.size() && i < row.counts.size(); ++i) {
    if (row.counts[i].samples == 0) continue;
    const bool clock = profile.events[i].kind == EventClass::kClock;
    if (found.samples == 0) {
      const auto stacks = [&row](const char* how) {
        return row.configuration.find(std::string("CSINK_STACKS='") + how + "'") !=
               std::string::npos;
      };
      if (stacks("fp")) {
        found.kind = clock ? InterruptKind::kClockFp : InterruptKind::kCounterFp;
      } else if (stacks("unwind")) {
        found.kind = clock ? InterruptKind::kClockUnwind : InterruptKind::kCounterUnwind;
      } else {
        found.kind = clock ? InterruptKind::kClock : InterruptKind::kCounter;
      }
    }
    found.samples += row.counts[i].samples;
  }
  return found;
}

/// Whether the process ran on this machine since its start.
bool RanHere(const ProcessRow& row, const std::string& host, std::int64_t start_ns) {
  const auto started = static_cast<std::int64_t>(row.start_realtime_ns - row.start_monotonic_ns);
  return row.host == host && started - start_ns < kSameStartNs && start_ns - started < kSameStartNs;
}

}  // namespace

std::optional<std::uint64_t> MeasureInterruptCost(InterruptKind kind) {
  const SampledEvent event(kind);
  if (!event.usable()) return std::nullopt;
  std::uint64_t steps = 100'000;
  // The first time may be too long, and the work then too little: 20 ms are not exceeded.
  steps = steps * kWorkNs / std::max<std::uint64_t>(Work(steps), 1);
  std::uint64_t plain_ns = ~std::uint64_t{0};
  std::uint64_t sampled_ns = ~std::uint64_t{0};
  std::uint64_t samples = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    plain_ns = std::min(plain_ns, Work(steps));
    event.Switch(true);
    const std::uint64_t ns = Work(steps);
    event.Switch(false);
    const std::uint64_t taken = event.Drain();
    if (taken == 0 || ns >= sampled_ns) continue;
    sampled_ns = ns;
    samples = taken;
  }
  if (samples == 0 || sampled_ns <= plain_ns) return std::nullopt;
  return (sampled_ns - plain_ns) / samples;
}

std::optional<std::uint64_t> FindInterruptCost(InterruptKind kind,
                                               const symbolizer::cache::Settings& cache) {
  const std::string begin = LineBegin();
  if (cache.folder.empty() || begin.empty()) return std::nullopt;
  const auto folder = symbolizer::cache::Folder::Make(cache.folder);
  if (!folder) return std::nullopt;
  const std::string name = FileName(kind);
  const symbolizer::Buffer kept = folder->Read(name, 4096);
  const std::string_view text(reinterpret_cast<const char*>(kept.bytes().data()), kept.size());
  if (text.starts_with(begin)) {
    const std::string_view number = text.substr(begin.size());
    std::uint64_t ns = 0;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), ns);
    if (parsed.ec == std::errc() && number.substr(parsed.ptr - number.data()) == "\n" &&
        ns <= kMostCostNs) {
      // 0: it could not be measured, which is not tried again.
      return ns == 0 ? std::nullopt : std::optional(ns);
    }
  }
  const auto cost = MeasureInterruptCost(kind);
  // Without a file each report would measure.
  if (!folder->Write(name, begin + std::to_string(cost.value_or(0)) + '\n')) return std::nullopt;
  return cost;
}

void AddInterruptCosts(Profile& profile) {
  const std::string host = HostName();
  const auto start_ns =
      static_cast<std::int64_t>(ClockNs(CLOCK_REALTIME) - ClockNs(CLOCK_MONOTONIC));
  std::uint64_t samples = 0;
  std::array<bool, 6> needed{};
  std::vector<std::pair<ProcessRow*, InterruptKind>> rows;
  for (ProcessRow& row : profile.processes) {
    if (row.evidence.interrupt_ns != 0 || !RanHere(row, host, start_ns)) continue;
    const Interrupts interrupts = InterruptsOf(profile, row);
    if (interrupts.samples == 0) continue;
    samples += interrupts.samples;
    needed[static_cast<std::size_t>(interrupts.kind)] = true;
    rows.emplace_back(&row, interrupts.kind);
  }
  if (samples < kLeastSamples) return;
  const symbolizer::cache::Settings cache = symbolizer::cache::SettingsFromEnvironment();
  std::array<std::uint64_t, 6> costs{};
  for (std::size_t kind = 0; kind < costs.size(); ++kind) {
    if (!needed[kind]) continue;
    costs[kind] = FindInterruptCost(static_cast<InterruptKind>(kind), cache).value_or(0);
  }
  for (const auto& [row, kind] : rows) {
    row->evidence.interrupt_ns = costs[static_cast<std::size_t>(kind)];
  }
}

}  // namespace csink::tool
