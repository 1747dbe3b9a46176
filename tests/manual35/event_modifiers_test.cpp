#include "compat/papi/abi35/event_modifiers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace csink::papi {
namespace {

/// Events by PMU, each with what may stand behind it: "skx::A", then "skx::A:e=0".
class ListedComponent final : public Component {
 public:
  struct Event {
    std::string pmu;
    std::vector<std::string> names;  ///< Its own, then with each mask or modifier
  };
  explicit ListedComponent(std::vector<Event> events) : events_(std::move(events)) {}

  const ComponentInfo& Info() override { return info; }
  std::string_view name() const noexcept override { return "listed"; }
  Result<std::uint32_t> Find(std::string_view, EventComplaint&) override { return None(); }
  bool Describe(std::uint32_t number, ComponentEvent& out) override {
    const Event& event = events_.at(number / kMost);
    out.name = event.names.at(number % kMost);
    out.pmu = event.pmu;
    return true;
  }
  Result<std::uint32_t> Enumerate(EnumerateStep step, std::uint32_t from) override {
    const std::uint32_t event = from / kMost;
    if (step == EnumerateStep::kFirst) return events_.empty() ? None() : At(0, 0);
    if (step == EnumerateStep::kNext) {
      return event + 1 == events_.size() ? None() : At(event + 1, 0);
    }
    const std::uint32_t next = from % kMost + 1;
    return next == events_[event].names.size() ? None() : At(event, next);
  }
  Result<void> CanCount(std::uint32_t) override { return {}; }
  std::unique_ptr<CounterSet> MakeCounterSet() override { return nullptr; }

  ComponentInfo info;

 private:
  static constexpr std::uint32_t kMost = 100;
  static Result<std::uint32_t> At(std::uint32_t event, std::uint32_t name) {
    return event * kMost + name;
  }
  static Result<std::uint32_t> None() { return Error{Errc::kNoEvent, 0, "no more"}; }
  std::vector<Event> events_;
};

const ListedComponent::Event kKernels = {"perf", {"perf::TASK-CLOCK", "perf::TASK-CLOCK:u=0"}};
const ListedComponent::Event kIntels = {
    "skx", {"skx::A", "skx::A:MASK", "skx::A:e=0", "skx::A:i=0", "skx::A:u=0"}};

TEST(FindEventModifiers, LooksAtTheProcessorsEventBehindTheKernels) {
  ListedComponent component({kKernels, {"perf_raw", {"perf_raw::r0:e=0"}}, kIntels});
  const EventModifiers found = FindEventModifiers(component);
  EXPECT_TRUE(found.edge);
  EXPECT_TRUE(found.invert);
}

TEST(FindEventModifiers, TellsTheModifiersApart) {
  ListedComponent component({{"amd", {"amd::A", "amd::A:e=0"}}, kIntels});
  const EventModifiers found = FindEventModifiers(component);
  EXPECT_TRUE(found.edge);
  EXPECT_FALSE(found.invert);
}

TEST(FindEventModifiers, FindsNoneOnAProcessorWithoutThem) {
  ListedComponent component({kKernels, {"arm_a53", {"arm_a53::A", "arm_a53::A:k=0"}}});
  EXPECT_FALSE(FindEventModifiers(component).edge);
  EXPECT_FALSE(FindEventModifiers(component).invert);
}

TEST(FindEventModifiers, FindsNoneWhereOnlySoftwareEventsCount) {
  ListedComponent component({kIntels});
  component.info.hardware_reason = "this virtual machine has no PMU";
  EXPECT_FALSE(FindEventModifiers(component).edge);
  component.info.hardware_reason.clear();
  component.info.disabled = true;
  EXPECT_FALSE(FindEventModifiers(component).edge);
  ListedComponent empty({});
  EXPECT_FALSE(FindEventModifiers(empty).edge);
}

}  // namespace
}  // namespace csink::papi
