#pragma once

#include <cstddef>
#include <cstdint>

/// File: what the agent and csink-meter, the process that reads device counters for it, share: one
/// page or two of memory (a memfd). The agent writes `command`, the meter everything else.
///
/// Devices are not read in the profiled program: their libraries would load code and threads into
/// it, an answer of a server's BMC takes milliseconds, and a signal handler may not ask at all. So
/// the program's part is to copy numbers.

namespace csink::agent {

inline constexpr std::size_t kMostMeters = 16;
inline constexpr std::size_t kMeterNameBytes = 128;

/// One counter, since the measurement began and less pauses. Its times are its own: a device that
/// stops answering was measured until then, whatever the others tell afterwards.
struct MeterValue {
  char name[kMeterNameBytes];  ///< "rapl:::PACKAGE_ENERGY:PACKAGE0", NUL-terminated
  char units[16];              ///< "nJ"
  std::uint32_t value_type;    ///< ComponentEvent::Type
  std::uint32_t flags;         ///< spool::kCounter*
  double value;                ///< Of kCounterAccumulates: growth; else as read last
  double minimum;              ///< These three: of what does not accumulate
  double maximum;
  double time_sum;           ///< Value x ns
  std::uint64_t first_ns;    ///< CLOCK_MONOTONIC of the first reading that did not fail
  std::uint64_t last_ns;     ///< ... and of the last such
  std::uint64_t covered_ns;  ///< Time measured: between such readings, less pauses
  std::uint64_t readings;    ///< That did not fail
};

struct MeterTable {
  std::uint32_t command;   ///< Futex: number of the command << 2 | MeterCommand
  std::uint32_t done;      ///< Futex: the last command that was carried out
  std::uint32_t sequence;  ///< Odd while the rest changes
  std::uint32_t anew;      ///< The agent counts it up: forget what was read so far
  std::uint32_t count;
  std::uint32_t reserved;
  std::uint64_t machine;          ///< Hash of the boot id: clocks of one machine can be compared
  std::uint64_t machine_busy_ns;  ///< CPU time of all programs while we read, less pauses,
                                  ///< /proc/stat; 0: not known
  MeterValue values[kMostMeters];
};

enum class MeterCommand : std::uint32_t { kRun = 0, kPause = 1, kEnd = 2 };
inline constexpr std::uint32_t kMeterCommandMask = 3;

/// Its first command: the table is valid once `done` is this.
inline constexpr std::uint32_t kFirstMeterCommand = 1u << 2;

}  // namespace csink::agent
