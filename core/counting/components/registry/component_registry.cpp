#include "core/counting/components/registry/component_registry.h"

#include <utility>

#include "core/counting/components/appio/appio_component.h"
#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/sde/sde_component.h"
#include "core/counting/components/sysdetect/sysdetect_component.h"
#include "core/counting/components/topdown/topdown_component.h"
#include "core/counting/components/vendor/separate_source.h"
#include "core/util/thread_id.h"
#include "core/version/number.h"

// File: the list of components, in the order of their numbers.

namespace csink {
namespace {

// For ForgetAfterFork, which must not make a registry or wait for the making of one.
std::atomic<ComponentRegistry*> g_registry{nullptr};

}  // namespace

ComponentRegistry::ComponentRegistry(Kernel& kernel, NativeCatalogue& catalogue) {
  // The numbers follow from the order of these calls, so a new component belongs at the end.
  const auto add = [this](std::unique_ptr<Component> component) {
    components_.push_back(std::move(component));
  };
  const auto add_device = [&add](std::string_view name, std::string_view description,
                                 std::unique_ptr<DeviceSource> source) {
    add(MakeDeviceComponent({name, description}, std::move(source)));
  };
  // Component 0 in PAPI, too: programs rely on it for processor events.
  add(std::make_unique<PerfEventComponent>(kernel, catalogue, CatalogueSide::kCore));
  add(std::make_unique<PerfEventComponent>(kernel, catalogue, CatalogueSide::kUncore));
  add(sde::MakeSdeComponent());  // at its place in PAPI's list
  add(MakeSysdetectComponent());
  const SystemTree tree;
  add_device("rapl", "Energy, temperature, frequency, load and memory of the processors",
             MakeFileSource(MakeRaplSource(tree, kernel)));
  add_device("powercap", "Energy and power limits of the zones of /sys/class/powercap",
             MakeFileSource(MakePowercapSource(tree)));
  add_device("nvml", "NVIDIA GPUs by NVML: power, energy, temperature, clocks, utilization, memory",
             MakeNvmlSource());
  add_device("maxeler", "Maxeler FPGA cards by MaxelerOS: power, temperature, utilization",
             MakeMaxelerSource());
  add_device("ipmi", "The server by its BMC: power, energy, temperature and all linear sensors",
             MakeIpmiSource(nullptr, tree));
  add_device("micknc", "Xeon Phi cards by libmicmgmt: power, temperature, clocks, time, memory",
             MakeMicSource());
  add(MakeTopdownComponent(kernel));
  add_device("hwmon", "Power and energy of the drivers in /sys/class/hwmon: GPUs, boards, servers",
             MakeFileSource(MakeHwmonSource(tree)));
  add_device("cray_pm", "Energy and power of a node of HPE Cray by /sys/cray/pm_counters",
             MakeFileSource(MakeCrayPmSource(tree)));
  add_device("rocm_smi", "AMD GPUs by ROCm SMI: energy and power", MakeRocmSmiSource());
  add_device("level_zero", "Intel GPUs by Level Zero's sysman: energy", MakeLevelZeroSource());
  add_device("load", "Load, memory, temperature and frequency of the processors",
             MakeFileSource(MakeLoadSource(tree)));
  add_device("net", "Bytes, packets and errors of the network interfaces, by /proc/net/dev",
             MakeFileSource(MakeNetSource(tree)));
  add_device("stealtime", "Time that the hypervisor took from the processors, by /proc/stat",
             MakeFileSource(MakeStealtimeSource(tree)));
  add_device("coretemp", "Temperatures, voltages and fans of the drivers in /sys/class/hwmon",
             MakeFileSource(MakeCoretempSource(tree)));
  add(appio::MakeAppioComponent());
  // The number of components above.
  static_assert(kMost >= 20);
}

ComponentRegistry& ComponentRegistry::Get() {
  // Never destroyed: threads may still count during exit.
  static auto* registry = [] {
    auto* made = new ComponentRegistry(RealKernel(), NativeCatalogue::Get());
    g_registry.store(made, std::memory_order_release);
    return made;
  }();
  return *registry;
}

void ComponentRegistry::ForgetAfterFork() noexcept {
  ComponentRegistry* const registry = g_registry.load(std::memory_order_acquire);
  if (registry == nullptr) return;
  registry->disabled_lock_.ResetAfterFork();
  for (const auto& component : registry->components_) component->ForgetAfterFork();
}

Component* ComponentRegistry::at(std::size_t index) noexcept {
  return index < size() ? components_[index].get() : nullptr;
}

// name() probes nothing, so no device is opened for a look-up.
int ComponentRegistry::IndexOf(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < size(); ++i) {
    if (components_[i]->name() == name) return static_cast<int>(i);
  }
  return -1;
}

const ComponentInfo& ComponentRegistry::Info(std::size_t index) {
  const char* const by = disabled_by_[index].load(std::memory_order_acquire);
  if (by == nullptr) return components_[index]->Info();
  // Nothing is probed for a component that is disabled.
  // A handler that interrupted the holder gets the component's own info: with a fork in between,
  // the child's is free (ForgetAfterFork).
  const FutexHolding held(disabled_lock_, AskTid());
  if (!held.held()) return components_[index]->Info();
  ComponentInfo& info = disabled_info_[{index, by}];
  if (info.name.empty()) {
    info.name = components_[index]->name();
    info.short_name = info.name;
    info.version = CSINK_VERSION;
    info.disabled = true;
    info.disabled_reason = std::string("disabled by ") + by;
  }
  return info;
}

bool ComponentRegistry::Disable(std::size_t index, const char* by) noexcept {
  if (index >= size()) return false;
  disabled_by_[index].store(by, std::memory_order_release);
  return true;
}

void ComponentRegistry::EnableAll() noexcept {
  for (auto& by : disabled_by_) by.store(nullptr, std::memory_order_release);
}

}  // namespace csink
