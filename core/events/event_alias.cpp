#include "core/events/event_alias.h"

#include <linux/perf_event.h>

#include "core/util/parse.h"

// File: two tables: the kernel's events under perf's names, and libpfm4's names of events whose
// class is known. Both are searched in turn; an event string is looked up once.

namespace csink {
namespace {

constexpr std::uint32_t kHw = PERF_TYPE_HARDWARE;
constexpr std::uint32_t kSw = PERF_TYPE_SOFTWARE;

// The two kinds of default period besides a clock's: every fault and every switch is sampled;
// hardware events are sampled by frequency.
constexpr std::uint64_t kByFrequency = 0;
constexpr std::uint64_t kEach = 1;

// In the order in which they are listed. in_kernel_only is set for events that the scheduler
// counts: with exclude_kernel they stay at 0.
// The numbers are the kernel's (perf_hw_id and perf_sw_ids of linux/perf_event.h) and part of its
// ABI.
constexpr EventAlias kAliases[] = {
    {"cycles", "cpu-cycles", "PERF_COUNT_HW_CPU_CYCLES", "processor cycles", kHw,
     PERF_COUNT_HW_CPU_CYCLES, EventClass::kCycles, kByFrequency},
    {"instructions", "", "PERF_COUNT_HW_INSTRUCTIONS", "instructions retired", kHw,
     PERF_COUNT_HW_INSTRUCTIONS, EventClass::kInstructions, kByFrequency},
    {"cache-references", "", "PERF_COUNT_HW_CACHE_REFERENCES", "accesses to the last-level cache",
     kHw, PERF_COUNT_HW_CACHE_REFERENCES, EventClass::kCacheReferences, kByFrequency},
    {"cache-misses", "", "PERF_COUNT_HW_CACHE_MISSES", "misses of the last-level cache", kHw,
     PERF_COUNT_HW_CACHE_MISSES, EventClass::kCacheMisses, kByFrequency},
    {"branches", "branch-instructions", "PERF_COUNT_HW_BRANCH_INSTRUCTIONS", "branches retired",
     kHw, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, EventClass::kBranches, kByFrequency},
    {"branch-misses", "", "PERF_COUNT_HW_BRANCH_MISSES", "mispredicted branches", kHw,
     PERF_COUNT_HW_BRANCH_MISSES, EventClass::kBranchMisses, kByFrequency},
    {"bus-cycles", "", "PERF_COUNT_HW_BUS_CYCLES", "bus cycles", kHw, PERF_COUNT_HW_BUS_CYCLES,
     EventClass::kOther, kByFrequency},
    {"stalled-cycles-frontend", "idle-cycles-frontend", "PERF_COUNT_HW_STALLED_CYCLES_FRONTEND",
     "cycles in which nothing was issued", kHw, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
     EventClass::kOther, kByFrequency},
    {"stalled-cycles-backend", "idle-cycles-backend", "PERF_COUNT_HW_STALLED_CYCLES_BACKEND",
     "cycles in which nothing retired", kHw, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
     EventClass::kOther, kByFrequency},
    {"ref-cycles", "", "PERF_COUNT_HW_REF_CPU_CYCLES", "cycles at the nominal frequency", kHw,
     PERF_COUNT_HW_REF_CPU_CYCLES, EventClass::kOther, kByFrequency},
    {"task-clock", "", "PERF_COUNT_SW_TASK_CLOCK", "CPU time of the thread, in ns", kSw,
     PERF_COUNT_SW_TASK_CLOCK, EventClass::kClock, kDefaultClockPeriodNs},
    {"cpu-clock", "", "PERF_COUNT_SW_CPU_CLOCK", "CPU time by the processor's clock, in ns", kSw,
     PERF_COUNT_SW_CPU_CLOCK, EventClass::kClock, kDefaultClockPeriodNs},
    {"page-faults", "faults", "PERF_COUNT_SW_PAGE_FAULTS", "page faults", kSw,
     PERF_COUNT_SW_PAGE_FAULTS, EventClass::kPageFaults, kEach},
    {"minor-faults", "", "PERF_COUNT_SW_PAGE_FAULTS_MIN", "page faults without input or output",
     kSw, PERF_COUNT_SW_PAGE_FAULTS_MIN, EventClass::kPageFaults, kEach},
    {"major-faults", "", "PERF_COUNT_SW_PAGE_FAULTS_MAJ", "page faults that read from a disk", kSw,
     PERF_COUNT_SW_PAGE_FAULTS_MAJ, EventClass::kPageFaults, kEach},
    {"context-switches", "cs", "PERF_COUNT_SW_CONTEXT_SWITCHES", "times the thread left the CPU",
     kSw, PERF_COUNT_SW_CONTEXT_SWITCHES, EventClass::kContextSwitches, kEach, true},
    {"cpu-migrations", "migrations", "PERF_COUNT_SW_CPU_MIGRATIONS",
     "times the thread changed its CPU", kSw, PERF_COUNT_SW_CPU_MIGRATIONS, EventClass::kOther,
     kEach, true},
    {"cgroup-switches", "", "PERF_COUNT_SW_CGROUP_SWITCHES",
     "switches to a thread of another cgroup (Linux 5.13)", kSw, PERF_COUNT_SW_CGROUP_SWITCHES,
     EventClass::kOther, kEach, true},
    {"alignment-faults", "", "PERF_COUNT_SW_ALIGNMENT_FAULTS",
     "unaligned accesses that the kernel repaired", kSw, PERF_COUNT_SW_ALIGNMENT_FAULTS,
     EventClass::kOther, kEach},
    {"emulation-faults", "", "PERF_COUNT_SW_EMULATION_FAULTS",
     "instructions that the kernel emulated", kSw, PERF_COUNT_SW_EMULATION_FAULTS,
     EventClass::kOther, kEach},
};

// One line of kNativeNames.
struct NativeName {
  InlineText<44> name;
  EventClass kind;
};

/// The names as libpfm4 4.13 spells them, with the unit mask that it adds by default: Intel's
/// architectural and model-specific names, AMD's, Arm's.
constexpr NativeName kNativeNames[] = {
    {"UNHALTED_CORE_CYCLES", EventClass::kCycles},
    {"CPU_CLK_UNHALTED", EventClass::kCycles},
    {"CPU_CLK_UNHALTED:THREAD", EventClass::kCycles},
    {"CPU_CLK_UNHALTED:THREAD_P", EventClass::kCycles},
    {"CPU_CLK_UNHALTED:CORE_P", EventClass::kCycles},
    {"CYCLES_NOT_IN_HALT", EventClass::kCycles},
    {"CPU_CYCLES", EventClass::kCycles},
    {"INSTRUCTION_RETIRED", EventClass::kInstructions},
    {"INSTRUCTIONS_RETIRED", EventClass::kInstructions},
    {"INST_RETIRED", EventClass::kInstructions},
    {"INST_RETIRED:ANY", EventClass::kInstructions},
    {"INST_RETIRED:ANY_P", EventClass::kInstructions},
    {"INST_RETIRED:PREC_DIST", EventClass::kInstructions},
    {"RETIRED_INSTRUCTIONS", EventClass::kInstructions},
    {"LLC_REFERENCES", EventClass::kCacheReferences},
    {"LAST_LEVEL_CACHE_REFERENCES", EventClass::kCacheReferences},
    {"LONGEST_LAT_CACHE:REFERENCE", EventClass::kCacheReferences},
    {"LLC_MISSES", EventClass::kCacheMisses},
    {"LAST_LEVEL_CACHE_MISSES", EventClass::kCacheMisses},
    {"LONGEST_LAT_CACHE:MISS", EventClass::kCacheMisses},
    {"BRANCH_INSTRUCTIONS_RETIRED", EventClass::kBranches},
    {"BR_INST_RETIRED:ALL_BRANCHES", EventClass::kBranches},
    {"RETIRED_BRANCH_INSTRUCTIONS", EventClass::kBranches},
    {"BR_RETIRED", EventClass::kBranches},
    {"BR_PRED", EventClass::kBranches},
    {"MISPREDICTED_BRANCH_RETIRED", EventClass::kBranchMisses},
    {"BR_MISP_RETIRED:ALL_BRANCHES", EventClass::kBranchMisses},
    {"RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", EventClass::kBranchMisses},
    {"BR_MIS_PRED", EventClass::kBranchMisses},
    {"BR_MIS_PRED_RETIRED", EventClass::kBranchMisses},
    {"BRANCH_MISPRED", EventClass::kBranchMisses},
};

// Upper case of ASCII letters; toupper would use the locale.
char Upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

}  // namespace

bool EqualsIgnoringCase(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (Upper(a[i]) != Upper(b[i])) return false;
  }
  return true;
}

