#include "core/counting/components/vendor/mic_library.h"

#include <initializer_list>
#include <string>

// File: the functions' names follow a pattern, so they are put together from their parts.

namespace csink::mic {
namespace {

// Finds "mic_get_" + name + suffix for each name. Returns false if one is missing.
template <class F>
bool FindAll(const VendorLibrary& library, F* functions, std::initializer_list<const char*> names,
             const char* suffix) {
  // All are looked for, also after one is missing: `functions` has to keep step with the names.
  bool all = true;
  for (const char* name : names) {
    all &= library.Find((std::string("mic_get_") + name + suffix).c_str(), *functions++);
  }
  return all;
}

// A part's functions have names that differ in get and free only.
bool FindPart(const VendorLibrary& library, const char* name, Part& part) {
  return library.Find((std::string("mic_get_") + name).c_str(), part.get) &&
         library.Find((std::string("mic_free_") + name).c_str(), part.free);
}

// Each of the functions below finds one group that is required as a whole. A library without one of
// them is not that of MPSS 3, and nothing of it is used.
bool FindDevices(Library& mic) {
  const VendorLibrary& library = mic.library;
  return library.Find("mic_get_devices", mic.devices) &&
         library.Find("mic_get_ndevices", mic.device_count) &&
         library.Find("mic_get_device_at_index", mic.device_at) &&
         library.Find("mic_free_devices", mic.free_devices) &&
         library.Find("mic_open_device", mic.open);
}

bool FindUtilization(Library& mic) {
  const VendorLibrary& library = mic.library;
  return library.Find("mic_alloc_core_util", mic.alloc_util) &&
         library.Find("mic_update_core_util", mic.update_util) &&
         library.Find("mic_free_core_util", mic.free_util) &&
         FindAll(library, mic.jiffies, {"idle", "sys", "nice", "user"}, "_sum");
}

bool FindParts(Library& mic) {
  const VendorLibrary& library = mic.library;
  return FindPart(library, "memory_utilization_info", mic.memory) &&
         FindPart(library, "power_utilization_info", mic.power) &&
         FindPart(library, "thermal_info", mic.thermal) &&
         FindPart(library, "cores_info", mic.cores) &&
         FindPart(library, "memory_info", mic.memory_clock);
}

bool FindNumbers(Library& mic) {
  const VendorLibrary& library = mic.library;
  // Not required: see Library::core_count.
  library.Find("mic_get_cores_count", mic.core_count);
  return library.Find("mic_get_total_memory_size", mic.total_memory) &&
         library.Find("mic_get_available_memory_size", mic.free_memory) &&
         FindAll(library, mic.powers, {"pcie", "c2x3", "c2x4", "vccp", "vddg", "vddq"},
                 "_power_readings") &&
         library.Find("mic_get_die_temp", mic.die_temperature) &&
         FindAll(library, mic.temperatures, {"gddr", "fanin", "fanout", "vccp", "vddg", "vddq"},
                 "_temp") &&
         library.Find("mic_get_cores_frequency", mic.core_frequency) &&
         library.Find("mic_get_memory_frequency", mic.memory_frequency);
}

}  // namespace

Library::Library(const char* name) noexcept : library({name}) {
  // Nothing is called here: a machine with the library and without a card starts no connection.
  complete = library && FindDevices(*this) && FindUtilization(*this) && FindParts(*this) &&
             FindNumbers(*this);
}

}  // namespace csink::mic
