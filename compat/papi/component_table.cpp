#include "compat/papi/component_table.h"

#include <signal.h>

#include <algorithm>

#include "compat/papi/copy_text.h"
#include "compat/papi/debug.h"
#include "compat/papi/event_codes.h"
#include "compat/papi/library.h"
#include "core/components/perf_event/perf_event_component.h"
#include "core/components/registry/component_registry.h"

/// File: the components as PAPI numbers and describes them. An index is the component's place in
/// ComponentRegistry, which never changes. Descriptions are converted into PAPI's structures at
/// each call, because a component may be disabled, and defaults may change.

namespace csink::papi {
namespace {

constexpr std::string_view kPrefixEnd = ":::";
static_assert(ComponentRegistry::kMost <= kMaxComponents);

int DomainsOf(const CountingDomain& domain) noexcept {
  return (domain.user ? PAPI_DOM_USER : 0) | (domain.kernel ? PAPI_DOM_KERNEL : 0) |
         (domain.hypervisor ? PAPI_DOM_SUPERVISOR : 0);
}

}  // namespace

int ComponentTable::count() noexcept {
  return static_cast<int>(std::min(ComponentRegistry::Get().size(), kMaxComponents));
}

Component* ComponentTable::At(int index) noexcept {
  if (index < 0 || index >= count()) return nullptr;
  return ComponentRegistry::Get().at(static_cast<std::size_t>(index));
}

int ComponentTable::IndexOf(std::string_view name) noexcept {
  return ComponentRegistry::Get().IndexOf(name);
}

const ComponentInfo& ComponentTable::BasicsOf(int index) {
  return ComponentRegistry::Get().Basics(static_cast<std::size_t>(index));
}

void ComponentTable::Disable(int index) noexcept {
  ComponentRegistry::Get().Disable(static_cast<std::size_t>(index));
}

const ComponentInfo& ComponentTable::InfoOf(int index) {
  return ComponentRegistry::Get().Info(static_cast<std::size_t>(index));
}

int ComponentTable::CheckUsable(int index) {
  if (At(index) == nullptr) return PAPI_ENOCMP;
  const ComponentInfo& info = BasicsOf(index);
  return info.disabled ? Complain(PAPI_ECMP_DISABLED, info.disabled_reason) : PAPI_OK;
}

// Only where the program disabled the component, CheckUsable is called for its message; that is
// then the stored reason and asks no hardware.
int ComponentTable::CheckSwitchedOn(int index) {
  if (At(index) == nullptr) return PAPI_ENOCMP;
  const bool off = ComponentRegistry::Get().disabled_by_user(static_cast<std::size_t>(index));
  return off ? CheckUsable(index) : PAPI_OK;
}

int ComponentTable::AvailableDomains(int index) {
  return DomainsOf(BasicsOf(index).available_domain);
}

const PAPI_component_info_t* ComponentTable::Describe(int index) {
  if (At(index) == nullptr) return nullptr;
  if (!Get(index).described) Get(index).described = std::make_unique<Description>();
  Fill(index);
  return &Get(index).described->info;
}

const ComponentInfo72* ComponentTable::Describe72(int index) {
  const PAPI_component_info_t* described = Describe(index);
  if (described == nullptr) return nullptr;
  auto& kept = Get(index).described_72;
  if (!kept) kept = std::make_unique<ComponentInfo72>();
  ToLayout72(*described, *kept);
  return kept.get();
}

void ComponentTable::Fill(int index) {
  const ComponentInfo& from = InfoOf(index);
  Entry& entry = Get(index);
  auto& pmu_names = entry.described->pmu_names;
  PAPI_component_info_t& to = entry.described->info;
  CopyText(to.name, from.name);
  CopyText(to.short_name, from.short_name);
  CopyText(to.description, from.description);
  CopyText(to.version, from.version);
  CopyText(to.support_version, from.support_version);
  CopyText(to.kernel_version, from.kernel_version);
  // Without a PMU perf_event still counts software events: it is not disabled, but the reason why
  // it has no hardware events is shown (layout_72.cpp moves it to partially_disabled_reason).
  CopyText(to.disabled_reason, from.disabled ? from.disabled_reason : from.hardware_reason);
  // Members that are not set here stay 0.
  to.disabled = from.disabled ? PAPI_ECMP_DISABLED : PAPI_OK;
  to.initialized = 1;
  to.CmpIdx = index;
  to.num_cntrs = from.counters;
  to.num_mpx_cntrs = from.multiplexed_counters;
  to.num_native_events = from.native_events;
  // All presets are those of component 0 (perf_event). Counting them resolves every preset.
  to.num_preset_events = index == 0 && !to.disabled ? TheLibrary().presets.CountAvailable() : 0;
  to.default_domain = entry.domain.load();
  to.available_domains = DomainsOf(from.available_domain);
  to.default_granularity = entry.granularity.load();
  to.available_granularities = PAPI_GRN_THR | PAPI_GRN_SYS;
  // The signal of the preferred source of overflows; SetOverflow may choose another one.
  to.hardware_intr_sig = from.has_hardware_overflow ? SIGTRAP : 0;
  to.hardware_intr = from.has_hardware_overflow || from.reports_overflows;
  to.kernel_profile = from.has_hardware_overflow;
  to.posix1b_timers = 1;
  to.kernel_multiplex = from.can_multiplex;
  to.fast_counter_read = from.fast_counter_read;
  to.fast_real_timer = 1;
  to.attach = from.can_attach;
  to.attach_must_ptrace = from.can_attach;  // the target must be stopped for a defined start
  to.cpu = from.can_attach_cpu;
  to.inherit = from.can_inherit;
  to.cntr_umasks = 1;
  // PAPI's structure has pointers to the names, so the names are copied beside it.
  const std::size_t pmus = std::min<std::size_t>(from.pmu_names.size(), PAPI_PMU_MAX);
  for (std::size_t i = 0; i < pmus; ++i) {
    const std::string_view name = from.pmu_names[i];
    const std::size_t length = std::min(name.size(), pmu_names[i].size() - 1);
    std::copy_n(name.data(), length, pmu_names[i].data());
    pmu_names[i][length] = 0;
    to.pmu_names[i] = pmu_names[i].data();
  }
}

Result<int> ComponentTable::FindNative(std::string_view name) {
  EventComplaint& complaint = Complaint();
  if (name.empty()) return Error{Errc::kInvalid, 0, "an event needs a name"};
  int first = 0;
  int last = count();
  const std::size_t prefix = name.find(kPrefixEnd);
  if (prefix != std::string_view::npos) {
    // An unknown prefix stays part of the name: the components then say what is wrong with it.
    if (const int index = IndexOf(name.substr(0, prefix)); index >= 0) {
      first = index;
      last = index + 1;
      name.remove_prefix(prefix + kPrefixEnd.size());
    }
  }
  // If no component knows the name, the message of the component that knows the largest part of the
  // name is kept: any error is better than "no such event".
  Error error = {Errc::kNoEvent, 0, "no component has an event of this name"};
  EventComplaint sentence;
  // True: the name has the prefix of a component.
  const bool named = last != count() || first != 0;
  for (int i = first; i < last; ++i) {
    // Devices are found by their prefix alone: asking them could open hardware for every misspelt
    // name.
    if (!named && At(i)->needs_prefix()) continue;
    if (ComponentRegistry::Get().disabled_by_user(static_cast<std::size_t>(i))) continue;
    complaint.Clear();
    const Result<std::uint32_t> found = At(i)->Find(name, complaint);
    if (found) {
      complaint.Clear();
      return NativeCode(i, *found);
    }
    if (sentence.size() == 0 || error.code == Errc::kNoEvent) {
      if (sentence.size() != 0 && found.error().code == Errc::kNoEvent) continue;
      error = found.error();
      sentence = complaint;
    }
  }
  complaint = sentence;
  return error;
}

void ComponentTable::Reset() noexcept {
  for (Entry& entry : entries_) {
    entry.domain.store(PAPI_DOM_USER);
    entry.granularity.store(PAPI_GRN_THR);
  }
  default_inherit_.store(PAPI_INHERIT_NONE);
  ComponentRegistry::Get().EnableAll();
  for (const std::string_view name : {"perf_event", "perf_event_uncore"}) {
    if (Component* const component = At(IndexOf(name))) {
      // One event of each kind is kept open between event sets (75 us each time otherwise); after
      // PAPI_shutdown nothing may stay open.
      static_cast<PerfEventComponent*>(component)->memory().CloseKept(RealKernel());
    }
  }
}

}  // namespace csink::papi
