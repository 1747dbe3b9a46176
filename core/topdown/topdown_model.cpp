#include "core/topdown/topdown_model.h"

#include <iterator>

#include "core/util/parse.h"
#include "core/util/small_file.h"

// FindTopdownModel chooses by vendor. AMD: one table for Zen 4 to 6, chosen by family and model.
// Intel: the kernel's own list in sysfs, or a table by model. Arm: architectural events, whose
// presence sysfs shows, with a formula by part number. A processor without a table is refused:
// wrong events would give shares that look right.

/// File: the tables of top-down events.
///
/// Sources. AMD: the PPRs for 19h-11h and 1Ah, and Linux,
/// tools/perf/pmu-events/arch/x86/amdzen{4,5,6}/pipeline.json: slots are 6 (Zen 4) or 8 (Zen 5, 6)
/// times 0x76; 0x1A0 umasks 0x01, 0x1e, 0x60; 0xAA umask 0x07; 0xC1; 0xD6 umasks 0x02, 0xa2. The
/// models of family 19h: Linux, arch/x86/kernel/cpu/amd.c.
/// Intel: event 0, umask 04h slots (leader), 80h-87h metrics, which cannot be sampled: Linux,
/// tools/perf/Documentation/topdown.txt and arch/x86/events/intel/core.c. 0xA4 umasks 01 slots, 02
/// backend, 08 mispredicts, 10 memory; 0x9C umask 01 (and cmask 6, six slots); 0xC2 umasks 02
/// slots, 01 heavy: the event lists of Ice Lake and Sapphire Rapids (perfmon). Older: the files
/// topdown-* in sysfs and their .scale, which follow hyper-threading.
/// Arm: 0x11, 0x3a, 0x3b, 0x3d, 0x3e, and the slots a cycle in caps/slots (PMMIR_EL1.SLOTS): Arm
/// ARM, D13, and Linux, tools/perf/pmu-events/arch/arm64/sbsa.json. Neoverse N2 and V2: 4 cycles of
/// slots for each 0x10 (BR_MIS_PRED) go from frontend to bad speculation, and N2 before r0p3 counts
/// one slot a cycle too many: Arm's telemetry solution for N2 and V2.

namespace csink {
namespace {

using Role = TopdownRole;
using Vendor = Processor::Vendor;

constexpr std::string_view kDevices = "/sys/bus/event_source/devices/";

// Collects the events of a model, level 1 first.
class Builder {
 public:
  Builder(TopdownFormula formula, std::uint32_t type) noexcept {
    model_.formula = formula;
    model_.type = type;
  }
  Builder& Add(Role role, std::uint64_t config, std::uint32_t factor = 1) noexcept {
    model_.events[model_.count++] = {role, config, factor};
    return *this;
  }
  Builder& EndLevel1() noexcept {
    model_.level1_count = model_.count;
    return *this;
  }
  TopdownModel model() const noexcept { return model_; }
  void SetOneGroup() noexcept { model_.one_group = true; }

 private:
  TopdownModel model_;
};

/// The files of one PMU in sysfs, below /sys/bus/event_source/devices.
class PmuFiles {
 public:
  PmuFiles(std::string_view root, std::string_view pmu) noexcept : root_(root), pmu_(pmu) {}

  // The first line of a file, trimmed; "" where the file cannot be read.
  Text<128> Line(std::string_view file) const noexcept {
    Text<512> path;
    path.Add(root_).Add(kDevices).Add(pmu_).Add('/').Add(file);
    const SmallFile<127> read(path.c_str());
    std::string_view rest = read.view();
    Text<128> line;
    line.Add(Trimmed(NextToken(rest, '\n')));
    return line;
  }
  /// perf_event_attr.type of the PMU; 0: there is no such PMU (type 0 is PERF_TYPE_HARDWARE).
  std::uint32_t Type() const noexcept {
    const Result<std::uint64_t> type = ParseUnsigned(Line("type").view());
    return type && *type <= UINT32_MAX ? static_cast<std::uint32_t>(*type) : 0;
  }
  // Whether the kernel lists the event.
  bool Offers(std::string_view event) const noexcept { return EventLine(event).size() != 0; }
  // The description of an event, or with `behind` one of its further files (".scale").
  Text<128> EventLine(std::string_view event, std::string_view behind = {}) const noexcept {
    Text<80> file;
    file.Add("events/").Add(event).Add(behind);
    return Line(file.view());
  }

