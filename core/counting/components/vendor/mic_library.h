#pragma once

#include <cstdint>

#include "core/counting/components/vendor/vendor_library.h"

/// File: Intel's libmicmgmt, loaded at run time.

namespace csink::mic {

/// Intel's miclib.h (libmicmgmt.so.0 of MPSS 3). Functions return 0 for success; each object that a
/// function returns has its own function to free it. All structures are opaque.
struct Handle;

/// Types of functions: a part of a device, freeing a part, a number of a part.
using Get = int (*)(Handle* device, Handle** part);
using Free = int (*)(Handle*);
using Number16 = int (*)(Handle*, std::uint16_t*);
using Number32 = int (*)(Handle*, std::uint32_t*);
using Number64 = int (*)(Handle*, std::uint64_t*);

/// A part of a card's state, which is fetched by one call (get) and must be freed (free).
struct Part {
  Get get = nullptr;
  Free free = nullptr;
};

/// The functions that are used. Owns: the library's handle. Threads: one at a time.
struct Library {
  /// No library; nothing may be called.
  Library() noexcept : library({}) {}
  /// Loads the library `name` and finds its functions. `library` is false where it cannot be
  /// loaded; `complete` is false where functions are missing.
  explicit Library(const char* name) noexcept;

  VendorLibrary library;
  bool complete = false;  ///< All functions below were found, except perhaps core_count
  /// The driver's list of cards, their number, the driver's number of the i-th one, and the end of
  /// the list.
  int (*devices)(Handle**) = nullptr;
  int (*device_count)(Handle*, int*) = nullptr;
  int (*device_at)(Handle*, int, int*) = nullptr;
  Free free_devices = nullptr;
  /// Opens a card by the driver's number.
  int (*open)(Handle**, std::uint32_t) = nullptr;
  /// An object for utilization, which update_util fills from a device.
  int (*alloc_util)(Handle**) = nullptr;
  int (*update_util)(Handle* device, Handle* util) = nullptr;
  Free free_util = nullptr;
  Number64 jiffies[4] = {};  ///< idle, sys, nice, user; of all processors together, since boot
  /// The parts of a card's state that the functions below read.
  Part memory, power, thermal, cores, memory_clock;
  /// Of `memory`, in KiB.
  Number32 total_memory = nullptr, free_memory = nullptr;
  Number32 powers[6] = {};  ///< pcie, c2x3, c2x4, vccp, vddg, vddq; uW
  /// Of `thermal`, in degC.
  Number32 die_temperature = nullptr;
  Number16 temperatures[6] = {};  ///< gddr, fanin, fanout, vccp, vddg, vddq; degC
  /// Of `cores` and `memory_clock`, in kHz.
  Number32 core_frequency = nullptr, memory_frequency = nullptr;
  Number32 core_count = nullptr;  ///< nullptr: an old version
};

}  // namespace csink::mic
