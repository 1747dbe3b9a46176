#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/text.h"

/// File: the events of processors that libpfm4 4.13 does not know, as tables.
/// core/events/data/new-cpus.csv has the facts; scripts/generate_event_tables.py makes
/// event_tables_data.cpp of it at build time. The tables have no pointers, so that they need no
/// relocation and cost a process nothing until a name is looked up in them.
/// Lean. Threads: any.

namespace csink {

/// Of an event or a unit mask.
enum TableFlag : std::uint8_t {
  kMaskAlone = 1,       ///< Cannot be combined with others of its group
  kMaskDefault = 2,     ///< Taken where its group has no other member
  kPrecise = 4,         ///< Can be sampled precisely
  kLoadLatency = 8,     ///< Takes a latency threshold in config1
  kExtraRegister = 16,  ///< Of an event: its unit masks are config1, not part of config
  kFixedCounter = 32,   ///< Counted by a fixed counter: no e, i, c
  kReplacesCode = 64,   ///< Of a unit mask: its code is the whole config
  kGroupOne = 128,      ///< Of a unit mask: of group 1, else 0
};

/// Modifiers whose values are part of a unit mask's code.
enum WiredModifier : std::uint8_t {
  kWiredEdge = 1,
  kWiredInvert = 2,
  kWiredCounterMask = 4,
  kWiredInTransaction = 8,
  kWiredInCheckpoint = 16,
  kWiredThreshold = 32,
};

struct TableEvent {
  std::uint32_t code;
  std::uint16_t name;        ///< Its place in kTableNames
  std::uint16_t same_as;     ///< Number in its table of the event that it is another name of
  std::uint16_t first_mask;  ///< Index in kTableMasks
  std::uint8_t masks;
  std::uint8_t flags;
};

struct TableMask {
  std::uint32_t code_low;  ///< Code bits, shifted to their place in config
  std::uint16_t code_high;
  std::uint16_t name;
  std::uint16_t
      same_as;  ///< Name of what it is a short spelling of, "LOAD_LATENCY:ldlat=8"; 0: none
  std::uint8_t flags;
  std::uint8_t wired;

  std::uint64_t code() const noexcept { return std::uint64_t{code_high} << 32 | code_low; }
};

/// The events of one PMU.
struct TablePart {
  char pmu[24];
  std::uint16_t first;  ///< Index in kTableEvents
  std::uint16_t count;
};

#pragma GCC visibility push(hidden)  // else they are reached through the global offset table
extern const char kTableNames[];
extern const TableEvent kTableEvents[];
extern const TableMask kTableMasks[];
extern const TablePart kTableParts[];
extern const unsigned kTablePartCount;
#pragma GCC visibility pop

/// What a table's numbers mean.
enum class TableArch : std::uint8_t { kIntelCore, kIntelAtom, kAmd, kAmdL3, kArm };

/// One PMU that has a table.
struct EventTable {
  char name[24];  ///< libpfm4's way to name it, "amd64_fam1ah_zen5"
  char text[40];
  char part[24];    ///< The table's name: emr uses spr's
  char device[12];  ///< In sysfs: "cpu_core"; empty: the processor's own, PERF_TYPE_RAW
  TableArch arch;
  std::uint8_t counters;
  std::uint8_t fixed;
};

#pragma GCC visibility push(hidden)
extern const EventTable kEventTables[];
extern const std::size_t kEventTableCount;
#pragma GCC visibility pop

/// The events of a table, by number.
class TableView {
 public:
  explicit TableView(const EventTable& table) noexcept;

  std::size_t size() const noexcept { return count_; }
  const TableEvent& operator[](std::size_t number) const noexcept {
    return kTableEvents[first_ + number];
  }
  /// Any case; size() when it is not there.
  std::size_t Find(std::string_view name) const noexcept;

 private:
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

inline const char* NameOf(const TableEvent& event) noexcept { return kTableNames + event.name; }
inline const char* NameOf(const TableMask& mask) noexcept { return kTableNames + mask.name; }
inline const TableMask* MasksOf(const TableEvent& event) noexcept {
  return kTableMasks + event.first_mask;
}

/// A sentence for a name that has none: "RETIRED_X87_FP_OPS" -> "retired x87 fp ops".
Text<96> WordsOfName(std::string_view name) noexcept;

}  // namespace csink