 private:
  std::string_view root_;
  std::string_view pmu_;
};

// `reason` has the details; this text is for callers that drop it.
constexpr Error kNone{Errc::kUnsupported, 0, "top-down analysis is not supported on this machine"};

// Virtual machines and containers without a PMU end here.
Error NoPmu(TopdownReason& reason) noexcept {
  reason.Clear();
  reason.Add("the kernel provides no hardware counters (no PMU in ").Add(kDevices).Add(')');
  return kNone;
}

// Says in `reason` which processor it is, so that a user can report it.
Error NoTable(const Processor& processor, TopdownReason& reason) noexcept {
  reason.Clear();
  reason.Add("there is no top-down table for this processor (");
  switch (processor.vendor) {
    case Vendor::kIntel:
      reason.Add("Intel");
      break;
    case Vendor::kAmd:
      reason.Add("AMD");
      break;
    case Vendor::kArm:
      reason.Add("Arm architecture, implementer ").Hex(processor.implementer).Add(", part ");
      reason.Hex(processor.model).Add(')');
      return kNone;
    case Vendor::kOther:
      reason.Add("unknown)");
      return kNone;
  }
  reason.Add(" family ").Hex(processor.family).Add("h, model ").Hex(processor.model).Add("h)");
  return kNone;
}

// An AMD event code: event number bits 0 to 7 in config bits 0 to 7, bits 8 to 11 in 32 to 35; the
// unit mask in 8 to 15.
constexpr std::uint64_t Amd(std::uint64_t event, std::uint64_t umask) {
  return (event & 0xff) | (event >> 8) << 32 | umask << 8;
}

// The event of SMT contention stands last in level 1: a virtual machine may advertise one counter
// more than it has, and the kernel gives that counter to the last event. Of all events, this one
// may be 0 correctly, wherever no other thread uses the core.
TopdownModel ZenModel(std::uint32_t type, std::uint32_t slots_per_cycle) noexcept {
  return Builder(TopdownFormula::kZen, type)
      // Slots are cycles times the width: AMD has no event for slots.
      .Add(Role::kSlots, Amd(0x76, 0), slots_per_cycle)
      .Add(Role::kRetired, Amd(0xc1, 0))
      .Add(Role::kBackend, Amd(0x1a0, 0x1e))
      .Add(Role::kFrontend, Amd(0x1a0, 0x01))
      .Add(Role::kIssued, Amd(0xaa, 0x07))
      .Add(Role::kSmtContention, Amd(0x1a0, 0x60))
      .EndLevel1()
      .Add(Role::kNotRetired, Amd(0xd6, 0x02))
      .Add(Role::kLoadNotRetired, Amd(0xd6, 0xa2))
      .model();
}

/// The slots per cycle; 0: there is no table. Zen 3 and older lack event 0x1a0.
std::uint32_t ZenSlotsPerCycle(const Processor& processor) noexcept {
  const std::uint32_t model = processor.model;
  if (processor.family == 0x19) {
    const bool zen4 = (model >= 0x10 && model <= 0x1f) || (model >= 0x60 && model <= 0xaf);
    // Dispatch slots: 6 on Zen 4, 8 on Zen 5 and 6.
    return zen4 ? 6 : 0;
  }
  return processor.family == 0x1a ? 8 : 0;  // Zen 5 and 6
}

// An Intel event code: event select, unit mask in bits 8 to 15, counter mask in 24 to 31.
constexpr std::uint64_t Intel(std::uint64_t event, std::uint64_t umask, std::uint64_t cmask = 0) {
  return event | umask << 8 | cmask << 24;
}

enum class IntelCore : std::uint8_t { kNone, kIcelake, kGoldenCove, kLionCove };

/// The core of models from Ice Lake on whose general events count the same as the metric events.
IntelCore IntelCoreOf(const Processor& processor) noexcept {
  if (processor.family == 18 && (processor.model == 1 || processor.model == 3)) {
    return IntelCore::kLionCove;  // Nova Lake
  }
  if (processor.family != 6) return IntelCore::kNone;
  switch (processor.model) {
    case 0x6a:
    case 0x6c:  // Ice Lake servers
    case 0x7d:
    case 0x7e:  // Ice Lake
    case 0x8c:
    case 0x8d:  // Tiger Lake
    case 0xa7:  // Rocket Lake
      return IntelCore::kIcelake;
    case 0x8f:  // Sapphire Rapids
    case 0xcf:  // Emerald Rapids
    case 0xad:
    case 0xae:  // Granite Rapids
    case 0x97:
    case 0x9a:  // Alder Lake
    case 0xb7:
    case 0xba:
    case 0xbf:  // Raptor Lake
    case 0xaa:
    case 0xac:
    case 0xb5:  // Meteor Lake
      return IntelCore::kGoldenCove;
    case 0xbd:  // Lunar Lake
    case 0xc5:
    case 0xc6:  // Arrow Lake
    case 0xcc:
    case 0xd5:
    case 0xe5:  // Panther Lake
      return IntelCore::kLionCove;
    default:
      return IntelCore::kNone;
  }
}

// General events that count the same as the metric events and can be sampled (Intel's event files,
// github.com/intel/perfmon). Level 2 is added for the newer cores only, of six slots a cycle and
// from Lion Cove on of eight, where an event has the cycles of the frontend's latency.
TopdownModel SampledIntelModel(std::uint32_t type, IntelCore core) noexcept {
  Builder builder(TopdownFormula::kIcelake, type);
  builder.Add(Role::kSlots, Intel(0xa4, 0x01))
      .Add(Role::kRetired, Intel(0xc2, 0x02))
      .Add(Role::kBackend, Intel(0xa4, 0x02))
      .Add(Role::kFrontend, Intel(0x9c, 0x01))
      .EndLevel1();
  if (core == IntelCore::kIcelake) return builder.model();
  builder.Add(Role::kMemory, Intel(0xa4, 0x10))
      .Add(Role::kMispredicts, Intel(0xa4, 0x08))
      .Add(Role::kHeavy, Intel(0xc2, 0x01));
  if (core == IntelCore::kLionCove) {
    builder.Add(Role::kFrontendLatency, Intel(0x9c, 0x04), 8);
  } else {
    builder.Add(Role::kFrontendLatency, Intel(0x9c, 0x01, 6), 6);
  }
  return builder.model();
}

struct KernelEvent {
  const char* name;
  Role role;
};

/// The kernel's names in sysfs, in the order of opening: the slots event must lead its group.
constexpr KernelEvent kMetricEvents[] = {{"slots", Role::kSlots},
                                         {"topdown-retiring", Role::kRetired},
                                         {"topdown-bad-spec", Role::kBadSpeculation},
                                         {"topdown-fe-bound", Role::kFrontend},
                                         {"topdown-be-bound", Role::kBackend}};
constexpr KernelEvent kLevel2Metrics[] = {{"topdown-heavy-ops", Role::kHeavy},
                                          {"topdown-br-mispredict", Role::kMispredicts},
                                          {"topdown-fetch-lat", Role::kFrontendLatency},
                                          {"topdown-mem-bound", Role::kMemory}};
static_assert(std::size(kMetricEvents) + std::size(kLevel2Metrics) <= TopdownModel::kMostEvents);
constexpr KernelEvent kOldEvents[] = {{"topdown-total-slots", Role::kSlots},
                                      {"topdown-slots-retired", Role::kRetired},
                                      {"topdown-fetch-bubbles", Role::kFrontend},
                                      {"topdown-slots-issued", Role::kIssued},
                                      {"topdown-recovery-bubbles", Role::kRecovery}};

/// Adds those of `events` that the kernel offers. Returns their number.
template <std::size_t N>
std::size_t AddOffered(const PmuFiles& files, const KernelEvent (&events)[N],
                       Builder& builder) noexcept {
  std::size_t added = 0;
  for (const KernelEvent& event : events) {
    std::uint64_t config = 0;
    const Text<128> text = files.EventLine(event.name);
    // The scale says how many slots one count stands for, and follows hyper-threading on old cores.
    if (text.size() == 0 || !ParseIntelEvent(text.view(), config)) continue;
    const Text<128> scale = files.EventLine(event.name, ".scale");
    std::uint64_t factor = 1;
    if (scale.size() != 0) {
      const Result<std::uint64_t> number = ParseUnsigned(scale.view());
      if (!number || *number == 0 || *number > TopdownName::kMost) continue;
      factor = *number;
    }
    builder.Add(event.role, config, static_cast<std::uint32_t>(factor));
    ++added;
  }
  return added;
}

// The order: the kernel's metric events where they only count, general events of a known core, the
// topdown-* events of cores before Ice Lake. A list of events is used only if it is complete.
Result<TopdownModel> IntelModel(const Processor& processor, std::string_view root, TopdownUse use,
                                TopdownReason& reason) noexcept {
  const PmuFiles plain(root, "cpu");
  const PmuFiles performance(root, "cpu_core");  // the performance cores of a hybrid processor
  const PmuFiles& files = plain.Type() != 0 ? plain : performance;
  const std::uint32_t type = files.Type();
  if (type == 0) return NoPmu(reason);
  const IntelCore core = IntelCoreOf(processor);
  if (use == TopdownUse::kCounting && files.Offers("slots")) {
    Builder builder(TopdownFormula::kMetrics, type);
    // The kernel refuses metric events outside of the group that "slots" leads.
    builder.SetOneGroup();
    if (AddOffered(files, kMetricEvents, builder) == std::size(kMetricEvents)) {
      builder.EndLevel1();
      AddOffered(files, kLevel2Metrics, builder);
      return builder.model();
    }
  }
  if (core != IntelCore::kNone) return SampledIntelModel(type, core);
  Builder builder(TopdownFormula::kIntel, type);
  if (AddOffered(files, kOldEvents, builder) == std::size(kOldEvents)) {
    return builder.EndLevel1().model();
  }
  return NoTable(processor, reason);
}

// Neoverse parts of implementer Arm.
constexpr std::uint32_t kNeoverseV1 = 0xd40;
constexpr std::uint32_t kNeoverseN2 = 0xd49;
constexpr std::uint32_t kNeoverseV2 = 0xd4f;
constexpr std::uint32_t kArmLimited = 0x41;
// Cycles of slots after a mispredicted branch that the frontend's event counts, too.
constexpr std::uint32_t kFlushCycles = 4;

/// The slots per cycle from PMMIR_EL1.SLOTS, which the kernel shows from Linux 5.11 on
/// (caps/slots); before, from a table of known parts. 0: unknown.
// The bound keeps the factor of kFlush within TopdownName::kMost.
std::uint32_t ArmSlotsPerCycle(const PmuFiles& files, const Processor& processor) noexcept {
  const Text<128> line = files.Line("caps/slots");
  std::string_view digits = line.view();
  if (digits.size() > 2 && digits[0] == '0' && digits[1] == 'x') digits.remove_prefix(2);
  const Result<std::uint64_t> slots = ParseHex(digits);
  // The largest factor of the model, kFlushCycles * slots, must fit into an event's name.
  if (slots && *slots > 0 && *slots <= TopdownName::kMost / kFlushCycles) {
    return static_cast<std::uint32_t>(*slots);
  }
  if (processor.implementer != kArmLimited) return 0;
  switch (processor.model) {
    case kNeoverseN2:
      return 5;
    case kNeoverseV1:
    case kNeoverseV2:
      return 8;
    default:
      return 0;
  }
}

// Other parts, and other implementers, get the architecture's own formula.
TopdownFormula ArmFormula(const Processor& processor) noexcept {
  if (processor.implementer != kArmLimited) return TopdownFormula::kArm;
  if (processor.model == kNeoverseN2) {
    return processor.revision < 0x03 ? TopdownFormula::kNeoverseN2 : TopdownFormula::kNeoverse;
  }
  return processor.model == kNeoverseV2 ? TopdownFormula::kNeoverse : TopdownFormula::kArm;
}

// Needs the four events of level 1 and the slots a cycle; without the latter a count of cycles says
// nothing about slots.
Result<TopdownModel> ArmModel(const Processor& processor, std::string_view root,
                              TopdownReason& reason) noexcept {
  // The PMU's name where the kernel finds it by ACPI, by a generic device tree entry, and by the
  // processor's own device tree entry.
  constexpr std::string_view kNames[] = {"armv8_pmuv3_0",     "armv8_pmuv3",
                                         "armv8_neoverse_v1", "armv9_neoverse_n2",
                                         "armv8_neoverse_n2", "armv9_neoverse_v2"};
  const std::string_view* found = nullptr;
  for (const std::string_view& name : kNames) {
    if (found == nullptr && PmuFiles(root, name).Type() != 0) found = &name;
  }
  if (found == nullptr) return NoPmu(reason);
  const PmuFiles files(root, *found);
  for (const char* event : {"stall_slot_frontend", "stall_slot_backend", "op_spec", "op_retired"}) {
    if (files.Offers(event)) continue;
    reason.Clear();
    reason.Add("this processor does not count ").Add(event).Add(" (");
    reason.Add(*found).Add("/events)");
    return kNone;
  }
  const std::uint32_t slots = ArmSlotsPerCycle(files, processor);
  if (slots == 0) {
    reason.Clear();
    reason.Add("the kernel does not report the slots per cycle of this processor (");
    reason.Add(*found).Add("/caps/slots)");
    return kNone;
  }
  const TopdownFormula formula = ArmFormula(processor);
  Builder builder(formula, files.Type());
  builder.Add(Role::kSlots, 0x11, slots)
      .Add(Role::kRetired, 0x3a)
      .Add(Role::kBackend, 0x3d)
      .Add(Role::kFrontend, 0x3e)
      .Add(Role::kIssued, 0x3b);
  // Counts mispredicted branches; each costs four cycles of slots after the flush.
  if (formula != TopdownFormula::kArm) builder.Add(Role::kFlush, 0x10, kFlushCycles * slots);
  return builder.EndLevel1().model();
}

}  // namespace

bool ParseIntelEvent(std::string_view text, std::uint64_t& config) noexcept {
  // The fields and their bits are those of /sys/bus/event_source/devices/cpu/format.
  struct Field {
    std::string_view name;
    unsigned shift;
    std::uint64_t most;
  };
  constexpr Field kFields[] = {{"event", 0, 0xff}, {"umask", 8, 0xff}, {"edge", 18, 1},
                               {"any", 21, 1},     {"inv", 23, 1},     {"cmask", 24, 0xff}};
  config = 0;
  bool has_event = false;
  while (!text.empty()) {
    std::string_view item = NextToken(text, ',');
    const std::size_t size = item.size();
    const std::string_view name = NextToken(item, '=');
    std::uint64_t value = 1;  // a field without '=', such as "edge", means 1
    if (name.size() < size) {
      const bool hexadecimal = item.size() > 2 && item[0] == '0' && item[1] == 'x';
      if (hexadecimal) item.remove_prefix(2);
      const Result<std::uint64_t> number = hexadecimal ? ParseHex(item) : ParseUnsigned(item);
      if (!number) return false;
      value = *number;
    }
    const Field* known = nullptr;
    for (const Field& field : kFields) {
      if (field.name == name) known = &field;
    }
    // A field that this function does not know would be lost, and the event would count something
    // else.
    if (known == nullptr || value > known->most) return false;
    config |= value << known->shift;
    has_event = has_event || known == kFields;
  }
  return has_event;
}

Result<TopdownModel> FindTopdownModel(const Processor& processor, std::string_view root,
                                      TopdownUse use, TopdownReason& reason) noexcept {
  reason.Clear();
  switch (processor.vendor) {
    case Vendor::kAmd: {
      // AMD's core PMU is called "cpu"; it has no hybrid processors with other names.
      const std::uint32_t type = PmuFiles(root, "cpu").Type();
      if (type == 0) return NoPmu(reason);
      const std::uint32_t slots = ZenSlotsPerCycle(processor);
      if (slots == 0) return NoTable(processor, reason);
      return ZenModel(type, slots);
    }
    case Vendor::kIntel:
      return IntelModel(processor, root, use, reason);
    case Vendor::kArm:
      return ArmModel(processor, root, reason);
    case Vendor::kOther:
      break;
  }
  return NoTable(processor, reason);
}

}  // namespace csink
