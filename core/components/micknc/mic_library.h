#pragma once

#include <cstdint>

#include "core/components/vendor/vendor_library.h"

namespace csink::mic {

/// Intel's miclib.h (libmicmgmt.so.0 of MPSS): 0 is success; what is got is freed by its own
/// function. All structures are opaque.
struct Handle;

using Get = int (*)(Handle* device, Handle** part);
using Free = int (*)(Handle*);
using Number16 = int (*)(Handle*, std::uint16_t*);
using Number32 = int (*)(Handle*, std::uint32_t*);
using Number64 = int (*)(Handle*, std::uint64_t*);

/// A part of a card's state that is fetched in one call.
struct Part {
  Get get = nullptr;
  Free free = nullptr;
};

/// Threads: one at a time.
struct Library {
  Library() noexcept : library({}) {}
  explicit Library(const char* name) noexcept;

  VendorLibrary library;
  bool complete = false;  ///< Every function below is there, but core_count
  int (*devices)(Handle**) = nullptr;
  int (*device_count)(Handle*, int*) = nullptr;
  int (*device_at)(Handle*, int, int*) = nullptr;
  Free free_devices = nullptr;
  int (*open)(Handle**, std::uint32_t) = nullptr;
  int (*alloc_util)(Handle**) = nullptr;
  int (*update_util)(Handle* device, Handle* util) = nullptr;
  Free free_util = nullptr;
  Number64 jiffies[4] = {};  ///< idle, sys, nice, user; of all processors together, since boot
  Part memory, power, thermal, cores, memory_clock;
  Number32 total_memory = nullptr, free_memory = nullptr;  // kiB
  Number32 powers[6] = {};  ///< pcie, c2x3, c2x4, vccp, vddg, vddq; uW
  Number32 die_temperature = nullptr;
  Number16 temperatures[6] = {};  ///< gddr, fanin, fanout, vccp, vddg, vddq; degC
  Number32 core_frequency = nullptr, memory_frequency = nullptr;  // kHz
  Number32 core_count = nullptr;                                  ///< nullptr in old versions
};

}  // namespace csink::mic
