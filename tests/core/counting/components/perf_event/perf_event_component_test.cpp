#include "core/counting/components/perf_event/perf_event_component.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include "core/counting/components/registry/component_registry.h"
#include "tests/fakes/fake_kernel.h"

namespace csink {
namespace {

using testing::FakeKernel;

std::uint32_t Id(PerfEventComponent& component, std::string_view name) {
  EventComplaint complaint;
  const auto found = component.Find(name, complaint);
  EXPECT_TRUE(found) << complaint.view();
  return found ? *found : 0;
}

TEST(PerfEventComponent, TellsWhatThisMachineCanDo) {
  PerfEventComponent component(RealKernel(), NativeCatalogue::Get(), CatalogueSide::kCore);
  const ComponentInfo& info = component.Info();
  EXPECT_EQ(info.name, "perf_event");
  EXPECT_GT(info.native_events, 0);
  if (info.disabled) GTEST_SKIP() << info.disabled_reason;
  EXPECT_GE(info.counters, 1);
  EXPECT_GE(info.multiplexed_counters, info.counters);
  EXPECT_TRUE(info.available_domain.user);
  EXPECT_TRUE(info.can_attach);
  EXPECT_TRUE(info.can_inherit);
  EXPECT_TRUE(info.can_multiplex);
  EXPECT_TRUE(info.has_hardware_overflow);
  EXPECT_EQ(&component.Info(), &info);
}

TEST(PerfEventComponent, SaysHowManyEventsReallyCountTogether) {
  FakeKernel kernel;
  kernel.SetHardwareCounters(5);
  PerfEventComponent component(kernel, NativeCatalogue::Get(), CatalogueSide::kCore);
  EXPECT_EQ(component.Info().counters, 5);
  EXPECT_EQ(component.Info().hardware_reason, "");
  EXPECT_FALSE(component.Info().fast_counter_read) << "the fake's pages allow no user reads";
  EXPECT_EQ(component.memory().user_reads_at_most.load(), 0);
}

TEST(PerfEventComponent, CountsSoftwareEventsWithoutAPmu) {
  FakeKernel kernel;
  kernel.SetOpenRule(
      [](const perf_event_attr& attr) { return attr.type == PERF_TYPE_SOFTWARE ? 0 : -ENOENT; });
  PerfEventComponent component(kernel, NativeCatalogue::Get(), CatalogueSide::kCore);
  const ComponentInfo& info = component.Info();
  EXPECT_FALSE(info.disabled);
  EXPECT_EQ(info.disabled_reason, "");
  EXPECT_NE(info.hardware_reason.find("PMU"), std::string::npos);
  EXPECT_EQ(info.counters, PerfEventComponent::kSoftwareCounters);
  EXPECT_TRUE(info.can_attach && info.can_attach_cpu && info.can_inherit && info.can_multiplex);
  EXPECT_TRUE(component.CanCount(Id(component, "perf::PAGE-FAULTS")));
}

TEST(PerfEventComponent, ProbesWithSoftwareEventsOnlyWhatIsNoMatterOfThePmu) {
  FakeKernel kernel;
  kernel.SetOpenRule([](const perf_event_attr& attr) -> long {
    if (attr.type != PERF_TYPE_SOFTWARE) return -ENOENT;
    return attr.exclude_kernel ? 0 : -EACCES;
  });
  PerfEventComponent component(kernel, NativeCatalogue::Get(), CatalogueSide::kCore);
  EXPECT_TRUE(component.Info().available_domain.user);
  EXPECT_FALSE(component.Info().available_domain.kernel);
}

TEST(PerfEventComponent, GivesTheReasonWhenNothingMayBeCounted) {
  FakeKernel kernel;
  kernel.SetOpenRule([](const perf_event_attr&) { return -EACCES; });
  PerfEventComponent component(kernel, NativeCatalogue::Get(), CatalogueSide::kCore);
  EXPECT_TRUE(component.Info().disabled);
  EXPECT_NE(component.Info().disabled_reason, "");
  EXPECT_EQ(component.Info().counters, 0);
}

TEST(PerfEventComponent, RemembersWhetherAnEventCanBeCounted) {
  FakeKernel kernel;
  kernel.SetOpenRule([](const perf_event_attr& attr) {
    return attr.config == PERF_COUNT_SW_PAGE_FAULTS ? 0 : -ENOENT;
  });
  PerfEventComponent component(kernel, NativeCatalogue::Get(), CatalogueSide::kCore);
  const auto faults = Id(component, "perf::PAGE-FAULTS");
  const auto clock = Id(component, "perf::TASK-CLOCK");
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(component.CanCount(faults));
    EXPECT_EQ(component.CanCount(clock).error().code, Errc::kNoEvent);
  }
  // One each, and the ladder of old kernels is not for ENOENT.
  EXPECT_EQ(kernel.opens().size(), 2u);
}

TEST(PerfEventComponent, EnumeratesEachEventOnce) {
  PerfEventComponent component(RealKernel(), NativeCatalogue::Get(), CatalogueSide::kCore);
  std::set<std::uint32_t> seen;
  auto event = component.Enumerate(EnumerateStep::kFirst, 0);
  for (; event; event = component.Enumerate(EnumerateStep::kNext, *event)) {
    EXPECT_TRUE(seen.insert(*event).second);
    ComponentEvent described;
    ASSERT_TRUE(component.Describe(*event, described));
    EXPECT_NE(described.name, "");
    EXPECT_NE(described.pmu, "");
  }
  EXPECT_GT(seen.size(), 0u);
  EXPECT_LE(seen.size(), static_cast<std::size_t>(component.Info().native_events));
  ComponentEvent described;
  EXPECT_FALSE(component.Describe(0xffffff, described));
  EXPECT_FALSE(component.Enumerate(EnumerateStep::kNext, 0xffffff));
  EXPECT_FALSE(component.CanCount(0xffffff));
}

/// The base events that a component lists, by name.
std::set<std::string> Listed(PerfEventComponent& component) {
  std::set<std::string> names;
  for (auto event = component.Enumerate(EnumerateStep::kFirst, 0); event;
       event = component.Enumerate(EnumerateStep::kNext, *event)) {
    ComponentEvent described;
    EXPECT_TRUE(component.Describe(*event, described));
    names.insert(std::string(described.name));
  }
  return names;
}

/// What a component lists on a machine whose kernel answers opens by `rule`.
std::set<std::string> ListedWhere(std::function<long(const perf_event_attr&)> rule) {
  FakeKernel kernel;
  kernel.SetOpenRule(std::move(rule));
  PerfEventComponent component(kernel, NativeCatalogue::Get(), CatalogueSide::kCore);
  return Listed(component);
}

bool IsFrontendStall(const perf_event_attr& attr) {
  return attr.type == PERF_TYPE_HARDWARE && attr.config == PERF_COUNT_HW_STALLED_CYCLES_FRONTEND;
}

TEST(PerfEventListing, LeavesOutWhatTheMachineDoesNotHave) {
  const auto all = ListedWhere([](const perf_event_attr&) { return 0; });
  if (all.size() < 20) GTEST_SKIP() << "libpfm4 is not here";
  const auto fewer =
      ListedWhere([](const perf_event_attr& attr) { return IsFrontendStall(attr) ? -ENOENT : 0; });
  EXPECT_LT(fewer.size(), all.size());
  for (const std::string& name : all) {
    // Also "perf::IDLE-CYCLES-FRONTEND" and "perf::STALLED-CYCLES-FRONTEND".
    const bool stall = name.find("CYCLES") != name.npos && name.find("FRONTEND") != name.npos;
    EXPECT_EQ(fewer.count(name), stall ? 0u : 1u) << name;
  }
}

TEST(PerfEventListing, KeepsWhatIsOnlyRefused) {
  const auto all = ListedWhere([](const perf_event_attr&) { return 0; });
  for (const int refusal : {EACCES, EBUSY, EMFILE}) {
    EXPECT_EQ(ListedWhere([&](const perf_event_attr& attr) {
                return IsFrontendStall(attr) ? -refusal : 0;
              }),
              all)
        << refusal;
  }
}

TEST(PerfEventListing, HasAnEventOfWhichOneUnitMaskCounts) {
  // perf::PERF_COUNT_HW_CACHE_L1D: cache, operation and result in one byte each.
  const auto only_write_misses = [](const perf_event_attr& attr) {
    constexpr std::uint64_t kWriteMiss = PERF_COUNT_HW_CACHE_L1D |
                                         PERF_COUNT_HW_CACHE_OP_WRITE << 8 |
                                         PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
    return attr.type != PERF_TYPE_HW_CACHE || attr.config == kWriteMiss ? 0 : -ENOENT;
  };
  const auto has_l1d = [](const std::set<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return name.ends_with("PERF_COUNT_HW_CACHE_L1D");
    });
  };
  if (!has_l1d(ListedWhere([](const perf_event_attr&) { return 0; }))) {
    GTEST_SKIP() << "libpfm4 is not here";
  }
  EXPECT_TRUE(has_l1d(ListedWhere(only_write_misses)));
  EXPECT_FALSE(has_l1d(ListedWhere(
      [](const perf_event_attr& attr) { return attr.type == PERF_TYPE_HW_CACHE ? -ENOENT : 0; })));
}

