#include "core/components/component_registry.h"

#include "core/components/sysdetect_component.h"

namespace csink {

ComponentRegistry::ComponentRegistry(Kernel& kernel, NativeCatalogue& catalogue)
    : perf_event_(kernel, catalogue, CatalogueSide::kCore),
      perf_event_uncore_(kernel, catalogue, CatalogueSide::kUncore),
      sysdetect_(MakeSysdetectComponent()),
      components_{&perf_event_, &perf_event_uncore_, sysdetect_.get()} {}

ComponentRegistry& ComponentRegistry::Get() {
  // Never destroyed: threads may still count while the process exits.
  static auto* registry = new ComponentRegistry(RealKernel(), NativeCatalogue::Get());
  return *registry;
}

Component* ComponentRegistry::at(std::size_t index) noexcept {
  return index < kCount ? components_[index] : nullptr;
}

int ComponentRegistry::IndexOf(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (components_[i]->name() == name) return static_cast<int>(i);
  }
  return -1;
}

const ComponentInfo& ComponentRegistry::Info(std::size_t index) {
  if (!disabled_by_user(index)) return components_[index]->Info();
  // Nothing is tried for a component that nobody wants.
  std::call_once(disabled_once_[index], [this, index] {
    ComponentInfo& info = disabled_info_[index];
    info.name = components_[index]->name();
    info.short_name = info.name;
    info.version = CSINK_VERSION;
    info.disabled = true;
    info.disabled_reason = "disabled by the program (PAPI_disable_component)";
  });
  return disabled_info_[index];
}

bool ComponentRegistry::Disable(std::size_t index) noexcept {
  if (index >= kCount) return false;
  disabled_[index].store(true, std::memory_order_release);
  return true;
}

void ComponentRegistry::EnableAll() noexcept {
  for (auto& disabled : disabled_) disabled.store(false, std::memory_order_release);
}

}  // namespace csink
