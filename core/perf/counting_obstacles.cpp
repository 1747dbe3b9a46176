#include "core/perf/counting_obstacles.h"

#include <errno.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <string_view>

#include "core/perf/perf_probe.h"
#include "core/util/errno_words.h"
#include "core/util/parse.h"
#include "core/util/small_file.h"

// ObstacleOf decides which cause a refusal has, from the errno and the facts of the machine;
// SentenceOf has the words. ExplainRefusal depends on its arguments alone, so that the tests can
// try every combination.

namespace csink {
namespace {

#if !defined(__x86_64__)
bool Contains(const char* path, std::string_view part) noexcept {
  return SmallFile<>(path).view().find(part) != std::string_view::npos;
}
#endif

// The file has one decimal number with an optional '-'. Anything else counts as no file.
int ReadParanoid() noexcept {
  const SmallFile<64> file("/proc/sys/kernel/perf_event_paranoid");
  std::string_view text = file.view();
  std::string_view digits = NextToken(text, '\n');
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  const Result<std::uint64_t> value = ParseUnsigned(digits);
  // The kernel knows -1 to 2, and patches of distributions 3 and 4; a much larger value is no
  // level.
  if (!value || *value > 100) return MachineFacts::kNoParanoid;
  return negative ? -static_cast<int>(*value) : static_cast<int>(*value);
}

CountingObstacle ObstacleOf(int error, bool is_hardware, const MachineFacts& facts) noexcept {
  switch (error) {
    case 0:
      return CountingObstacle::kNone;
    case EACCES:  // what the kernel itself answers; seccomp filters mostly answer EPERM
      if (facts.paranoid > 2 && !facts.privileged) return CountingObstacle::kParanoid;
      [[fallthrough]];
    case EPERM:
      if (facts.seccomp_filter) return CountingObstacle::kSeccomp;
      if (facts.paranoid > 2 && !facts.privileged) return CountingObstacle::kParanoid;
      return CountingObstacle::kSecurityModule;
    case ENOSYS:
      // With the file perf_event_paranoid the kernel has perf events, so a filter must answer
      // ENOSYS.
      return facts.seccomp_filter && facts.paranoid != MachineFacts::kNoParanoid
                 ? CountingObstacle::kSeccomp
                 : CountingObstacle::kNoPerfEvents;
    case EBUSY:
      return CountingObstacle::kBusy;
    case EMFILE:
    case ENFILE:
      return CountingObstacle::kNoDescriptors;
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case EINVAL:
    case EOPNOTSUPP:
      // The errnos with which a kernel without a driver for the PMU answers. A software event
      // cannot lack a PMU, so there they have another cause.
      if (!is_hardware) return CountingObstacle::kOther;
      return facts.is_virtual ? CountingObstacle::kNoPmuInMachine : CountingObstacle::kNoPmu;
    default:
      return CountingObstacle::kOther;
  }
}

struct Sentence {
  const char* why;
  const char* advice;
};

// The sentences for each obstacle. For kParanoid the caller adds a number, for kOther the errno.
Sentence SentenceOf(CountingObstacle obstacle) noexcept {
  switch (obstacle) {
    case CountingObstacle::kNone:
      return {"", ""};
    case CountingObstacle::kNoPmu:
      return {"this machine has no PMU that its kernel supports",
              "see the kernel's log: dmesg | grep -i pmu; software events work without a PMU"};
    case CountingObstacle::kNoPmuInMachine:
      return {"this virtual machine has no PMU",
              "give the virtual machine a PMU (KVM: -cpu host,pmu=on); software events work "
              "without a PMU"};
    case CountingObstacle::kParanoid:
      return {"the kernel refuses perf events to programs without CAP_PERFMON",
              "sudo sysctl kernel.perf_event_paranoid=2"};
    case CountingObstacle::kSeccomp:
      return {"a seccomp filter refuses perf_event_open (container)",
              "container: docker run --cap-add PERFMON\nor use a seccomp profile that allows "
              "perf_event_open"};
    case CountingObstacle::kSecurityModule:
      return {"a security policy of this machine refuses perf_event_open",
              "look for the denial: dmesg | grep -i -e denied -e lockdown"};
    case CountingObstacle::kNoPerfEvents:
      return {"this kernel has no perf events, or a sandbox does not provide perf_event_open",
              "boot a kernel built with CONFIG_PERF_EVENTS"};
    case CountingObstacle::kBusy:
      return {kCountersBusy,
              "end other profilers; sudo sysctl kernel.nmi_watchdog=0 frees one counter"};
    case CountingObstacle::kNoDescriptors:
      return {"the limit of open files is reached",
              "ulimit -n shows the limit of the process, fs.file-max is the limit of the system"};
    case CountingObstacle::kOther:
      break;
  }
  return {"perf_event_open fails: ", ""};
}

}  // namespace

#if defined(__x86_64__)
bool IsVirtualMachine() noexcept {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx >> 31);
}
#else
bool IsVirtualMachine() noexcept {
  return Contains("/proc/device-tree/model", "dummy-virt") ||
         !SmallFile<>("/proc/device-tree/hypervisor/compatible").view().empty() ||
         Contains("/sys/class/dmi/id/sys_vendor", "QEMU") ||
         Contains("/sys/class/dmi/id/product_name", "KVM") ||
         Contains("/sys/class/dmi/id/product_name", "Virtual") ||
         Contains("/sys/class/dmi/id/product_name", "Google Compute Engine") ||
         (Contains("/sys/class/dmi/id/sys_vendor", "Amazon EC2") &&
          !Contains("/sys/class/dmi/id/product_name", ".metal"));
}
#endif

MachineFacts ReadMachineFacts() noexcept {
  MachineFacts facts;
  facts.is_virtual = IsVirtualMachine();
  facts.paranoid = ReadParanoid();
  const SmallFile<> status("/proc/thread-self/status");
  constexpr std::uint64_t kSysAdmin = std::uint64_t{1} << 21, kPerfmon = std::uint64_t{1} << 38;
  const Result<std::uint64_t> caps = ParseHex(FieldOf(status.view(), "CapEff"));
  // Either capability is enough: CAP_SYS_ADMIN is the older one, CAP_PERFMON exists since Linux 5.8
  // (capabilities(7)).
  facts.privileged = caps && (*caps & (kSysAdmin | kPerfmon));
  facts.seccomp_filter = FieldOf(status.view(), "Seccomp") == "2";
  return facts;
}

Capability ExplainRefusal(int sys_errno, bool is_hardware, const MachineFacts& facts) noexcept {
  Capability capability;
  capability.sys_errno = sys_errno;
  capability.obstacle = ObstacleOf(sys_errno, is_hardware, facts);
  const Sentence sentence = SentenceOf(capability.obstacle);
  if (capability.obstacle == CountingObstacle::kParanoid) {
    capability.why.Add("perf_event_paranoid is ").Signed(facts.paranoid).Add(": ");
  }
  capability.why.Add(sentence.why);
  if (capability.obstacle == CountingObstacle::kOther) {
    capability.why.Add(ErrnoWords(sys_errno));
  }
  capability.advice.Add(sentence.advice);
  return capability;
}

CountingReport FindCountingObstacles(Kernel& kernel, const MachineFacts& facts) noexcept {
  CountingReport report;
  // Cycles stand for all hardware events: every PMU driver has them.
  const int hardware = TryCounter(kernel, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
  if (hardware == 0) return report;  // where cycles may be counted, everything may
  report.hardware = ExplainRefusal(hardware, true, facts);
  const int software = TryCounter(kernel, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
  report.software = ExplainRefusal(software, false, facts);
  return report;
}

}  // namespace csink
