#pragma once

#include <cstddef>
#include <cstdint>

/// File: the memory (a memfd of one or two pages) shared by the agent and csink-meter, the process
/// that reads device counters. The agent writes `command` and `anew`; the meter writes everything
/// else.
/// Devices are not read in the profiled program: their libraries would load code and threads into
/// it, an answer of a server's BMC takes milliseconds, and a signal handler must not ask at all.
/// The program only copies numbers.

namespace csink::agent {

/// Counters in a table, which then has 3.4 KiB.
inline constexpr std::size_t kMostMeters = 16;
/// Bytes of a counter's name with its NUL; a longer name is cut.
inline constexpr std::size_t kMeterNameBytes = 128;

/// One counter since the begin of the measurement, without pauses. Each counter has its own times:
/// a device that stops answering was measured until then, whatever the others report afterwards.
struct MeterValue {
  char name[kMeterNameBytes];  ///< "rapl:::PACKAGE_ENERGY:PACKAGE0", NUL-terminated
  char units[16];              ///< "nJ"
  std::uint32_t value_type;    ///< ComponentEvent::Type
  std::uint32_t flags;         ///< spool::kCounter*
  double value;                ///< kCounterAccumulates: growth; otherwise the last reading
  double minimum;              ///< This and the next two: for values that do not accumulate
  double maximum;
  double time_sum;           ///< Sum of value * ns
  std::uint64_t first_ns;    ///< CLOCK_MONOTONIC of the first successful reading
  std::uint64_t last_ns;     ///< CLOCK_MONOTONIC of the last successful reading
  std::uint64_t covered_ns;  ///< Time between successful readings, without pauses
  std::uint64_t readings;    ///< Number of successful readings
  std::uint64_t failed;      ///< Number of failed readings, impossible values included
};

/// The shared memory. All words that both sides use are accessed atomically; the values are read
/// and written under `sequence`.
struct MeterTable {
  /// Futex: number of the command << 2 | MeterCommand; written by the agent
  std::uint32_t command;
  /// Futex: the last command that was carried out; 0: no reading yet
  std::uint32_t done;
  /// Odd while the values change; a reader that sees it change reads again
  std::uint32_t sequence;
  std::uint32_t anew;   ///< The agent increments it: discard what was read so far
  std::uint32_t count;  ///< Number of valid values; written before the first `done`
  std::uint32_t reserved;
  std::uint64_t machine;          ///< Hash of the boot id: clocks of one machine can be compared
  std::uint64_t machine_busy_ns;  ///< CPU time of all programs during the measurement,
                                  ///< without pauses (/proc/stat); 0: unknown
  MeterValue values[kMostMeters];
};

/// kRun: read every 100 ms; kPause: read once and then count nothing until kRun; kEnd: read once
/// and end.
enum class MeterCommand : std::uint32_t { kRun = 0, kPause = 1, kEnd = 2 };
/// The bits of MeterTable::command that hold the MeterCommand; the rest is the command's number.
inline constexpr std::uint32_t kMeterCommandMask = 3;

/// The first command: the table is valid when `done` has this value.
inline constexpr std::uint32_t kFirstMeterCommand = 1u << 2;

}  // namespace csink::agent
