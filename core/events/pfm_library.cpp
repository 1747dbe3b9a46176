#include "core/events/pfm_library.h"

#include <dlfcn.h>

namespace csink {
namespace {

enum class State : unsigned char { kNotTried, kLoaded, kMissing };
State g_state = State::kNotTried;
PfmLibrary g_library;

template <class F>
bool Bind(void* handle, const char* name, F& function) noexcept {
  function = reinterpret_cast<F>(dlsym(handle, name));
  return function != nullptr;
}

bool Load(PfmLibrary& pfm) noexcept {
  void* handle = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
  return handle && Bind(handle, "pfm_initialize", pfm.initialize) &&
         Bind(handle, "pfm_strerror", pfm.strerror) &&
         Bind(handle, "pfm_get_pmu_info", pfm.get_pmu_info) &&
         Bind(handle, "pfm_get_event_next", pfm.get_event_next) &&
         Bind(handle, "pfm_find_event", pfm.find_event) &&
         Bind(handle, "pfm_get_event_info", pfm.get_event_info) &&
         Bind(handle, "pfm_get_event_attr_info", pfm.get_event_attr_info) &&
         Bind(handle, "pfm_get_os_event_encoding", pfm.get_os_event_encoding) &&
         pfm.initialize() == PFM_SUCCESS;
}

}  // namespace

const PfmLibrary* PfmLibrary::Get() noexcept {
  if (g_state == State::kNotTried) g_state = Load(g_library) ? State::kLoaded : State::kMissing;
  return g_state == State::kLoaded ? &g_library : nullptr;
}

bool PfmLibrary::Pmu(int number, pfm_pmu_info_t& info) const noexcept {
  info = pfm_pmu_info_t{};
  info.size = sizeof(info);
  return get_pmu_info(static_cast<pfm_pmu_t>(number), &info) == PFM_SUCCESS && info.name;
}

}  // namespace csink
