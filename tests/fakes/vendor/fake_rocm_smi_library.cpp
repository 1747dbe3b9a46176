/// File: a librocm_smi64.so.5 by script (FAKE_ROCM_SMI, fake_script.h).
///
/// Keys: init, count; of a device: name, energy (counts), resolution (uJ of a count, also
/// "nan"; default 15.3, as the driver of MI200 says), average_power and current_power (uW). Errors
/// are rsmi_status_t: 2 not supported, 4 no permission, 8 no driver.
#include <cstdint>
#include <cstdio>

#include "tests/fakes/vendor/fake_script.h"

namespace {

using namespace csink::fakes;
using Status = std::uint32_t;
constexpr Status kInvalid = 1, kNotSupported = 2;
constexpr const char* kPlain = "devices = 1; 0.name = MI250X; 0.average_power = 300000000";

void Begin() { UseScript("FAKE_ROCM_SMI", kPlain); }

Status Give(unsigned card, const char* key, std::uint64_t* value) {
  if (card >= Devices()) return kInvalid;
  const Answer answer = Ask(card, key);
  if (!answer.given) return kNotSupported;
  if (answer.error) return static_cast<Status>(answer.error);
  *value = static_cast<std::uint64_t>(answer.number);
  return 0;
}

}  // namespace

FAKE_VENDOR_API void csink_fake_script(const char* statements) {
  Begin();
  SetScript(statements);
}

FAKE_VENDOR_API Status rsmi_init(std::uint64_t) {
  Begin();
  return static_cast<Status>(Ask("init").error);
}
FAKE_VENDOR_API Status rsmi_num_monitor_devices(std::uint32_t* count) {
  *count = Devices();
  return static_cast<Status>(Ask("count").error);
}
FAKE_VENDOR_API Status rsmi_dev_name_get(std::uint32_t card, char* name, std::size_t bytes) {
  std::snprintf(name, bytes, "%s", Text(card, "name", "Fake GPU").c_str());
  return 0;
}
FAKE_VENDOR_API Status rsmi_dev_energy_count_get(std::uint32_t card, std::uint64_t* counts,
                                                 float* resolution, std::uint64_t* time) {
  if (const Status status = Give(card, "energy", counts)) return status;
  const Answer answer = Ask(card, "resolution");
  *resolution = answer.given ? static_cast<float>(answer.number) : 15.3f;
  *time = 1;
  return 0;
}
FAKE_VENDOR_API Status rsmi_dev_power_ave_get(std::uint32_t card, std::uint32_t sensor,
                                              std::uint64_t* uw) {
  return sensor == 0 ? Give(card, "average_power", uw) : kInvalid;
}
FAKE_VENDOR_API Status rsmi_dev_power_get(std::uint32_t card, std::uint64_t* uw,
                                          std::uint32_t* kind) {
  *kind = 1;
  return Give(card, "current_power", uw);
}
