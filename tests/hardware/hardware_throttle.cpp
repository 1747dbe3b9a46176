/// File: makes the kernel throttle a hardware event, by perf_event_open alone.
///
///   hardware_throttle INSTRUCTIONS PERIOD [restart]
///
/// Samples cycles every PERIOD while it executes INSTRUCTIONS, with a second event beside it that
/// counts the same and is never sampled, so never throttled. Prints one line:
///
///   throttle limit=L samples=N throttles=T unthrottles=U counted=C due=D
///
/// limit: kernel.perf_event_max_sample_rate; counted: the sampled event's own value; due: that of
/// the other one. restart: a handler disables and enables the event when a THROTTLE record has
/// come, which ends the throttle. Exits with 77 where there is no hardware event.

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/hardware/known_work.h"

namespace {

constexpr std::uint64_t kRingPages = 256;

/// A ring whose records are counted by type. The handler and the end of the run call Drain, never
/// both at once.
struct Ring {
  perf_event_mmap_page* page = nullptr;
  std::uint64_t read_to = 0;
  std::uint64_t seen[PERF_RECORD_MAX] = {};

  /// Returns whether a THROTTLE record was among the new ones.
  bool Drain() {
    const std::uint64_t size = kRingPages * 4096;
    const char* data = reinterpret_cast<const char*>(page) + page->data_offset;
    const std::uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    bool throttled = false;
    while (read_to < head) {
      perf_event_header header;
      // Records are multiples of 8 bytes, so a header never wraps around the end.
      std::memcpy(&header, data + read_to % size, sizeof header);
      if (header.type < PERF_RECORD_MAX) ++seen[header.type];
      throttled = throttled || header.type == PERF_RECORD_THROTTLE;
      read_to += header.size;
    }
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
    return throttled;
  }
};

Ring g_ring;
int g_sampled = -1;

void OnOverflow(int) {
  const int saved = errno;
  if (g_ring.Drain()) {
    ioctl(g_sampled, PERF_EVENT_IOC_DISABLE, 0);
    ioctl(g_sampled, PERF_EVENT_IOC_ENABLE, 0);
  }
  errno = saved;
}

int OpenCycles(std::uint64_t period) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_HARDWARE;
  attr.config = PERF_COUNT_HW_CPU_CYCLES;
  attr.sample_period = period;
  if (period != 0) attr.sample_type = PERF_SAMPLE_IP;
  attr.wakeup_events = 1;
  attr.disabled = 1;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

void DeliverTo(int fd) {
  struct sigaction action {};
  action.sa_handler = OnOverflow;
  action.sa_flags = SA_RESTART;
  sigaction(SIGIO, &action, nullptr);
  fcntl(fd, F_SETOWN, getpid());
  fcntl(fd, F_SETFL, O_ASYNC);
}

std::uint64_t ValueOf(int fd) {
  std::uint64_t value = 0;
  return read(fd, &value, sizeof value) == static_cast<ssize_t>(sizeof value) ? value : 0;
}

unsigned long long Limit() {
  unsigned long long limit = 0;
  if (FILE* file = std::fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re")) {
    if (std::fscanf(file, "%llu", &limit) != 1) limit = 0;
    std::fclose(file);
  }
  return limit;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) { return i < argc ? std::strtoull(argv[i], nullptr, 10) : 0; };
  if (argc < 3 || number(1) == 0 || number(2) == 0) {
    std::fprintf(stderr, "usage: hardware_throttle INSTRUCTIONS PERIOD [restart]\n");
    return 2;
  }
  // The sampled event comes first: where there is one counter for cycles alone it gets that one,
  // the only one in the arm64 guest that interrupts in time: QEMU reports an overflow of the others
  // at the next exception (docs/hardware-pmu.md).
  g_sampled = OpenCycles(number(2));
  const int counting = OpenCycles(0);
  if (counting < 0 || g_sampled < 0) {
    std::printf("skipped: two events of cycles cannot be opened: %s\n", std::strerror(errno));
    return 77;
  }
  void* ring =
      mmap(nullptr, (1 + kRingPages) * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, g_sampled, 0);
  if (ring == MAP_FAILED) {
    std::perror("hardware_throttle: mmap");
    return 3;
  }
  g_ring.page = static_cast<perf_event_mmap_page*>(ring);
  if (argc > 3 && std::strcmp(argv[3], "restart") == 0) DeliverTo(g_sampled);
  ioctl(counting, PERF_EVENT_IOC_ENABLE, 0);
  ioctl(g_sampled, PERF_EVENT_IOC_ENABLE, 0);
  hardware::Spin(number(1) / 2);
  ioctl(g_sampled, PERF_EVENT_IOC_DISABLE, 0);
  ioctl(counting, PERF_EVENT_IOC_DISABLE, 0);
  g_ring.Drain();
  const auto seen = [](int type) { return static_cast<unsigned long long>(g_ring.seen[type]); };
  std::printf(
      "throttle limit=%llu samples=%llu throttles=%llu unthrottles=%llu counted=%llu due=%llu\n",
      Limit(), seen(PERF_RECORD_SAMPLE), seen(PERF_RECORD_THROTTLE), seen(PERF_RECORD_UNTHROTTLE),
      static_cast<unsigned long long>(ValueOf(g_sampled)),
      static_cast<unsigned long long>(ValueOf(counting)));
  return 0;
}
