#include "core/counting/components/topdown/topdown_component.h"

#include <sys/utsname.h>

#include <mutex>
#include <optional>

#include "core/counting/components/topdown/topdown_counter_set.h"
#include "core/perf/counting_obstacles.h"
#include "core/util/nearest.h"
#include "core/util/parse.h"
#include "core/version/number.h"

// File: an event is a part of the slots (TopdownPart); its number is the part's + 1. Info finds the
// model of the processor, computes from counts of 1 which parts the model's formula knows, and
// opens a set of level 1 once, because only the kernel knows whether the events can be opened.

namespace csink {
namespace {

using topdown::ModelEvents;
using topdown::TopdownCounterSet;
using Part = TopdownPart;

constexpr std::string_view kName = "topdown";
constexpr std::string_view kPrefix = "topdown:::";

// An event: its part, its name without prefix, its description.
struct NamedPart {
  Part part;
  std::string_view name;
  std::string_view what;
};

/// PAPI 7.2's names in its order (src/components/topdown), then ours. docs/topdown.md explains
/// levels 1 and 2.
constexpr NamedPart kParts[] = {
    {Part::kRetiring, "TOPDOWN_RETIRING_PERC", "Slots used by operations that retired"},
    {Part::kBadSpeculation, "TOPDOWN_BAD_SPEC_PERC", "Slots lost by wrong speculation"},
    {Part::kFrontend, "TOPDOWN_FE_BOUND_PERC", "Slots empty because of the frontend"},
    {Part::kBackend, "TOPDOWN_BE_BOUND_PERC", "Slots empty because of the backend"},
    {Part::kHeavyOperations, "TOPDOWN_HEAVY_OPS_PERC",
     "Slots used by instructions that decode into several operations"},
    {Part::kMispredicts, "TOPDOWN_BR_MISPREDICT_PERC", "Slots lost by mispredicted branches"},
    {Part::kFrontendLatency, "TOPDOWN_FETCH_LAT_PERC",
     "Slots empty in cycles in which the frontend delivered nothing"},
    {Part::kBackendMemory, "TOPDOWN_MEM_BOUND_PERC", "Slots empty because of loads and stores"},
    {Part::kLightOperations, "TOPDOWN_LIGHT_OPS_PERC",
     "Slots used by instructions that decode into one operation"},
    {Part::kMachineClears, "TOPDOWN_MACHINE_CLEARS_PERC",
     "Slots lost by flushes other than those of branches"},
    {Part::kFrontendBandwidth, "TOPDOWN_FETCH_BAND_PERC",
     "Slots empty in cycles in which the frontend delivered too little"},
    {Part::kBackendCore, "TOPDOWN_CORE_BOUND_PERC",
     "Slots empty because of the backend, except memory"},
    {Part::kSmtContention, "TOPDOWN_SMT_CONTENTION_PERC",
     "Slots used by the other hardware thread of the core"},
    {Part::kUnattributed, "TOPDOWN_UNATTRIBUTED_PERC", "Slots that no event accounts for"},
};

// The parts that a model knows, by its formula over arbitrary counts. The shares themselves have no
// meaning here.
TopdownShares PartsOf(const TopdownModel& model) {
  TopdownCounts counts;
  for (std::size_t i = 0; i < model.count; ++i) counts[model.events[i].role] = 1;
  counts.slots_per_cycle = model.events[0].factor;
  TopdownShares parts = SharesOf(model.formula, counts);
  // Intel's metrics are parts of one register and add up to one, so nothing remains.
  if (model.one_group) parts.known[static_cast<std::size_t>(Part::kUnattributed)] = false;
  return parts;
}

class TopdownComponent final : public Component {
 public:
  TopdownComponent(Kernel& kernel, const std::optional<Processor>& processor, std::string root)
      : kernel_(kernel), processor_(processor), root_(std::move(root)) {}

  const ComponentInfo& Info() override {
    // Not in the constructor: opening events at PAPI_library_init would cost programs that use no
    // top-down event.
    std::call_once(once_, [this] { FindOut(); });
    return info_;
  }
  std::string_view name() const noexcept override { return kName; }
  Result<std::uint32_t> Find(std::string_view name, EventComplaint& complaint) override;
  bool Describe(std::uint32_t event, ComponentEvent& out) override;
  Result<std::uint32_t> Enumerate(EnumerateStep step, std::uint32_t from) override;
  Result<void> CanCount(std::uint32_t event) override;
  std::unique_ptr<CounterSet> MakeCounterSet() override;

 private:
  void FindOut();
  // The event with this number; nullptr: none, or one that this processor does not have.
  const NamedPart* Named(std::uint32_t event) const;

  static std::uint32_t NumberOf(const NamedPart& part) {
    return static_cast<std::uint32_t>(part.part) + 1;
  }

