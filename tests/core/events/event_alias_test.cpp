#include "core/events/event_alias.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <string>

#include "core/events/event_rate.h"
#include "core/events/event_spec.h"

namespace csink {
namespace {

struct Expected {
  const char* written;
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
  EventClass kind;
  std::uint64_t period;
};

constexpr std::uint32_t kHw = PERF_TYPE_HARDWARE;
constexpr std::uint32_t kSw = PERF_TYPE_SOFTWARE;

const Expected kExpected[] = {
    {"cycles", "cycles", kHw, PERF_COUNT_HW_CPU_CYCLES, EventClass::kCycles, 0},
    {"cpu-cycles", "cycles", kHw, PERF_COUNT_HW_CPU_CYCLES, EventClass::kCycles, 0},
    {"PERF_COUNT_HW_CPU_CYCLES", "cycles", kHw, PERF_COUNT_HW_CPU_CYCLES, EventClass::kCycles, 0},
    {"perf::CYCLES", "cycles", kHw, PERF_COUNT_HW_CPU_CYCLES, EventClass::kCycles, 0},
    {"instructions", "instructions", kHw, PERF_COUNT_HW_INSTRUCTIONS, EventClass::kInstructions, 0},
    {"PERF_COUNT_HW_INSTRUCTIONS", "instructions", kHw, PERF_COUNT_HW_INSTRUCTIONS,
     EventClass::kInstructions, 0},
    {"cache-references", "cache-references", kHw, PERF_COUNT_HW_CACHE_REFERENCES,
     EventClass::kCacheReferences, 0},
    {"PERF_COUNT_HW_CACHE_REFERENCES", "cache-references", kHw, PERF_COUNT_HW_CACHE_REFERENCES,
     EventClass::kCacheReferences, 0},
    {"cache-misses", "cache-misses", kHw, PERF_COUNT_HW_CACHE_MISSES, EventClass::kCacheMisses, 0},
    {"PERF_COUNT_HW_CACHE_MISSES", "cache-misses", kHw, PERF_COUNT_HW_CACHE_MISSES,
     EventClass::kCacheMisses, 0},
    {"branches", "branches", kHw, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, EventClass::kBranches, 0},
    {"branch-instructions", "branches", kHw, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
     EventClass::kBranches, 0},
    {"PERF_COUNT_HW_BRANCH_INSTRUCTIONS", "branches", kHw, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
     EventClass::kBranches, 0},
    {"branch-misses", "branch-misses", kHw, PERF_COUNT_HW_BRANCH_MISSES, EventClass::kBranchMisses,
     0},
    {"PERF_COUNT_HW_BRANCH_MISSES", "branch-misses", kHw, PERF_COUNT_HW_BRANCH_MISSES,
     EventClass::kBranchMisses, 0},
    {"bus-cycles", "bus-cycles", kHw, PERF_COUNT_HW_BUS_CYCLES, EventClass::kOther, 0},
    {"PERF_COUNT_HW_BUS_CYCLES", "bus-cycles", kHw, PERF_COUNT_HW_BUS_CYCLES, EventClass::kOther,
     0},
    {"ref-cycles", "ref-cycles", kHw, PERF_COUNT_HW_REF_CPU_CYCLES, EventClass::kOther, 0},
    {"PERF_COUNT_HW_REF_CPU_CYCLES", "ref-cycles", kHw, PERF_COUNT_HW_REF_CPU_CYCLES,
     EventClass::kOther, 0},
    {"stalled-cycles-frontend", "stalled-cycles-frontend", kHw,
     PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, EventClass::kOther, 0},
    {"PERF_COUNT_HW_STALLED_CYCLES_FRONTEND", "stalled-cycles-frontend", kHw,
     PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, EventClass::kOther, 0},
    {"stalled-cycles-backend", "stalled-cycles-backend", kHw, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
     EventClass::kOther, 0},
    {"PERF_COUNT_HW_STALLED_CYCLES_BACKEND", "stalled-cycles-backend", kHw,
     PERF_COUNT_HW_STALLED_CYCLES_BACKEND, EventClass::kOther, 0},
    {"task-clock", "task-clock", kSw, PERF_COUNT_SW_TASK_CLOCK, EventClass::kClock, 1'000'003},
    {"PERF_COUNT_SW_TASK_CLOCK", "task-clock", kSw, PERF_COUNT_SW_TASK_CLOCK, EventClass::kClock,
     1'000'003},
    {"cpu-clock", "cpu-clock", kSw, PERF_COUNT_SW_CPU_CLOCK, EventClass::kClock, 1'000'003},
    {"perf::CPU-CLOCK", "cpu-clock", kSw, PERF_COUNT_SW_CPU_CLOCK, EventClass::kClock, 1'000'003},
    {"PERF_COUNT_SW_CPU_CLOCK", "cpu-clock", kSw, PERF_COUNT_SW_CPU_CLOCK, EventClass::kClock,
     1'000'003},
    {"page-faults", "page-faults", kSw, PERF_COUNT_SW_PAGE_FAULTS, EventClass::kPageFaults, 1},
    {"faults", "page-faults", kSw, PERF_COUNT_SW_PAGE_FAULTS, EventClass::kPageFaults, 1},
    {"PERF_COUNT_SW_PAGE_FAULTS", "page-faults", kSw, PERF_COUNT_SW_PAGE_FAULTS,
     EventClass::kPageFaults, 1},
    {"minor-faults", "minor-faults", kSw, PERF_COUNT_SW_PAGE_FAULTS_MIN, EventClass::kPageFaults,
     1},
    {"PERF_COUNT_SW_PAGE_FAULTS_MIN", "minor-faults", kSw, PERF_COUNT_SW_PAGE_FAULTS_MIN,
     EventClass::kPageFaults, 1},
    {"major-faults", "major-faults", kSw, PERF_COUNT_SW_PAGE_FAULTS_MAJ, EventClass::kPageFaults,
     1},
    {"PERF_COUNT_SW_PAGE_FAULTS_MAJ", "major-faults", kSw, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
     EventClass::kPageFaults, 1},
    {"context-switches", "context-switches", kSw, PERF_COUNT_SW_CONTEXT_SWITCHES,
     EventClass::kContextSwitches, 1},
    {"cs", "context-switches", kSw, PERF_COUNT_SW_CONTEXT_SWITCHES, EventClass::kContextSwitches,
     1},
    {"PERF_COUNT_SW_CONTEXT_SWITCHES", "context-switches", kSw, PERF_COUNT_SW_CONTEXT_SWITCHES,
     EventClass::kContextSwitches, 1},
    {"cpu-migrations", "cpu-migrations", kSw, PERF_COUNT_SW_CPU_MIGRATIONS, EventClass::kOther, 1},
    {"migrations", "cpu-migrations", kSw, PERF_COUNT_SW_CPU_MIGRATIONS, EventClass::kOther, 1},
    {"PERF_COUNT_SW_CPU_MIGRATIONS", "cpu-migrations", kSw, PERF_COUNT_SW_CPU_MIGRATIONS,
     EventClass::kOther, 1},
    {"cgroup-switches", "cgroup-switches", kSw, PERF_COUNT_SW_CGROUP_SWITCHES, EventClass::kOther,
     1},
    {"alignment-faults", "alignment-faults", kSw, PERF_COUNT_SW_ALIGNMENT_FAULTS,
     EventClass::kOther, 1},
    {"PERF_COUNT_SW_ALIGNMENT_FAULTS", "alignment-faults", kSw, PERF_COUNT_SW_ALIGNMENT_FAULTS,
     EventClass::kOther, 1},
    {"emulation-faults", "emulation-faults", kSw, PERF_COUNT_SW_EMULATION_FAULTS,
     EventClass::kOther, 1},
    {"PERF_COUNT_SW_EMULATION_FAULTS", "emulation-faults", kSw, PERF_COUNT_SW_EMULATION_FAULTS,
     EventClass::kOther, 1},
    {"r1a8", "r1a8", PERF_TYPE_RAW, 0x1a8, EventClass::kOther, 0},
    {"rFF", "rff", PERF_TYPE_RAW, 0xff, EventClass::kOther, 0},
    {"perf_raw::r0", "r0", PERF_TYPE_RAW, 0, EventClass::kOther, 0},
    {"rffffffffffffffff", "rffffffffffffffff", PERF_TYPE_RAW, UINT64_MAX, EventClass::kOther, 0},
};

TEST(EventAlias, IsWhatTheKernelMeansByIt) {
  for (const Expected& e : kExpected) {
    EventComplaint complaint;
    const Result<EventList> list = ParseEventList(e.written, complaint);
    ASSERT_TRUE(list) << e.written << ": " << complaint.c_str();
    EXPECT_EQ(complaint.view(), "") << e.written;
    ASSERT_EQ(list->count, 1u);
    const EventSpec& spec = list->events[0];
    EXPECT_STREQ(spec.name, e.name);
    EXPECT_EQ(spec.type, e.type) << e.written;
    EXPECT_EQ(spec.config, e.config) << e.written;
    EXPECT_EQ(spec.config1 | spec.config2, 0u);
    EXPECT_EQ(spec.frequency_hz, e.period == 0 ? kDefaultCounterHz : 0) << e.written;
    EXPECT_EQ(spec.kind, e.kind) << e.written;
    EXPECT_EQ(spec.period, e.period) << e.written;
    EXPECT_FALSE(spec.exclude_user || spec.precise_given);
  }
}

TEST(EventAlias, ExcludesTheKernelUnlessTheEventHappensThere) {
  for (const EventAlias* alias = AliasesBegin(); alias != AliasesEnd(); ++alias) {
    EventComplaint complaint;
    const Result<EventList> list = ParseEventList(alias->name, complaint);
    ASSERT_TRUE(list);
    const bool in_kernel = alias->name.view() == "context-switches" ||
                           alias->name.view() == "cpu-migrations" ||
                           alias->name.view() == "cgroup-switches";
    EXPECT_EQ(list->events[0].exclude_kernel, !in_kernel) << alias->name.view();
  }
}

TEST(EventAlias, HasPrimePeriods) {
  for (const EventAlias* alias = AliasesBegin(); alias != AliasesEnd(); ++alias) {
    if (alias->default_period > 1) {
      EXPECT_EQ(PrimeFrom(alias->default_period), alias->default_period) << alias->name.view();
    }
  }
}

TEST(EventAlias, CoversEveryHardwareEventOfTheKernel) {
  for (std::uint64_t config = 0; config < PERF_COUNT_HW_MAX; ++config) {
    EXPECT_NE(FindAlias(PERF_TYPE_HARDWARE, config), nullptr) << config;
  }
}

TEST(ParseRawEvent, TakesOnlyHexadecimalDigits) {
  std::uint64_t config = 0;
  for (const char* text : {"r", "", "rg", "r1 ", "x1a8", "R1a8", "r0123456789abcdef0", "r0x1"}) {
    EXPECT_FALSE(ParseRawEvent(text, config)) << text;
  }
}

TEST(ClassOfNativeEvent, KnowsTheVendorsNames) {
  EXPECT_EQ(ClassOfNativeEvent("INST_RETIRED:ANY_P"), EventClass::kInstructions);
  EXPECT_EQ(ClassOfNativeEvent("cycles_not_in_halt"), EventClass::kCycles);
  EXPECT_EQ(ClassOfNativeEvent("INST_RETIRED:ANY_P:c=1:i=1"), EventClass::kOther)
      << "counts cycles without an instruction, for example";
}

}  // namespace
}  // namespace csink
