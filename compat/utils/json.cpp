#include "compat/utils/json.h"

#include <papi.h>
#include <sys/utsname.h>

#include <cstdio>

#include "compat/utils/message.h"

/// File: what the tools print with --json: exactly one object, with the same facts as the text.

namespace csink::utils {
namespace {

// Whether the object was printed. The tools have one thread.
bool g_printed = false;

// The version of the header, as in the tools' text.
std::string Version() {
  return std::to_string(PAPI_VERSION_MAJOR(PAPI_VERSION)) + '.' +
         std::to_string(PAPI_VERSION_MINOR(PAPI_VERSION)) + '.' +
         std::to_string(PAPI_VERSION_REVISION(PAPI_VERSION)) + '.' +
         std::to_string(PAPI_VERSION_INCREMENT(PAPI_VERSION));
}

}  // namespace

nlohmann::ordered_json JsonHead(const Tool& tool) {
  return {{"tool", tool.name}, {"papi_version", Version()}};
}

void PrintJson(const nlohmann::ordered_json& object) {
  g_printed = true;
  // Two blanks a level. Texts of events come from libraries and the kernel, so they may not be
  // UTF-8; without the handler the library would throw.
  const std::string text =
      object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void PrintErrorAsJson(const Tool& tool) {
  // Standard output must have one JSON object only.
  if (g_printed) return;
  nlohmann::ordered_json object = JsonHead(tool);
  object["error"] = LastSaid();
  PrintJson(object);
}

nlohmann::ordered_json HardwareJson() {
  const PAPI_hw_info_t* hardware = PAPI_get_hardware_info();
  if (!hardware) return nlohmann::ordered_json::object();
  utsname system = {};
  uname(&system);
  PAPI_option_t option = {};
  // Component 0, which has the processor's counters.
  const bool known = PAPI_get_opt(PAPI_COMPONENTINFO, &option) == PAPI_OK && option.cmp_info;
  return {{"system", std::string(system.sysname) + ' ' + system.release},
          {"vendor", hardware->vendor_string},
          {"vendor_code", hardware->vendor},
          {"model", hardware->model_string},
          {"model_code", hardware->model},
          {"revision", hardware->revision},
          {"family", hardware->cpuid_family},
          {"model_number", hardware->cpuid_model},
          {"stepping", hardware->cpuid_stepping},
          {"max_mhz", hardware->cpu_max_mhz},
          {"min_mhz", hardware->cpu_min_mhz},
          {"cpus", hardware->totalcpus},
          {"threads_per_core", hardware->threads},
          {"cores_per_socket", hardware->cores},
          {"sockets", hardware->sockets},
          {"cpus_per_node", hardware->ncpu},
          {"nodes", hardware->nnodes},
          {"virtual_machine", hardware->virtualized != 0},
          {"virtual_machine_vendor", hardware->virtual_vendor_string},
          {"counters", PAPI_get_opt(PAPI_MAX_HWCTRS, nullptr)},
          {"multiplexed_counters", PAPI_get_opt(PAPI_MAX_MPX_CTRS, nullptr)},
          {"user_space_reads", known && option.cmp_info->fast_counter_read}};
}

}  // namespace csink::utils
