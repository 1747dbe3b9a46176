// A libnvidia-ml.so.1 of two GPUs, the second of which fell off the bus, and one more that works.
// FAKE_NVML=broken: it does not start; FAKE_NVML=hangs: its start never ends.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int g_started;

int nvmlInit_v2(void) {
  const char* mode = getenv("FAKE_NVML");
  if (mode && strcmp(mode, "broken") == 0) return 9;
  while (mode && strcmp(mode, "hangs") == 0) pause();
  g_started = 1;
  return 0;
}
const char* nvmlErrorString(int answer) { return answer == 9 ? "Driver Not Loaded" : "?"; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  if (!g_started) return 1;
  *count = 3;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  static int devices[3];
  if (index == 1) return 15;
  *device = &devices[index];
  devices[index] = (int)index;
  return 0;
}
int nvmlDeviceGetName(void* device, char* name, unsigned size) {
  snprintf(name, size, "Fake GPU %d", *(int*)device);
  return 0;
}
int nvmlDeviceGetUUID(void* device, char* uuid, unsigned size) {
  snprintf(uuid, size, "GPU-01234567-89ab-cdef-0011-22334455660%d",
           *(int*)device);
  return 0;
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  (void)device;
  *major = 9;
  *minor = 0;
  return 0;
}
