// A libcuda.so.1 that shows one GPU: the last of fake_nvml.c. An attribute's value is its number
// times 10; attribute 83 is not known. FAKE_CUDA=hangs: its start never ends.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cuInit(unsigned flags) {
  const char* mode = getenv("FAKE_CUDA");
  while (mode && strcmp(mode, "hangs") == 0) pause();
  return flags == 0 ? 0 : 1;
}
int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
int cuDeviceGet(int* device, int index) {
  *device = index + 100;
  return index == 0 ? 0 : 101;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (device != 100 || attribute == 83) return 1;
  *value = attribute * 10;
  return 0;
}
int cuDeviceGetUuid(unsigned char* uuid, int device) {
  static const unsigned char kUuid[16] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                                          0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x02};
  memcpy(uuid, kUuid, 16);
  return device == 100 ? 0 : 1;
}
