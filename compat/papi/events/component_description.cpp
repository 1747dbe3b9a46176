#include <signal.h>

#include <algorithm>
#include <array>
#include <memory>

#include "compat/papi/boundary/copy_text.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/events/preset_events.h"

/// File: core's description of a component in PAPI's structure. It is converted at each call,
/// because a component may be disabled, and defaults may change.

namespace csink::papi {
namespace {

/// PAPI's structure has pointers to the names, so their memory is beside it.
struct Description {
  PAPI_component_info_t info = {};
  std::array<std::array<char, PAPI_MIN_STR_LEN>, PAPI_PMU_MAX> pmu_names = {};
};

void Fill(int index, Description& description) {
  const ComponentInfo& from = Components().InfoOf(index);
  auto& pmu_names = description.pmu_names;
  PAPI_component_info_t& to = description.info;
  CopyText(to.name, from.name);
  CopyText(to.short_name, from.short_name);
  CopyText(to.description, from.description);
  CopyText(to.version, from.version);
  CopyText(to.support_version, from.support_version);
  CopyText(to.kernel_version, from.kernel_version);
  // Without a PMU perf_event still counts software events: it is not disabled, but the reason why
  // it has no hardware events is shown (abi7/layout_72.cpp moves it to partially_disabled_reason).
  CopyText(to.disabled_reason, from.disabled ? from.disabled_reason : from.hardware_reason);
  // Members that are not set here stay 0.
  to.disabled = from.disabled ? PAPI_ECMP_DISABLED : PAPI_OK;
  to.initialized = 1;
  to.CmpIdx = index;
  to.num_cntrs = from.counters;
  to.num_mpx_cntrs = from.multiplexed_counters;
  to.num_native_events = from.native_events;
  // All presets are those of component 0 (perf_event). Counting them resolves every preset.
  to.num_preset_events = index == 0 && !to.disabled ? Presets().CountAvailable() : 0;
  to.default_domain = Components().default_domain(index);
  to.available_domains = DomainsOf(from.available_domain);
  to.default_granularity = Components().default_granularity(index);
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
  const std::size_t pmus = std::min<std::size_t>(from.pmu_names.size(), PAPI_PMU_MAX);
  for (std::size_t i = 0; i < pmus; ++i) {
    const std::string_view name = from.pmu_names[i];
    const std::size_t length = std::min(name.size(), pmu_names[i].size() - 1);
    std::copy_n(name.data(), length, pmu_names[i].data());
    pmu_names[i][length] = 0;
    to.pmu_names[i] = pmu_names[i].data();
  }
}

}  // namespace

const PAPI_component_info_t* DescribeComponent(int index) {
  // Allocated on first use, because a description is large; never freed, because programs keep the
  // pointer.
  static auto& described = *new std::array<std::unique_ptr<Description>, kMaxComponents>;
  if (Components().At(index) == nullptr) return nullptr;
  auto& kept = described[static_cast<std::size_t>(index)];
  if (!kept) kept = std::make_unique<Description>();
  Fill(index, *kept);
  return &kept->info;
}

}  // namespace csink::papi
