/// File: a libze_loader.so.1 by script (FAKE_LEVEL_ZERO, fake_script.h).
///
/// One driver. Keys: init; of a device: card_energy (uJ; without it the device has no card domain),
/// device_energy (of a domain of the device), part0_energy and part1_energy (of its sub-devices),
/// domains (the list; for errors). Errors are ze_result_t in decimal: 1879048193 device lost,
/// 1879113728 no permission, 2013265921 not initialized, 2013265923 unsupported.
#include <cstdint>
#include <iterator>

#include "tests/fakes/vendor/fake_script.h"

namespace {

using namespace csink::fakes;
using Result = std::uint32_t;
using Handle = void*;
constexpr Result kUnsupported = 0x78000003, kInvalid = 0x78000004;
constexpr const char* kPlain = "devices = 1; 0.card_energy = 1000000~300000000";
constexpr const char* kEnergies[] = {"card_energy", "device_energy", "part0_energy",
                                     "part1_energy"};

// A handle of a domain is 16 * (device + 1) + its kind; that of a device 16 * (device + 1).
Handle MakeHandle(unsigned device, unsigned kind) {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(16 * (device + 1) + kind));
}
unsigned DeviceOf(Handle handle) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(handle) / 16 - 1);
}
unsigned KindOf(Handle handle) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(handle) % 16);
}
bool Has(unsigned device, unsigned kind) { return !Text(device, kEnergies[kind], "").empty(); }

void Begin() { UseScript("FAKE_LEVEL_ZERO", kPlain); }

}  // namespace

struct zes_power_energy_counter_t {
  std::uint64_t energy, timestamp;
};
struct zes_power_properties_t {
  std::uint32_t stype;
  void* pNext;
  std::uint8_t onSubdevice;
  std::uint32_t subdeviceId;
  std::uint8_t canControl, isEnergyThresholdSupported;
  std::int32_t defaultLimit, minLimit, maxLimit;
};

FAKE_VENDOR_API void csink_fake_script(const char* statements) {
  Begin();
  SetScript(statements);
}

FAKE_VENDOR_API Result zesInit(std::uint32_t) {
  Begin();
  return static_cast<Result>(Ask("init").error);
}
FAKE_VENDOR_API Result zesDriverGet(std::uint32_t* count, Handle* drivers) {
  if (*count && drivers) drivers[0] = MakeHandle(1000, 0);
  *count = 1;
  return 0;
}
FAKE_VENDOR_API Result zesDeviceGet(Handle, std::uint32_t* count, Handle* devices) {
  for (unsigned i = 0; devices && i < *count && i < Devices(); ++i) devices[i] = MakeHandle(i, 0);
  *count = Devices();
  return 0;
}
FAKE_VENDOR_API Result zesDeviceGetCardPowerDomain(Handle device, Handle* domain) {
  *domain = nullptr;
  if (!Has(DeviceOf(device), 0)) return kUnsupported;
  *domain = MakeHandle(DeviceOf(device), 0);
  return 0;
}
FAKE_VENDOR_API Result zesDeviceEnumPowerDomains(Handle device, std::uint32_t* count,
                                                 Handle* domains) {
  const unsigned number = DeviceOf(device);
  if (const int error = Ask(number, "domains").error) return static_cast<Result>(error);
  std::uint32_t found = 0;
  // The parts first: a reader must not take the first domain for the device's.
  for (const unsigned kind : {2u, 3u, 1u}) {
    if (!Has(number, kind)) continue;
    if (domains && found < *count) domains[found] = MakeHandle(number, kind);
    ++found;
  }
  *count = found;
  return 0;
}
FAKE_VENDOR_API Result zesPowerGetProperties(Handle domain, zes_power_properties_t* properties) {
  if (properties->stype != 0xd) return kInvalid;
  properties->onSubdevice = KindOf(domain) >= 2;
  properties->subdeviceId = KindOf(domain) >= 2 ? KindOf(domain) - 2 : 0;
  return 0;
}
FAKE_VENDOR_API Result zesPowerGetEnergyCounter(Handle domain,
                                                zes_power_energy_counter_t* counter) {
  if (KindOf(domain) >= std::size(kEnergies)) return kInvalid;
  const Answer answer = Ask(DeviceOf(domain), kEnergies[KindOf(domain)]);
  if (!answer.given) return kUnsupported;
  if (answer.error) return static_cast<Result>(answer.error);
  counter->energy = static_cast<std::uint64_t>(answer.number);
  counter->timestamp = 1;
  return 0;
}
