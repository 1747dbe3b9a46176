/// File: a libmicmgmt.so.0 by script (FAKE_MIC, fake_script.h).
///
/// Keys: list; of a device: open, and the groups util, memory, power, thermal, cores, memory_clock
/// (an error or block of these is that of mic_get_..._info); idle, sys, nice, user (jiffies),
/// total_memory, free_memory (kiB), pcie, c2x3, c2x4, vccp, vddg, vddq (uW), die_temp, gddr_temp,
/// fanin_temp, fanout_temp, vccp_temp, vddg_temp, vddq_temp, core_frequency, memory_frequency
/// (kHz), core_count.
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <mutex>

#include "tests/fakes/vendor/fake_script.h"

namespace {

using namespace csink::fakes;
constexpr const char* kPlain =
    "devices = 1; *.idle = 0+1000; *.sys = 0+100; *.nice = 0; *.user = 0+3000;"
    "*.total_memory = 8000000; *.free_memory = 6000000; *.pcie = 10000000; *.c2x3 = 20000000;"
    "*.c2x4 = 30000000; *.vccp = 40000000; *.vddg = 5000000; *.vddq = 6000000; *.die_temp = 50;"
    "*.gddr_temp = 51; *.fanin_temp = 30; *.fanout_temp = 40; *.vccp_temp = 52; *.vddg_temp = 53;"
    "*.vddq_temp = 54; *.core_frequency = 1100000; *.memory_frequency = 2750000;"
    "*.core_count = 57";

struct Part {
  unsigned device;
};

void Begin() { UseScript("FAKE_MIC", kPlain); }

int Make(const Part* from, const char* group, Part** part) {
  if (const int error = Ask(from->device, group).error) return error;
  *part = new Part{from->device};
  return 0;
}

int Free(Part* part) {
  delete part;
  return 0;
}

template <class T>
int Give(const Part* part, const char* key, T* value) {
  const Answer answer = Ask(part->device, key);
  if (!answer.given) return 13;
  if (answer.error) return answer.error;
  *value = static_cast<T>(answer.number);
  return 0;
}

}  // namespace

FAKE_VENDOR_API void csink_fake_script(const char* statements) {
  Begin();
  SetScript(statements);
}

FAKE_VENDOR_API const char* mic_get_error_string() { return "a scripted error"; }
FAKE_VENDOR_API int mic_get_devices(Part** list) {
  Begin();
  if (const int error = Ask("list").error) return error;
  *list = new Part{0};
  return 0;
}
FAKE_VENDOR_API int mic_free_devices(Part* list) { return Free(list); }
FAKE_VENDOR_API int mic_get_ndevices(Part*, int* count) {
  *count = static_cast<int>(Devices());
  return 0;
}
FAKE_VENDOR_API int mic_get_device_at_index(Part*, int index, int* device) {
  *device = index;
  return 0;
}
FAKE_VENDOR_API int mic_open_device(Part** device, std::uint32_t number) {
  if (const int error = Ask(number, "open").error) return error;
  // The component never closes its devices; they stay the library's.
  static std::deque<Part> opened;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  *device = &opened.emplace_back(Part{number});
  return 0;
}
FAKE_VENDOR_API int mic_close_device(Part*) { return 0; }

// mic_alloc_core_util knows no device yet; mic_update_core_util says which.
FAKE_VENDOR_API int mic_alloc_core_util(Part** util) {
  *util = new Part{0};
  return 0;
}
FAKE_VENDOR_API int mic_update_core_util(Part* device, Part* util) {
  util->device = device->device;
  return Ask(device->device, "util").error;
}
FAKE_VENDOR_API int mic_free_core_util(Part* util) { return Free(util); }

#define GROUP(get, release, group)                                                         \
  FAKE_VENDOR_API int get(Part* device, Part** part) { return Make(device, group, part); } \
  FAKE_VENDOR_API int release(Part* part) { return Free(part); }                           \
  static_assert(true)
#define NUMBER(function, type, key)                                                        \
  FAKE_VENDOR_API int function(Part* part, type* value) { return Give(part, key, value); } \
  static_assert(true)

GROUP(mic_get_memory_utilization_info, mic_free_memory_utilization_info, "memory");
GROUP(mic_get_power_utilization_info, mic_free_power_utilization_info, "power");
GROUP(mic_get_thermal_info, mic_free_thermal_info, "thermal");
GROUP(mic_get_cores_info, mic_free_cores_info, "cores");
GROUP(mic_get_memory_info, mic_free_memory_info, "memory_clock");

NUMBER(mic_get_idle_sum, std::uint64_t, "idle");
NUMBER(mic_get_sys_sum, std::uint64_t, "sys");
NUMBER(mic_get_nice_sum, std::uint64_t, "nice");
NUMBER(mic_get_user_sum, std::uint64_t, "user");
NUMBER(mic_get_total_memory_size, std::uint32_t, "total_memory");
NUMBER(mic_get_available_memory_size, std::uint32_t, "free_memory");
NUMBER(mic_get_pcie_power_readings, std::uint32_t, "pcie");
NUMBER(mic_get_c2x3_power_readings, std::uint32_t, "c2x3");
NUMBER(mic_get_c2x4_power_readings, std::uint32_t, "c2x4");
NUMBER(mic_get_vccp_power_readings, std::uint32_t, "vccp");
NUMBER(mic_get_vddg_power_readings, std::uint32_t, "vddg");
NUMBER(mic_get_vddq_power_readings, std::uint32_t, "vddq");
NUMBER(mic_get_die_temp, std::uint32_t, "die_temp");
NUMBER(mic_get_gddr_temp, std::uint16_t, "gddr_temp");
NUMBER(mic_get_fanin_temp, std::uint16_t, "fanin_temp");
NUMBER(mic_get_fanout_temp, std::uint16_t, "fanout_temp");
NUMBER(mic_get_vccp_temp, std::uint16_t, "vccp_temp");
NUMBER(mic_get_vddg_temp, std::uint16_t, "vddg_temp");
NUMBER(mic_get_vddq_temp, std::uint16_t, "vddq_temp");
NUMBER(mic_get_cores_frequency, std::uint32_t, "core_frequency");
NUMBER(mic_get_cores_count, std::uint32_t, "core_count");
NUMBER(mic_get_memory_frequency, std::uint32_t, "memory_frequency");
