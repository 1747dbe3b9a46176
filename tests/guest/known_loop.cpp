/// File: a program whose user-mode instruction counts are known exactly, for the guest
/// whose PMU counts exactly.
///
///   known_loop split TOTAL ROUNDS   TOTAL instructions as 60/30/10 % in Sixty, Thirty and Ten,
///                                   in ROUNDS rounds; prints what each function executed
///   known_loop count N              counts N instructions of a loop with perf events of its own
///   and
///                                   prints what the PMU said (no agent needed)
///   known_loop overflow N PERIOD    samples a loop of N instructions and prints how many overflows
///                                   the kernel recorded
///
/// The functions are one assembler loop of two instructions each; what surrounds it (call,
/// prologue) is under 20 instructions a call.

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace known {

/// Executes exactly 2 * `iterations` instructions; inlined, so that they belong to the caller.
[[gnu::always_inline]] inline void Spin(std::uint64_t iterations) {
#if defined(__aarch64__)
  __asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(iterations) : : "cc");
#else
  __asm__ volatile("1: sub $1, %0\n jnz 1b" : "+r"(iterations) : : "cc");
#endif
}

[[gnu::noinline]] void Sixty(std::uint64_t iterations) { Spin(iterations); }
[[gnu::noinline]] void Thirty(std::uint64_t iterations) { Spin(iterations); }
[[gnu::noinline]] void Ten(std::uint64_t iterations) { Spin(iterations); }

}  // namespace known

namespace {

constexpr std::size_t kRingPages = 64;

int OpenCounter(std::uint64_t config, std::uint64_t period) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_HARDWARE;
  attr.config = config;
  attr.sample_period = period;
  if (period != 0) attr.sample_type = PERF_SAMPLE_IP;
  attr.disabled = 1;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  const long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) {
    std::perror("perf_event_open");
    std::exit(3);
  }
  return static_cast<int>(fd);
}

std::uint64_t CountOnce(std::uint64_t config, std::uint64_t instructions) {
  const int fd = OpenCounter(config, 0);
  ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
  known::Sixty(instructions / 2);
  ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
  std::uint64_t value = 0;
  if (read(fd, &value, sizeof value) != static_cast<ssize_t>(sizeof value)) std::exit(3);
  close(fd);
  return value;
}

int Split(std::uint64_t total, std::uint64_t rounds) {
  const std::uint64_t tenth = total / rounds / 10 / 2;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    known::Sixty(6 * tenth);
    known::Thirty(3 * tenth);
    known::Ten(tenth);
  }
  const unsigned long long ten = 2 * tenth * rounds;
  std::printf("known sixty=%llu thirty=%llu ten=%llu rounds=%llu\n", 6 * ten, 3 * ten, ten,
              static_cast<unsigned long long>(rounds));
  return 0;
}

int Count(std::uint64_t instructions) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto counted = CountOnce(PERF_COUNT_HW_INSTRUCTIONS, instructions);
    const auto cycles = CountOnce(PERF_COUNT_HW_CPU_CYCLES, instructions);
    std::printf("known loop=%llu instructions=%llu cycles=%llu\n",
                static_cast<unsigned long long>(instructions),
                static_cast<unsigned long long>(counted), static_cast<unsigned long long>(cycles));
  }
  return 0;
}

int Overflow(std::uint64_t instructions, std::uint64_t period) {
  for (const auto config : {PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES}) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const int fd = OpenCounter(config, period);
    void* ring = mmap(nullptr, (1 + kRingPages) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ring == MAP_FAILED) return 3;
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    known::Sixty(instructions / 2);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    const auto* head = static_cast<const perf_event_mmap_page*>(ring);
    // A sample of the address alone is 16 bytes; nothing else is recorded here.
    std::printf("known config=%d loop=%llu period=%llu overflows=%llu\n", static_cast<int>(config),
                static_cast<unsigned long long>(instructions),
                static_cast<unsigned long long>(period),
                static_cast<unsigned long long>(head->data_head / 16));
    close(fd);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) { return i < argc ? std::strtoull(argv[i], nullptr, 10) : 0; };
  if (argc == 4 && std::strcmp(argv[1], "split") == 0 && number(3) > 0)
    return Split(number(2), number(3));
  if (argc == 3 && std::strcmp(argv[1], "count") == 0) return Count(number(2));
  if (argc == 4 && std::strcmp(argv[1], "overflow") == 0) return Overflow(number(2), number(3));
  std::fprintf(stderr, "usage: known_loop split TOTAL ROUNDS | count N | overflow N PERIOD\n");
  return 2;
}