TEST(PerfEventListing, OpensNothingOfAPmuThatIsNotThereAndNoOldSoftwareEvent) {
  FakeKernel kernel;
  kernel.SetOpenRule(
      [](const perf_event_attr& attr) { return attr.type == PERF_TYPE_SOFTWARE ? 0 : -ENOENT; });
  PerfEventComponent component(kernel, NativeCatalogue::Get(), CatalogueSide::kCore);
  (void)component.Basics();  // probes the machine
  const std::size_t before = kernel.opens().size();
  EXPECT_GT(Listed(component).size(), 0u);
  for (std::size_t i = before; i < kernel.opens().size(); ++i) {
    const perf_event_attr& attr = kernel.opens()[i].attr;
    EXPECT_TRUE(attr.type != PERF_TYPE_HARDWARE && attr.type != PERF_TYPE_RAW) << attr.type;
    EXPECT_FALSE(attr.type == PERF_TYPE_SOFTWARE && attr.config <= PERF_COUNT_SW_PAGE_FAULTS_MAJ);
  }
}

TEST(PerfEventComponent, TellsItsBasicsWithoutAListOfEvents) {
  static int opened = 0;
  opened = 0;
  NativeCatalogue catalogue([]() -> const PfmLibrary* { return ++opened, nullptr; }, "");
  FakeKernel kernel;
  kernel.SetOpenRule(
      [](const perf_event_attr& attr) { return attr.type == PERF_TYPE_SOFTWARE ? 0 : -ENOENT; });
  PerfEventComponent component(kernel, catalogue, CatalogueSide::kCore);
  const ComponentInfo& basics = component.Basics();
  EXPECT_EQ(basics.counters, PerfEventComponent::kSoftwareCounters);
  EXPECT_TRUE(basics.has_no_pmu);
  EXPECT_NE(basics.hardware_reason, "");
  EXPECT_EQ(opened, 0) << "libpfm4 takes milliseconds to look at the processor";
  EXPECT_NE(component.Info().hardware_reason.find("libpfm4"), std::string::npos);
  EXPECT_EQ(opened, 1);
}

