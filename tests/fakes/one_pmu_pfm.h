#pragma once

#include <cstdlib>
#include <cstring>
#include <string>

#include "core/events/pfm_library.h"

namespace csink::fakes {

/// A libpfm4 with one core PMU of any number, name and size; its events are EVENT_0, EVENT_1, ...
/// and their configs their numbers. One at a time: libpfm4's functions have no context.
struct OnePmuPfm {
  static inline std::string name;
  static inline int number = 0;
  static inline int events = 0;

  static const PfmLibrary* Open(const char* pmu, int pmu_number, int count) {
    name = pmu;
    number = pmu_number;
    events = count;
    return Again();
  }

  /// The same one, for those who take a function.
  static const PfmLibrary* Again() {
    static const PfmLibrary library = [] {
      PfmLibrary fake;
      fake.strerror = [](int) -> const char* { return "fake"; };
      fake.get_pmu_info = &PmuInfo;
      fake.get_event_next = [](int index) { return NumberOf(index) + 1 < events ? index + 1 : -1; };
      fake.find_event = &Find;
      fake.get_event_info = &EventInfo;
      fake.get_event_attr_info = [](int, int, pfm_os_t, pfm_event_attr_info_t*) -> pfm_err_t {
        return PFM_ERR_INVAL;
      };
      fake.get_os_event_encoding = &Encode;
      return fake;
    }();
    return &library;
  }

 private:
  static int NumberOf(int index) { return index - (number << 21); }

  static pfm_err_t PmuInfo(pfm_pmu_t pmu, pfm_pmu_info_t* info) {
    if (static_cast<int>(pmu) > number) return PFM_ERR_INVAL;
    if (static_cast<int>(pmu) != number) return PFM_ERR_NOTSUPP;
    info->name = info->desc = name.c_str();
    info->pmu = pmu;
    info->type = PFM_PMU_TYPE_CORE;
    info->first_event = number << 21;
    info->nevents = events;
    info->is_present = 1;
    return PFM_SUCCESS;
  }
  static pfm_err_t EventInfo(int index, pfm_os_t, pfm_event_info_t* info) {
    static std::string text;
    if (NumberOf(index) < 0 || NumberOf(index) >= events) return PFM_ERR_INVAL;
    text = "EVENT_" + std::to_string(NumberOf(index));
    info->name = info->desc = text.c_str();
    info->pmu = static_cast<pfm_pmu_t>(number);
    info->idx = index;
    return PFM_SUCCESS;
  }
  static int Find(const char* text) {
    std::string event(text);
    if (event.rfind(name + "::", 0) == 0) event = event.substr(name.size() + 2);
    for (int i = 0; i < events; ++i) {
      if (event == "EVENT_" + std::to_string(i)) return (number << 21) + i;
    }
    return PFM_ERR_NOTFOUND;
  }
  static pfm_err_t Encode(const char* text, int, pfm_os_t, void* argument) {
    auto* arg = static_cast<pfm_perf_encode_arg_t*>(argument);
    const int index = Find(text);
    if (index < 0) return PFM_ERR_NOTFOUND;
    arg->attr->type = PERF_TYPE_RAW;
    arg->attr->config = static_cast<unsigned>(NumberOf(index));
    arg->idx = index;
    arg->cpu = -1;
    *arg->fstr = strdup((name + "::EVENT_" + std::to_string(NumberOf(index))).c_str());
    return PFM_SUCCESS;
  }
};

}  // namespace csink::fakes
