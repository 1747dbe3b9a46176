/// File: devices. papi.h uses pointers as handles and values of several types; Fortran gets
/// numbers.

#include <array>
#include <atomic>

#include "compat/fortran/answers.h"

namespace csink::fortran {
namespace {

// The C handles of the device types that were enumerated, indexed by the type's number. A handle
// never changes.
std::array<std::atomic<void*>, PAPI_DEV_TYPE_ID__MAX_NUM> g_handles;

// nullptr: the number is no type's, or the type was not enumerated yet.
void* HandleOf(int number) noexcept {
  if (number < 0 || number >= PAPI_DEV_TYPE_ID__MAX_NUM) return nullptr;
  return g_handles[static_cast<std::size_t>(number)].load(std::memory_order_acquire);
}

// The attributes with CHAR in their names.
bool IsText(PAPI_dev_attr_e attribute) noexcept {
  return attribute == PAPI_DEV_ATTR__CPU_CHAR_NAME ||
         attribute == PAPI_DEV_ATTR__CUDA_CHAR_DEVICE_NAME ||
         attribute == PAPI_DEV_ATTR__ROCM_CHAR_DEVICE_NAME;
}

bool IsText(PAPI_dev_type_attr_e attribute) noexcept {
  return attribute == PAPI_DEV_TYPE_ATTR__CHAR_NAME || attribute == PAPI_DEV_TYPE_ATTR__CHAR_STATUS;
}

// `ask(void*)` reads an attribute, whose name tells its type: const char*, or an integer of at most
// 8 bytes. `value` gets the lower 4 bytes.
template <class A, class F>
int Attribute(A attribute, int& value, OutText& text, F ask) noexcept {
  if (IsText(attribute)) {
    const char* found = nullptr;
    const int code = ask(&found);
    if (code == PAPI_OK && found) text.Give(found);
    return code;
  }
  // 0 first: the function may write 4 of the 8 bytes. On little-endian machines these are the lower
  // ones.
  unsigned long found = 0;
  const int code = ask(&found);
  if (code == PAPI_OK) value = static_cast<int>(found);
  return code;
}

}  // namespace

int NextDeviceType(int modifier, int& handle) noexcept {
  void* found = nullptr;
  int code = PAPI_enum_dev_type(modifier, &found);
  int number = 0;
  if (code == PAPI_OK) {
    code = PAPI_get_dev_type_attr(found, PAPI_DEV_TYPE_ATTR__INT_PAPI_ID, &number);
  }
  if (code != PAPI_OK) return code;
  if (number < 0 || number >= PAPI_DEV_TYPE_ID__MAX_NUM) return PAPI_EBUG;
  g_handles[static_cast<std::size_t>(number)].store(found, std::memory_order_release);
  handle = number;
  return PAPI_OK;
}

int DeviceTypeAttribute(int handle, int attribute, int& value, OutText& text) noexcept {
  void* const type = HandleOf(handle);
  if (!type) return PAPI_EINVAL;
  const auto asked = static_cast<PAPI_dev_type_attr_e>(attribute);
  return Attribute(asked, value, text,
                   [&](void* to) { return PAPI_get_dev_type_attr(type, asked, to); });
}

int DeviceAttribute(int handle, int id, int attribute, int& value, OutText& text) noexcept {
  void* const type = HandleOf(handle);
  if (!type) return PAPI_EINVAL;
  const auto asked = static_cast<PAPI_dev_attr_e>(attribute);
  return Attribute(asked, value, text,
                   [&](void* to) { return PAPI_get_dev_attr(type, id, asked, to); });
}

}  // namespace csink::fortran