TEST(PerfEventComponent, ARefusalIsNotTakenForAMissingPmu) {
  FakeKernel kernel;
  kernel.SetOpenRule(
      [](const perf_event_attr& attr) { return attr.type == PERF_TYPE_SOFTWARE ? 0 : -EBUSY; });
  PerfEventComponent component(kernel, NativeCatalogue::Get(), CatalogueSide::kCore);
  EXPECT_NE(component.Basics().hardware_reason, "");
  EXPECT_FALSE(component.Basics().has_no_pmu);
}

TEST(PerfEventComponent, ClocksHaveAUnitWhateverStandsBehindTheirNames) {
  PerfEventComponent component(RealKernel(), NativeCatalogue::Get(), CatalogueSide::kCore);
  const std::uint32_t clock = Id(component, "perf::CPU-CLOCK");
  int attributes = 0;
  for (auto at = component.Enumerate(EnumerateStep::kUnitMasks, clock); at;
       at = component.Enumerate(EnumerateStep::kUnitMasks, *at)) {
    ComponentEvent event;
    ASSERT_TRUE(component.Describe(*at, event));
    EXPECT_EQ(event.units, "ns") << event.name;
    ++attributes;
  }
  if (attributes == 0) GTEST_SKIP() << "libpfm4 is not here";
  ComponentEvent faults;
  ASSERT_TRUE(component.Describe(Id(component, "perf::PAGE-FAULTS"), faults));
  EXPECT_EQ(faults.units, "");
}

