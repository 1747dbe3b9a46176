#include "compat/papi/events/component_table.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "compat/papi/boundary/debug.h"
#include "compat/papi/events/event_codes.h"
#include "core/counting/components/perf_event/perf_event_component.h"
#include "core/counting/components/registry/component_registry.h"
#include "core/util/parse.h"

/// File: the components as PAPI numbers them. An index is the component's place in
/// ComponentRegistry, which never changes.

namespace csink::papi {

constinit ComponentTable g_components;

namespace {

constexpr std::string_view kPrefixEnd = ":::";
static_assert(ComponentRegistry::kMost <= kMaxComponents);

}  // namespace

int DomainsOf(const CountingDomain& domain) noexcept {
  return (domain.user ? PAPI_DOM_USER : 0) | (domain.kernel ? PAPI_DOM_KERNEL : 0) |
         (domain.hypervisor ? PAPI_DOM_SUPERVISOR : 0);
}

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

void ComponentTable::Disable(int index, const char* by) noexcept {
  ComponentRegistry::Get().Disable(static_cast<std::size_t>(index), by);
}

void ComponentTable::DisableByEnvironment() {
  const char* const value = secure_getenv("PAPI_DISABLE_COMPONENTS");
  if (value == nullptr) return;
  std::string names = value;
  std::replace(names.begin(), names.end(), ':', ',');
  for (std::string_view rest = names; !rest.empty();) {
    const int index = IndexOf(NextToken(rest, ','));
    if (index >= 0) Disable(index, "the user (PAPI_DISABLE_COMPONENTS)");
  }
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
  // PAPI_disable_component holds until PAPI_shutdown.
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
