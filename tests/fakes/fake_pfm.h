#pragma once

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/events/pfm_library.h"

namespace csink::fakes {

/// A libpfm4 with two core PMUs, as on a hybrid CPU, and one of a socket. Its events take any
/// known unit mask; those that EVENT needs are in two groups without defaults.
struct FakePfm {
  struct Event {
    const char* name;
    std::vector<const char*> first_group;
    std::vector<const char*> second_group;
  };
  struct Pmu {
    int number;
    const char* name;
    pfm_pmu_type_t type;
    std::vector<Event> events;
  };

  static const std::vector<Pmu>& Pmus() {
    static const std::vector<Pmu> pmus = {
        {10, "big", PFM_PMU_TYPE_CORE, {{"CYCLES", {}, {}}, {"ONLY_BIG", {}, {}}}},
        {11, "little", PFM_PMU_TYPE_CORE, {{"CYCLES", {}, {}}, {"ONLY_LITTLE", {}, {}}}},
        {12, "socket", PFM_PMU_TYPE_UNCORE, {{"TRAFFIC", {"IN", "OUT"}, {"NEAR", "FAR"}}}},
    };
    return pmus;
  }

  static const PfmLibrary* Open() {
    static const PfmLibrary library = [] {
      PfmLibrary fake;
      fake.strerror = [](int) -> const char* { return "fake"; };
      fake.get_pmu_info = &PmuInfo;
      fake.get_event_next = [](int index) { return At(index + 1) ? index + 1 : -1; };
      fake.find_event = &FindEvent;
      fake.get_event_info = &EventInfo;
      fake.get_event_attr_info = &AttributeInfo;
      fake.get_os_event_encoding = &Encode;
      return fake;
    }();
    return &library;
  }

 private:
  static const Pmu* PmuAt(int number) {
    for (const Pmu& pmu : Pmus()) {
      if (pmu.number == number) return &pmu;
    }
    return nullptr;
  }
  /// An index is PMU * 100 + place.
  static const Event* At(int index) {
    const Pmu* pmu = PmuAt(index / 100);
    const std::size_t place = static_cast<std::size_t>(index % 100);
    return pmu && place < pmu->events.size() ? &pmu->events[place] : nullptr;
  }
  static const char* Mask(const Event& event, std::size_t i) {
    if (i < event.first_group.size()) return event.first_group[i];
    i -= event.first_group.size();
    return i < event.second_group.size() ? event.second_group[i] : nullptr;
  }

  static pfm_err_t PmuInfo(pfm_pmu_t number, pfm_pmu_info_t* info) {
    const Pmu* pmu = PmuAt(static_cast<int>(number));
    if (!pmu) return PFM_ERR_NOTSUPP;
    info->name = info->desc = pmu->name;
    info->pmu = number;
    info->type = pmu->type;
    info->first_event = pmu->number * 100;
    info->nevents = static_cast<int>(pmu->events.size());
    info->num_cntrs = 6;
    info->is_present = 1;
    return PFM_SUCCESS;
  }
  static pfm_err_t EventInfo(int index, pfm_os_t, pfm_event_info_t* info) {
    const Event* event = At(index);
    if (!event) return PFM_ERR_INVAL;
    info->name = info->desc = event->name;
    info->pmu = static_cast<pfm_pmu_t>(index / 100);
    info->idx = index;
    info->nattrs = static_cast<int>(event->first_group.size() + event->second_group.size());
    return PFM_SUCCESS;
  }
  static pfm_err_t AttributeInfo(int index, int i, pfm_os_t, pfm_event_attr_info_t* info) {
    const Event* event = At(index);
    info->name = info->desc = event ? Mask(*event, static_cast<std::size_t>(i)) : nullptr;
    info->type = PFM_ATTR_UMASK;
    return info->name ? PFM_SUCCESS : PFM_ERR_INVAL;
  }
  static int FindEvent(const char* text) {
    std::string name(text);
    name = name.substr(
        0, name.find(':', name.find("::") == std::string::npos ? 0 : name.find("::") + 2));
    for (const Pmu& pmu : Pmus()) {
      for (std::size_t i = 0; i < pmu.events.size(); ++i) {
        const std::string event = pmu.events[i].name;
        if (name == event || name == std::string(pmu.name) + "::" + event) {
          return pmu.number * 100 + static_cast<int>(i);
        }
      }
    }
    return PFM_ERR_NOTFOUND;
  }
  static pfm_err_t Encode(const char* text, int, pfm_os_t, void* argument) {
    auto* arg = static_cast<pfm_perf_encode_arg_t*>(argument);
    const int index = FindEvent(text);
    if (index < 0) return PFM_ERR_NOTFOUND;
    const Event& event = *At(index);
    const std::string whole = std::string(text) + ":";
    bool first = event.first_group.empty();
    bool second = event.second_group.empty();
    for (const char* mask : event.first_group)
      first |= whole.find(std::string(":") + mask + ":") != std::string::npos;
    for (const char* mask : event.second_group)
      second |= whole.find(std::string(":") + mask + ":") != std::string::npos;
    if (!first || !second) return PFM_ERR_UMASK;
    arg->attr->type = 8 + static_cast<unsigned>(index / 100);
    arg->attr->config = static_cast<unsigned>(index);
    arg->idx = index;
    arg->cpu = -1;
    *arg->fstr = strdup(text);
    return PFM_SUCCESS;
  }
};

}  // namespace csink::fakes