TEST(PerfEventComponent, CountsByItsOwnNumbers) {
  PerfEventComponent component(RealKernel(), NativeCatalogue::Get(), CatalogueSide::kCore);
  if (component.Info().disabled) GTEST_SKIP() << component.Info().disabled_reason;
  const auto set = component.MakeCounterSet();
  const CounterRequest requests[] = {{Id(component, "perf::TASK-CLOCK"), {}},
                                     {Id(component, "perf::PAGE-FAULTS:u"), {}}};
  ASSERT_TRUE(set->Configure(requests, {}));
  ASSERT_TRUE(set->Start());
  ASSERT_TRUE(set->Stop());
  long long values[2] = {};
  ASSERT_TRUE(set->Read(values));
  EXPECT_GT(values[0], 0);
  ComponentEvent clock;
  ASSERT_TRUE(component.Describe(requests[0].event, clock));
  EXPECT_EQ(clock.units, "ns");
}

TEST(PerfEventUncore, IsDisabledWithAReasonWhereThereIsNoSuchPmu) {
  PerfEventComponent component(RealKernel(), NativeCatalogue::Get(), CatalogueSide::kUncore);
  const ComponentInfo& info = component.Info();
  EXPECT_EQ(info.name, "perf_event_uncore");
  if (info.native_events == 0) {
    EXPECT_TRUE(info.disabled);
    EXPECT_NE(info.disabled_reason, "");
    EXPECT_FALSE(component.Enumerate(EnumerateStep::kFirst, 0));
  } else {
    EXPECT_TRUE(info.disabled || info.counters > 0);
  }
}

TEST(ComponentRegistry, KeepsItsOrderAndFindsByName) {
  FakeKernel kernel;
  ComponentRegistry registry(kernel, NativeCatalogue::Get());
  ASSERT_GE(registry.size(), 5u);
  EXPECT_EQ(registry.IndexOf("perf_event"), 0);
  EXPECT_EQ(registry.IndexOf("perf_event_uncore"), 1);
  EXPECT_EQ(registry.IndexOf("sde"), 2) << "as in PAPI's library";
  EXPECT_EQ(registry.IndexOf("sysdetect"), 3);
  EXPECT_EQ(registry.IndexOf("perf"), -1);
  EXPECT_EQ(registry.IndexOf("rapl"), 4);
  EXPECT_EQ(registry.IndexOf("powercap"), 5);
  EXPECT_EQ(registry.IndexOf("load"), 15);
  EXPECT_EQ(registry.IndexOf("appio"), static_cast<int>(registry.size()) - 1);
  EXPECT_EQ(registry.at(registry.size()), nullptr);
  EXPECT_EQ(registry.Info(3).name, "sysdetect");
  EXPECT_FALSE(registry.Info(3).disabled);
}

TEST(ComponentRegistry, TriesNothingForADisabledComponent) {
  FakeKernel kernel;
  ComponentRegistry registry(kernel, NativeCatalogue::Get());
  EXPECT_TRUE(registry.Disable(0, "a test"));
  EXPECT_FALSE(registry.Disable(registry.size(), "a test"));
  EXPECT_TRUE(registry.Info(0).disabled);
  EXPECT_EQ(registry.Info(0).name, "perf_event");
  EXPECT_EQ(registry.Info(0).disabled_reason, "disabled by a test");
  EXPECT_TRUE(kernel.opens().empty());
  registry.EnableAll();
  EXPECT_FALSE(registry.Info(0).disabled);
}

TEST(ComponentRegistry, FindsOutOnceForManyThreads) {
  ComponentRegistry& registry = ComponentRegistry::Get();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (std::size_t c = 0; c < registry.size(); ++c) EXPECT_NE(registry.Info(c).name, "");
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace csink