  Kernel& kernel_;
  const std::optional<Processor> processor_;  ///< nullopt: the one that this runs on
  const std::string root_;
  // info_, events_ and parts_ are constant after FindOut.
  std::once_flag once_;
  ComponentInfo info_;
  // The events of the model; an empty model where there is none. Set by FindOut.
  std::unique_ptr<ModelEvents> events_;
  TopdownShares parts_ = {};
};

void TopdownComponent::FindOut() {
  utsname system = {};
  if (uname(&system) == 0) info_.kernel_version = system.release;
  info_.name = info_.short_name = kName;
  info_.version = CSINK_VERSION;
  info_.description = "Top-down analysis: shares of the processor's issue slots";
  TopdownReason reason;
  const Result<TopdownModel> model = FindTopdownModel(processor_ ? *processor_ : ThisProcessor(),
                                                      root_, TopdownUse::kCounting, reason);
  events_ = std::make_unique<ModelEvents>(model ? *model : TopdownModel{});
  if (!model) {
    info_.disabled = true;
    info_.disabled_reason = reason.view();
    return;
  }
  parts_ = PartsOf(*model);
  TopdownCounterSet set(kernel_, *events_);
  // Every model has retiring slots, and asking for them opens all events of level 1.
  const CounterRequest request{static_cast<std::uint32_t>(Part::kRetiring) + 1, {}};
  // The kernel's reason (errno) is explained where there is one.
  if (const Result<void> opened = set.Configure({&request, 1}, {}); !opened) {
    info_.disabled = true;
    const int refusal = opened.error().sys_errno;
    info_.disabled_reason =
        refusal == 0 ? std::string(opened.error().what)
                     : std::string(ExplainRefusal(refusal, true, ReadMachineFacts()).why.view());
    return;
  }
  for (const NamedPart& part : kParts) info_.native_events += parts_.Knows(part.part);
  // Each part can be in a set once, and all parts of a set come from one group, so as many as there
  // are fit.
  info_.counters = info_.multiplexed_counters = info_.native_events;
  // The hypervisor's slots are not counted.
  info_.available_domain = {true, true, false};
  info_.can_attach = info_.can_attach_cpu = info_.can_inherit = true;
}

const NamedPart* TopdownComponent::Named(std::uint32_t event) const {
  for (const NamedPart& part : kParts) {
    if (NumberOf(part) == event && parts_.Knows(part.part)) return &part;
  }
  return nullptr;
}

Result<std::uint32_t> TopdownComponent::Find(std::string_view name, EventComplaint& complaint) {
  const Error none{Errc::kNoEvent, 0, "the component has no such event"};
  complaint.Clear();
  if (name.substr(0, kPrefix.size()) == kPrefix) {
    name.remove_prefix(kPrefix.size());
  } else if (name.substr(0, 8) != "TOPDOWN_") {
    // Names are searched in all components. For an event of the processor, no top-down event is
    // opened.
    complaint.Add(kName).Add(" has no event ").Add(name);
    return none;
  }
  if (Info().disabled) {
    complaint.Add(kName).Add(" is disabled: ").Add(info_.disabled_reason);
    return Error{Errc::kNoEvent, 0, "the component is disabled"};
  }
  // Only names that this processor has are offered: a hint to one that it lacks would lead to the
  // next refusal.
  NearestNames<2> nearest(name);
  for (const NamedPart& part : kParts) {
    if (!parts_.Knows(part.part)) continue;
    if (part.name == name) return NumberOf(part);
    nearest.Offer(part.name);
  }
  // The name may be a part that another processor has.
  complaint.Add(kName).Add(" has no event ").Add(name).Add(" on this processor");
  for (std::size_t i = 0; i < nearest.count(); ++i) {
    complaint.Add(i == 0 ? "; did you mean " : " or ").Add(nearest[i]);
  }
  if (nearest.count() != 0) complaint.Add("?");
  return none;
}

bool TopdownComponent::Describe(std::uint32_t event, ComponentEvent& out) {
  // A disabled component has no events.
  const NamedPart* part = Info().disabled ? nullptr : Named(event);
  if (part == nullptr) return false;
  out = {};
  out.name.append(kPrefix).append(part->name);
  out.short_description = part->what;
  out.long_description = out.short_description + ", in percent of all slots (a double)";
  out.units = "%";
  out.pmu = kName;
  out.value_type = ComponentEvent::Type::kFloating;
  return true;
}

Result<std::uint32_t> TopdownComponent::Enumerate(EnumerateStep step, std::uint32_t from) {
  const Error no_more{Errc::kNoEvent, 0, "there are no more events"};
  if (Info().disabled) return no_more;
  const bool first = step == EnumerateStep::kFirst;
  if (!first && step != EnumerateStep::kNext) {
    return Error{Errc::kNoEvent, 0, "events have no unit masks"};
  }
  // Events are listed in the order of kParts, not of their numbers.
  bool behind = first;
  for (const NamedPart& part : kParts) {
    if (behind && parts_.Knows(part.part)) return NumberOf(part);
    behind = behind || NumberOf(part) == from;
  }
  return no_more;
}

Result<void> TopdownComponent::CanCount(std::uint32_t event) {
  if (Info().disabled || Named(event) == nullptr) {
    return Error{Errc::kNoEvent, 0, "there is no such event"};
  }
  TopdownCounterSet set(kernel_, *events_);
  const CounterRequest request{event, {}};
  return set.Configure({&request, 1}, {});
}

std::unique_ptr<CounterSet> TopdownComponent::MakeCounterSet() {
  (void)Info();
  return std::make_unique<TopdownCounterSet>(kernel_, *events_);
}

}  // namespace

std::unique_ptr<Component> MakeTopdownComponent(Kernel& kernel) {
  return std::make_unique<TopdownComponent>(kernel, std::nullopt, std::string());
}

std::unique_ptr<Component> MakeTopdownComponent(Kernel& kernel, const Processor& processor,
                                                std::string root) {
  return std::make_unique<TopdownComponent>(kernel, processor, std::move(root));
}

}  // namespace csink