const EventAlias* AliasesBegin() noexcept { return kAliases; }
const EventAlias* AliasesEnd() noexcept {
  return kAliases + sizeof(kAliases) / sizeof(kAliases[0]);
}

const EventAlias* FindAlias(std::string_view name) noexcept {
  // Many aliases have no second name: an empty name would match their empty string.
  if (name.empty()) return nullptr;
  for (const EventAlias& alias : kAliases) {
    if (EqualsIgnoringCase(name, alias.name) || EqualsIgnoringCase(name, alias.other) ||
        EqualsIgnoringCase(name, alias.kernel_name)) {
      return &alias;
    }
  }
  return nullptr;
}

// Also for events that libpfm4 encoded: "perf::PERF_COUNT_SW_PAGE_FAULTS" and "page-faults" are one
// event in a report.
const EventAlias* FindAlias(std::uint32_t type, std::uint64_t config) noexcept {
  for (const EventAlias& alias : kAliases) {
    if (alias.type == type && alias.config == config) return &alias;
  }
  return nullptr;
}

bool ParseRawEvent(std::string_view name, std::uint64_t& config) noexcept {
  // 17 bytes: 'r' and the 16 digits of 64 bits.
  // Lower case 'r' only, as perf: event names of processors begin with a capital R.
  if (name.size() < 2 || name.size() > 17 || name[0] != 'r') return false;
  name.remove_prefix(1);
  const Result<std::uint64_t> number = ParseHex(name);
  if (number) config = *number;
  return number.has_value();
}

EventClass ClassOfNativeEvent(std::string_view name) noexcept {
  // By name instead of by number: raw numbers of different processors overlap.
  for (const NativeName& known : kNativeNames) {
    if (EqualsIgnoringCase(name, known.name)) return known.kind;
  }
  return EventClass::kOther;
}

}  // namespace csink
