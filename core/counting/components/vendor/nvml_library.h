#pragma once

#include "core/counting/components/vendor/vendor_library.h"
#include "core/util/result.h"

/// File: NVIDIA's NVML, loaded at run time.

namespace csink::nvml {

/// NVML's documented C interface (NVIDIA Management Library reference manual). Every function
/// returns an nvmlReturn_t, 0 for success. A device is an opaque pointer. Names and UUIDs have at
/// most 96 bytes. The numbers below are part of NVML's ABI.
using Answer = int;
using Device = void*;
inline constexpr unsigned kTextBytes = 96;
/// A limit for nonsense from the library; no machine has as many GPUs.
inline constexpr unsigned kMaxDevices = 256;

/// The values of nvmlReturn_t that are handled.
inline constexpr Answer kNotSupported = 3, kNoPermission = 4, kInsufficientSize = 7,
                        kInsufficientPower = 8, kDriverNotLoaded = 9, kTimeout = 10,
                        kFunctionNotFound = 13, kGpuIsLost = 15, kResetRequired = 16,
                        kVersionMismatch = 18;

/// nvmlMemory_t (bytes) and nvmlUtilization_t (%).
struct Memory {
  /// In the order of NVML's structure.
  unsigned long long total = 0, free = 0, used = 0;
};
/// In percent of the last sampling period.
struct Utilization {
  unsigned gpu = 0, memory = 0;
};

/// nvmlFieldValue_t: one entry of nvmlDeviceGetFieldValues.
struct FieldValue {
  unsigned field = 0, scope = 0;
  long long timestamp_us = 0, latency_us = 0;
  int type = 0;  ///< nvmlValueType_t: 1 unsigned, 2 unsigned long, 3 unsigned long long
  Answer answer = 0;
  union {
    double floating;
    unsigned number32;
    unsigned long long number64 = 0;
  };
};
static_assert(sizeof(FieldValue) == 40);
/// NVML_FI_DEV_POWER_INSTANT, in mW.
inline constexpr unsigned kFieldPowerInstant = 186;

/// The functions that are used; those that the driver's library lacks are nullptr.
/// Owns: the library's handle. Threads: any (NVML is thread-safe).
struct Library {
  /// Loads the first library of these names that exists, and finds its functions. Does not
  /// initialise it: call init, once in each process.
  explicit Library(std::initializer_list<const char*> names) noexcept;

  VendorLibrary library;
  /// These four are required. init must come first; handle needs an index below count.
  Answer (*init)() = nullptr;
  Answer (*count)(unsigned*) = nullptr;
  Answer (*handle)(unsigned, Device*) = nullptr;
  Answer (*name)(Device, char*, unsigned) = nullptr;
  /// Texts and versions, for sysdetect and messages; the numbers are sizes of buffers.
  Answer (*uuid)(Device, char*, unsigned) = nullptr;
  Answer (*capability)(Device, int*, int*) = nullptr;
  Answer (*driver_version)(char*, unsigned) = nullptr;
  const char* (*error_text)(Answer) = nullptr;

  /// The values of a card, by nvml_metrics.cpp. In percent.
  Answer (*fan_speed)(Device, unsigned*) = nullptr;
  /// In bytes.
  Answer (*memory)(Device, Memory*) = nullptr;
  Answer (*power)(Device, unsigned*) = nullptr;        // mW
  Answer (*power_limit)(Device, unsigned*) = nullptr;  // mW
  Answer (*fields)(Device, int count, FieldValue*) = nullptr;
  /// In mJ since the driver was loaded.
  Answer (*energy)(Device, unsigned long long*) = nullptr;
  Answer (*temperature)(Device, int, unsigned*) = nullptr;  // sensor 0: the GPU; degC
  Answer (*clock)(Device, int, unsigned*) = nullptr;        // 0 graphics, 1 SM, 2 memory; MHz
  Answer (*max_clock)(Device, int, unsigned*) = nullptr;    // likewise
  Answer (*utilization)(Device, Utilization*) = nullptr;    // %
  Answer (*processes)(Device, unsigned*, void*) = nullptr;  // *count = 0 asks for the number
  Answer (*state)(Device, int*) = nullptr;                  // 0 (fastest) to 15
  /// Which errors (0 corrected, 1 not) and since when (1: in the card's life).
  Answer (*ecc)(Device, int, int, unsigned long long*) = nullptr;

  /// Whether the functions are there without which nothing can be read (NVML's second version).
  bool complete() const noexcept { return init && count && handle && name; }
};

/// The Error for a failed call (answer != 0): kPermission, kNoEvent (this card does not have it),
/// kSystem (with ENODEV: the card is gone).
Error ErrorOf(Answer answer) noexcept;

}  // namespace csink::nvml
