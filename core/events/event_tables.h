#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/text.h"

/// File: tables of events for processors that libpfm4 4.13 does not know. The facts are in
/// core/events/data/new-cpus.csv, from which scripts/generate_event_tables.py makes
/// event_tables_data.cpp at build time. The tables hold no pointers, so they need no relocations
/// and cost a process nothing until a name is looked up (docs/design/events.md).
/// Lean. Threads: any. Signals: safe.

namespace csink {

/// Flags of an event or a unit mask.
enum TableFlag : std::uint8_t {
  kMaskAlone = 1,       ///< Cannot be combined with other masks of its group
  kMaskDefault = 2,     ///< Used where its group has no other member in the event
  kPrecise = 4,         ///< Can be sampled precisely
  kLoadLatency = 8,     ///< Takes a latency threshold in config1
  kExtraRegister = 16,  ///< Of an event: its unit masks go to config1, not to config
  kFixedCounter = 32,   ///< Counted by a fixed counter: modifiers e, i, c do not exist
  kReplacesCode = 64,   ///< Of a unit mask: its code is the whole config
  kGroupOne = 128,      ///< Of a unit mask: belongs to group 1, otherwise to group 0
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

/// One event.
struct TableEvent {
  std::uint32_t code;
  std::uint16_t name;        ///< Offset in kTableNames
  std::uint16_t same_as;     ///< Number, in its table, of the event that it is another name of
  std::uint16_t first_mask;  ///< Index in kTableMasks
  std::uint8_t masks;
  std::uint8_t flags;
};

/// One unit mask.
struct TableMask {
  std::uint32_t code_low;  ///< The code, shifted to its place in config; low 32 bits
  std::uint16_t code_high;
  std::uint16_t name;
  std::uint16_t
      same_as;  ///< Offset of the spelling that it abbreviates, "LOAD_LATENCY:ldlat=8"; 0: none
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

#pragma GCC visibility push(hidden)  // otherwise reached through the global offset table
extern const char kTableNames[];
extern const TableEvent kTableEvents[];
extern const TableMask kTableMasks[];
extern const TablePart kTableParts[];
extern const unsigned kTablePartCount;
#pragma GCC visibility pop

/// How the codes of a table become config, config1 and config2 (table_encoding.cpp).
enum class TableArch : std::uint8_t { kIntelCore, kIntelAtom, kAmd, kAmdL3, kArm };

/// One PMU that has a table.
struct EventTable {
  char name[24];  ///< In libpfm4's style, "amd64_fam1ah_zen5"
  char text[40];
  char part[24];    ///< Name of the part of the tables to use: emr uses spr's
  char device[12];  ///< PMU in sysfs, "cpu_core"; "": the processor's own, PERF_TYPE_RAW
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
  /// The number of an event, without regard to case; size(): there is none.
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

/// A description for a name that has none: the name in lower case, split into words:
/// "RETIRED_X87_FP_OPS" -> "retired x87 fp ops".
Text<96> WordsOfName(std::string_view name) noexcept;

}  // namespace csink
