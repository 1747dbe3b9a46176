#include "core/counting/components/perf_event/perf_event_component.h"

#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>

#include "core/counting/catalogue/kernel_event.h"
#include "core/counting/components/perf_event/arm_pmu_events.h"
#include "core/counting/system/pmu_cpus.h"
#include "core/events/event_alias.h"
#include "core/events/event_text.h"
#include "core/perf/counting_obstacles.h"
#include "core/util/parse.h"
#include "core/version/number.h"

// File: events and their names are the catalogue's, counting is PerfCounterSet's. This file finds
// out what the machine can do (FindOut...), makes attributes of events (Encode), and passes on the
// rest. Basics leaves out what needs a list of all events, because libpfm4 takes milliseconds to
// start.

namespace csink {
namespace {

// The search for the number of counters ends here.
constexpr std::size_t kMostCounters = 32;

// PAPI shows this text as the component's kernel version.
std::string KernelVersion() {
  utsname name = {};
  return uname(&name) == 0 ? name.release : "";
}

/// The version of the libpfm4 that the catalogue has loaded, "4.13"; "": none is loaded.
std::string LibraryVersion() {
  // RTLD_NOLOAD: asking for the version must not load the library.
  void* library = dlopen("libpfm.so.4", RTLD_NOLOAD | RTLD_LAZY);
  if (!library) return "";
  using GetVersion = int (*)();
  const auto get = reinterpret_cast<GetVersion>(dlsym(library, "pfm_get_version"));
  std::string text;
  if (get) {
    const int version = get();  // major in the upper half, minor in the lower
    text = std::to_string(version >> 16) + "." + std::to_string(version & 0xffff);
  }
  dlclose(library);
  return text;
}

// Each multiplexed event is a descriptor.
int MultiplexedLimit() {
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return PerfEventComponent::kMostMultiplexed;
  const rlim_t most = PerfEventComponent::kMostMultiplexed;
  return static_cast<int>(std::min<rlim_t>(most, files.rlim_cur));
}

// Whether the event string has the modifier cpu=; libpfm4 accepts it in any case.
bool NamesItsCpu(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower.find(":cpu=") != std::string::npos;
}

/// Why the kernel refuses to count, and what helps, as one line.
std::string ReasonOf(int sys_errno, bool is_hardware) {
  const Capability refusal = ExplainRefusal(sys_errno, is_hardware, ReadMachineFacts());
  std::string reason(refusal.why.view());
  std::string_view advice = refusal.advice.view();
  while (!advice.empty()) reason.append("; ").append(NextToken(advice, '\n'));
  return reason;
}

/// Whether the PMU says that it does not count this event, although the event opens (ArmPmuEvents).
bool StaysAtZero([[maybe_unused]] const perf_event_attr& attr) {
#if defined(__aarch64__)
  // Once in the process: the files of a PMU do not change, and each event of each set asks.
  static const ArmPmuEvents events;
  constexpr std::uint64_t kNumber = 0xffff;  // PMEVTYPER<n>_EL0.evtCount
  return attr.type == PERF_TYPE_RAW && !events.Counts(attr.config & kNumber);
#else
  return false;
#endif
}

/// Whether the kernel's event of this name (attributes may follow) counts nanoseconds.
bool IsClock(std::string_view name) {
  const EventAlias* event = FindAlias(SplitEvent(name).base);
  // cpu-clock (0) and task-clock (1), the first two software events.
  return event && event->type == PERF_TYPE_SOFTWARE && event->config <= PERF_COUNT_SW_TASK_CLOCK;
}

/// Whether a listing opens events of this kind to find out whether the machine has them.
/// Tracepoints and breakpoints exist where their names do. The kernel has all of its older software
/// events, and opening one for the first time changes code in the kernel, for which all CPUs wait.
bool IsTriedForListing(const perf_event_attr& attr) {
  if (attr.type == PERF_TYPE_SOFTWARE) return attr.config > PERF_COUNT_SW_EMULATION_FAULTS;
  return attr.type != PERF_TYPE_TRACEPOINT && attr.type != PERF_TYPE_BREAKPOINT;
}

/// The core PMU's own types, of which no event exists on a machine without a PMU.
bool NeedsCorePmu(const perf_event_attr& attr) {
  return attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_HW_CACHE ||
         attr.type == PERF_TYPE_RAW;
}

/// Modifiers ("u=0") are listed among the unit masks; they do not select another event.
bool IsUnitMask(std::string_view name) {
  return name.substr(name.rfind(':') + 1).find('=') == std::string_view::npos;
}

Error NoMore() { return {Errc::kNoEvent, 0, "there are no more events"}; }

}  // namespace

std::string_view PerfEventComponent::name() const noexcept {
  return side_ == CatalogueSide::kCore ? "perf_event" : "perf_event_uncore";
}

const ComponentInfo& PerfEventComponent::Info() {
  std::call_once(info_once_, [this] { FindOut(); });
  return info_;
}

const ComponentInfo& PerfEventComponent::Basics() {
  if (side_ == CatalogueSide::kUncore) return Info();
  // Two levels: PAPI_library_init needs only what perf_event_open tells (Basics); a listing needs
  // libpfm4, too.
  std::call_once(basics_once_, [this] { FindOutCore(basics_); });
  return basics_;
}

void PerfEventComponent::FindOut() {
  if (side_ == CatalogueSide::kCore) info_ = Basics();
  info_.name = name();
  info_.version = CSINK_VERSION;
  info_.kernel_version = KernelVersion();
  // Lists all events, which starts libpfm4.
  info_.native_events = static_cast<int>(catalogue_.CountEvents(side_));
  for (const CataloguePmu& pmu : catalogue_.Pmus()) {
    const bool uncore = pmu.kind == PmuKind::kUncore;
    if (uncore == (side_ == CatalogueSide::kUncore)) info_.pmu_names.emplace_back(pmu.name);
  }
  info_.support_version = LibraryVersion();
  if (side_ == CatalogueSide::kUncore) return FindOutUncore();
  // Then the kernel's refusal is the reason, and libpfm4's does not matter.
  if (info_.disabled) return;
  if (const std::string_view problem = catalogue_.Problem(); !problem.empty()) {
    if (!info_.hardware_reason.empty()) info_.hardware_reason += "; ";
    info_.hardware_reason += problem;
  }
}

void PerfEventComponent::FindOutCore(ComponentInfo& info) {
  info.name = name();
  info.version = CSINK_VERSION;
  info.kernel_version = KernelVersion();
  info.short_name = "perf";
  info.description = "Counters of the processor and the kernel, per thread (Linux perf events)";
  // With a software event first: its refusal means that nothing can be counted.
  const PerfCapabilities found = ProbePerf(kernel_);
  if (found.refusal != 0) {
    info.disabled = true;
    info.disabled_reason = ReasonOf(found.refusal, false);
    return;
  }
  info.available_domain = found.domain;
  info.can_attach = found.attach;
  info.can_attach_cpu = found.attach_cpu;
  info.can_inherit = found.inherit;
  // Always: software multiplexing needs nothing from the kernel.
  info.can_multiplex = true;
  info.has_hardware_overflow = found.sampling;
  info.counters = kSoftwareCounters;
  if (found.hardware_refusal == 0) {
    info.counters = static_cast<int>(Hardware().together);
    (void)MakeCounterSet();  // finds out about user-space reads
    info.fast_counter_read = memory_.user_reads_at_most.load(std::memory_order_relaxed) != 0;
  } else {
    info.hardware_reason = ReasonOf(found.hardware_refusal, true);
    // The kernel has no PMU for hardware events; other refusals (permission) can be changed.
    info.has_no_pmu = found.hardware_refusal == ENOENT || found.hardware_refusal == ENODEV;
  }
  info.multiplexed_counters = MultiplexedLimit();
}

// Tries the events in turn until one opens or is refused for lack of permission, which holds for
// all.
void PerfEventComponent::FindOutUncore() {
  info_.short_name = "peu";
  info_.description = "Counters of whole sockets: memory, caches, links (Linux perf events)";
  const auto first = catalogue_.First(side_);
  if (!first) {
    info_.disabled = true;
    info_.disabled_reason = "this machine has no socket-wide (uncore) PMU, or does not expose it";
    return;
  }
  Result<void> countable = Error{};
  for (auto event = first; event; event = catalogue_.Next(*event)) {
    countable = CanCount(*event);
    // An event that is incomplete without a unit mask does not open; the next one is tried.
    if (countable || countable.error().code == Errc::kPermission) {
      info_.counters = countable ? static_cast<int>(CountTogether(*event)) : 0;
      break;
    }
  }
  if (info_.counters == 0) {
    info_.disabled = true;
    info_.disabled_reason = countable.error().what;
    return;
  }
  info_.available_domain = {true, true, true};
  info_.can_attach_cpu = true;
  info_.can_multiplex = true;
  info_.multiplexed_counters = MultiplexedLimit();
}

// Opens sets of 1, 2, 3, ... such events until one is refused.
std::size_t PerfEventComponent::CountTogether(std::uint32_t event) {
  PerfCounterSet set(kernel_, *this);
  std::vector<CounterRequest> requests;
  while (requests.size() < kMostCounters) {
    requests.push_back({.event = event, .sampling = {}});
    // Counters of a socket are counted by trying: the number that libpfm4 has is that of the
    // manual, without those that firmware or another user holds.
    if (!set.Configure(requests, {})) return requests.size() - 1;
  }
  return requests.size();
}

const HardwareCounters& PerfEventComponent::Hardware() {
  std::call_once(counters_once_, [this] { hardware_ = CountHardwareCounters(kernel_, memory_); });
  return hardware_;
}

std::size_t PerfEventComponent::CountersAtOnce() {
  // Where only software events count, multiplexing that the user asks for still takes turns.
  return Hardware().alike > 0 ? Hardware().alike : kSoftwareCounters;
}

Result<std::uint32_t> PerfEventComponent::Find(std::string_view name, EventComplaint& complaint) {
  return catalogue_.Find(side_, name, complaint);
}

bool PerfEventComponent::Describe(std::uint32_t event, ComponentEvent& out) {
  if (!catalogue_.IsKnown(event) || catalogue_.SideOf(event) != side_) return false;
  const NativeDescription described = catalogue_.Describe(event);
  // A text without the heap's help: the description of an event with all its unit masks may be
  // several KiB long, and PAPI cuts it.
  std::array<char, 1024> text = {};  // as long as PAPI_event_info_t.long_descr
  catalogue_.CopyLongText(event, text.data(), text.size());
  out = {};
  out.name = described.name;
  out.short_description = described.event_text;
  out.long_description = text.data();
  out.pmu = described.pmu_name;
  if (side_ == CatalogueSide::kUncore) out.scope = ComponentEvent::Scope::kSocket;
  if (described.pmu_name == kKernelPmuName && IsClock(described.name)) out.units = "ns";
  return true;
}

Result<std::uint32_t> PerfEventComponent::Enumerate(EnumerateStep step, std::uint32_t from) {
  std::optional<std::uint32_t> found;
  if (step == EnumerateStep::kFirst) {
    found = catalogue_.First(side_);
    while (found && !IsListed(*found)) found = catalogue_.Next(*found);
  } else if (!catalogue_.IsKnown(from) || catalogue_.SideOf(from) != side_) {
    return Error{Errc::kNoEvent, 0, "there is no such event"};
  } else if (step == EnumerateStep::kNext) {
    found = catalogue_.Next(from);
    while (found && !IsListed(*found)) found = catalogue_.Next(*found);
  } else if (step == EnumerateStep::kUnitMasks) {
    found = catalogue_.NextUnitMask(from);
  } else if (step == EnumerateStep::kUnitMaskCombinations) {
    found = catalogue_.NextCombination(from);
  } else {
    found = catalogue_.NextGroup(from);
  }
  if (!found) return NoMore();
  return *found;
}

PerfEventComponent::Trial PerfEventComponent::Try(std::uint32_t event) {
  CountableEvent countable;
  if (!Encode(event, countable)) return Trial::kIncomplete;
  if (!IsTriedForListing(countable.attr)) return Trial::kPossible;
  // Saves a system call for each of a processor's events, thousands with their unit masks.
  if (Basics().has_no_pmu && NeedsCorePmu(countable.attr)) return Trial::kAbsent;
  const Result<void> opened = CanCount(event);
  if (opened) return Trial::kPossible;
  const Errc code = opened.error().code;
  const bool absent =
      code == Errc::kNoEvent || code == Errc::kUnsupported || code == Errc::kInvalid;
  return absent ? Trial::kAbsent : Trial::kPossible;
}

bool PerfEventComponent::IsListed(std::uint32_t event) {
  // The events of the other processor are listed to be looked at, not to be counted.
  static const bool forced = secure_getenv("LIBPFM_FORCE_PMU") != nullptr;
  if (forced || Basics().disabled) return true;
  const Trial plain = Try(event);
  if (plain == Trial::kPossible) return true;
  bool absent = plain == Trial::kAbsent;
  for (auto mask = catalogue_.NextUnitMask(event); mask; mask = catalogue_.NextUnitMask(*mask)) {
    if (!IsUnitMask(catalogue_.Describe(*mask).name)) continue;
    const Trial masked = Try(*mask);
    if (masked == Trial::kPossible) return true;
    absent |= masked == Trial::kAbsent;
  }
  return !absent;
}

bool PerfEventComponent::Encode(std::uint32_t event, CountableEvent& out) {
  if (!catalogue_.IsKnown(event) || catalogue_.SideOf(event) != side_) return false;
  EventComplaint complaint;
  const auto encoded = catalogue_.Encode(event, complaint);
  if (!encoded) return false;
  const NativeEncoding& found = **encoded;
  out.attr = found.attr;
  out.user_given = found.user_given;
  out.kernel_given = found.kernel_given;
  out.hypervisor_given = found.hypervisor_given;
  out.software = found.software;
  out.kernel_only = found.kernel_only;
  out.stays_at_zero = StaysAtZero(found.attr);
  out.cpus.clear();
  // An event that must be opened on a CPU. Without cpu= in its name it is counted on one CPU of
  // each package and added up.
  if (found.cpu >= 0) {
    if (!NamesItsCpu(catalogue_.Describe(event).name)) out.cpus = CpusOfPmu(found.attr.type);
    if (out.cpus.empty()) out.cpus.push_back(found.cpu);
  }
  if (side_ == CatalogueSide::kUncore) {
    // A socket's PMU does not know in which mode events occur, and the kernel refuses exclude bits.
    out.user_given = out.kernel_given = out.hypervisor_given = true;
  }
  return true;
}

Result<void> PerfEventComponent::CanCount(std::uint32_t event) {
  {
    const std::lock_guard<std::mutex> guard(countable_lock_);
    if (const auto known = countable_.find(event); known != countable_.end()) {
      if (known->second.code == Errc::kOk) return {};
      return known->second;
    }
  }
  // Without the lock: opening an event is several system calls, and two threads that try the same
  // event get the same answer.
  PerfCounterSet set(kernel_, *this);
  const CounterRequest request = {.event = event, .sampling = {}};
  const Result<void> opened = set.Configure({&request, 1}, {});
  // A limit (of descriptors, for instance) says nothing about the event, so it is not remembered.
  if (opened || opened.error().code != Errc::kLimit) {
    const std::lock_guard<std::mutex> guard(countable_lock_);
    countable_[event] = opened ? Error{} : opened.error();
  }
  return opened ? Result<void>() : Result<void>(opened.error());
}

std::unique_ptr<CounterSet> PerfEventComponent::MakeCounterSet() {
  if (side_ == CatalogueSide::kCore) {
    // Once, at the first set: whether rdpmc is permitted and faster here is measured, not assumed.
    std::call_once(user_reads_once_, [this] { ProbeUserReads(kernel_, memory_); });
  }
  return std::make_unique<PerfCounterSet>(kernel_, *this);
}

}  // namespace csink
