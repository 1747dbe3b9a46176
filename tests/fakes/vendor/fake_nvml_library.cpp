/// File: a libnvidia-ml.so.1 by script (FAKE_NVML, fake_script.h).
///
/// Keys: init, count; of a device: handle, name, uuid, fan_speed, total_memory, used_memory (a byte
/// count; free is what remains; an error of either is that of the question), power (mW),
/// temperature, graphics_clock, sm_clock, memory_clock, max_graphics_clock, max_sm_clock,
/// max_memory_clock (MHz), gpu_utilization, memory_utilization (%), processes, pstate,
/// corrected_ecc, uncorrected_ecc, energy (mJ), instant_power (mW). Errors are nvmlReturn_t: 3 not
/// supported, 4 no permission, 9 driver not loaded, 15 GPU is lost.
#include <cstdint>
#include <cstdio>

#include "tests/fakes/vendor/fake_script.h"

namespace {

using namespace csink::fakes;
using Return = int;
using Device = void*;
constexpr Return kInvalid = 2, kNotSupported = 3, kTooSmall = 7;
constexpr const char* kPlain =
    "devices = 1; 0.name = Tesla K20c; 0.fan_speed = 30; 0.total_memory = 5000000000;"
    "0.used_memory = 1000000000; 0.power = 50000; 0.temperature = 40; 0.graphics_clock = 705;"
    "0.sm_clock = 705; 0.memory_clock = 2600; 0.gpu_utilization = 50; 0.memory_utilization = 20;"
    "0.processes = 1; 0.pstate = 0";

void Begin() { UseScript("FAKE_NVML", kPlain); }

// Handles are the index + 1: never null.
unsigned IndexOf(Device device) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(device) - 1);
}

template <class T>
Return Give(Device device, const char* key, T* value) {
  const Answer answer = Ask(IndexOf(device), key);
  if (!answer.given) return kNotSupported;
  if (answer.error) return answer.error;
  *value = static_cast<T>(answer.number);
  return 0;
}

struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned gpu, memory;
};

}  // namespace

FAKE_VENDOR_API void csink_fake_script(const char* statements) {
  Begin();
  SetScript(statements);
}

FAKE_VENDOR_API Return nvmlInit_v2() {
  Begin();
  return Ask("init").error;
}
FAKE_VENDOR_API Return nvmlShutdown() { return 0; }
FAKE_VENDOR_API const char* nvmlErrorString(Return error) {
  switch (error) {
    case 3:
      return "Not Supported";
    case 4:
      return "Insufficient Permissions";
    case 9:
      return "Driver Not Loaded";
    case 15:
      return "GPU is lost";
    default:
      return "Unknown Error";
  }
}
FAKE_VENDOR_API Return nvmlSystemGetDriverVersion(char* version, unsigned length) {
  snprintf(version, length, "535.1.fake");
  return 0;
}
FAKE_VENDOR_API Return nvmlDeviceGetCount_v2(unsigned* count) {
  *count = Devices();
  return Ask("count").error;
}
FAKE_VENDOR_API Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  if (index >= Devices()) return kInvalid;
  *device = reinterpret_cast<Device>(static_cast<std::uintptr_t>(index) + 1);
  return Ask(index, "handle").error;
}
FAKE_VENDOR_API Return nvmlDeviceGetName(Device device, char* name, unsigned length) {
  snprintf(name, length, "%s", Text(IndexOf(device), "name", "Fake GPU").c_str());
  return 0;
}
FAKE_VENDOR_API Return nvmlDeviceGetUUID(Device device, char* uuid, unsigned length) {
  snprintf(uuid, length, "%s", Text(IndexOf(device), "uuid", "GPU-0").c_str());
  return 0;
}
FAKE_VENDOR_API Return nvmlDeviceGetFanSpeed(Device device, unsigned* percent) {
  return Give(device, "fan_speed", percent);
}
FAKE_VENDOR_API Return nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  if (const Return error = Give(device, "total_memory", &memory->total)) return error;
  if (const Return error = Give(device, "used_memory", &memory->used)) return error;
  memory->free = memory->total - memory->used;
  return 0;
}
FAKE_VENDOR_API Return nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatts) {
  return Give(device, "power", milliwatts);
}
FAKE_VENDOR_API Return nvmlDeviceGetTotalEnergyConsumption(Device device,
                                                           unsigned long long* millijoules) {
  return Give(device, "energy", millijoules);
}
// nvmlFieldValue_t
struct FieldValue {
  unsigned fieldId, scopeId;
  long long timestamp, latencyUsec;
  unsigned valueType;
  Return nvmlReturn;
  unsigned long long value;
};
FAKE_VENDOR_API Return nvmlDeviceGetFieldValues(Device device, int count, FieldValue* values) {
  for (int i = 0; i < count; ++i) {
    unsigned milliwatts = 0;
    values[i].nvmlReturn =
        values[i].fieldId == 186 ? Give(device, "instant_power", &milliwatts) : kNotSupported;
    values[i].valueType = 1;
    // Only the first four bytes of the union are written.
    values[i].value = 0xaaaaaaaa00000000ull | milliwatts;
  }
  return 0;
}
FAKE_VENDOR_API Return nvmlDeviceGetTemperature(Device device, int sensor, unsigned* degrees) {
  return sensor == 0 ? Give(device, "temperature", degrees) : kInvalid;
}
FAKE_VENDOR_API Return nvmlDeviceGetClockInfo(Device device, int clock, unsigned* mhz) {
  static const char* const kNames[] = {"graphics_clock", "sm_clock", "memory_clock"};
  return clock >= 0 && clock < 3 ? Give(device, kNames[clock], mhz) : kInvalid;
}
FAKE_VENDOR_API Return nvmlDeviceGetMaxClockInfo(Device device, int clock, unsigned* mhz) {
  static const char* const kNames[] = {"max_graphics_clock", "max_sm_clock", "max_memory_clock"};
  return clock >= 0 && clock < 3 ? Give(device, kNames[clock], mhz) : kInvalid;
}
FAKE_VENDOR_API Return nvmlDeviceGetUtilizationRates(Device device, Utilization* rates) {
  if (const Return error = Give(device, "gpu_utilization", &rates->gpu)) return error;
  return Give(device, "memory_utilization", &rates->memory);
}
FAKE_VENDOR_API Return nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count,
                                                               void*) {
  const unsigned room = *count;
  if (const Return error = Give(device, "processes", count)) return error;
  return *count > room ? kTooSmall : 0;
}
FAKE_VENDOR_API Return nvmlDeviceGetPerformanceState(Device device, int* state) {
  return Give(device, "pstate", state);
}
FAKE_VENDOR_API Return nvmlDeviceGetTotalEccErrors(Device device, int type, int,
                                                   unsigned long long* count) {
  return Give(device, type == 0 ? "corrected_ecc" : "uncorrected_ecc", count);
}
