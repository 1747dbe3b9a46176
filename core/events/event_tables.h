#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/util/text.h"

/// File: tables of events for processors that libpfm4 4.13 does not know. The facts are in
/// core/events/data/new-cpus.csv, from which scripts/generate_event_tables.py makes
/// event_tables_data.cpp at build time. The tables hold no pointers, so they need no relocations
/// and cost a process nothing until a name is looked up (docs/design/events.md). They refer to each
/// other by 16-bit indices and offsets; the generator fails where 16 bits are not enough.
/// The generator has a copy of the flags and of the order of members below: both change together.
/// Lean. Threads: any; all data is constant. Signals: safe.

namespace csink {

/// Flags of an event or a unit mask. A unit mask belongs to group 0 or 1: the group decides which
/// masks exclude each other and which default is added (table_encoding.cpp).
enum TableFlag : std::uint8_t {
  kMaskAlone = 1,    ///< Cannot be combined with other masks of its group
  kMaskDefault = 2,  ///< Used where its group has no other member in the event
  kPrecise = 4,      ///< Can be sampled precisely
  /// Takes a latency threshold in config1 (modifier ldlat).
  kLoadLatency = 8,
  kExtraRegister = 16,  ///< Of an event: its unit masks go to config1, not to config
  kFixedCounter = 32,   ///< Counted by a fixed counter: modifiers e, i, c do not exist
  kReplacesCode = 64,   ///< Of a unit mask: its code is the whole config
  kGroupOne = 128,      ///< Of a unit mask: belongs to group 1, otherwise to group 0
};

/// Modifiers whose values are part of a unit mask's code. The user may repeat such a value; another
/// value is an error.
enum WiredModifier : std::uint8_t {
  /// The bits of TableMask::wired, one for each modifier.
  kWiredEdge = 1,
  kWiredInvert = 2,
  kWiredCounterMask = 4,
  kWiredInTransaction = 8,
  kWiredInCheckpoint = 16,
  kWiredThreshold = 32,
};

/// One event, 12 bytes.
struct TableEvent {
  /// The event select bits. AMD's have up to 12 bits, which the encoding divides: bits 8 to 11 go
  /// to bits 32 to 35 of config.
  std::uint32_t code;
  std::uint16_t name;  ///< Offset in kTableNames
  /// Number, in its table, of the event that this is another name of; its own number where there is
  /// none.
  std::uint16_t same_as;
  std::uint16_t first_mask;  ///< Index in kTableMasks
  /// The number of unit masks, which follow each other from first_mask on.
  std::uint8_t masks;
  /// TableFlag bits.
  std::uint8_t flags;
};

/// One unit mask, 12 bytes.
struct TableMask {
  std::uint32_t code_low;  ///< The code, shifted to its place in config; low 32 bits
  /// The high 16 bits of the code.
  std::uint16_t code_high;
  /// Offset in kTableNames.
  std::uint16_t name;
  /// Offset in kTableNames of the spelling that the mask abbreviates, "LOAD_LATENCY:ldlat=8"; 0:
  /// none.
  std::uint16_t same_as;
  /// TableFlag bits.
  std::uint8_t flags;
  /// WiredModifier bits.
  std::uint8_t wired;

  /// The code, 48 bits, shifted to its place in config. For an event with kExtraRegister: the
  /// register's value.
  std::uint64_t code() const noexcept { return std::uint64_t{code_high} << 32 | code_low; }
};

/// The events of one PMU: `count` events of kTableEvents from `first` on. PMUs with the same events
/// share a part (EventTable::part).
struct TablePart {
  /// The part's name, as in the data file.
  char pmu[24];
  std::uint16_t first;  ///< Index in kTableEvents
  std::uint16_t count;
};

/// The generated tables, and the number of parts. Hidden: they would otherwise be reached through
/// the global offset table, which needs relocations.
#pragma GCC visibility push(hidden)
extern const char kTableNames[];
extern const TableEvent kTableEvents[];
extern const TableMask kTableMasks[];
extern const TablePart kTableParts[];
extern const unsigned kTablePartCount;
#pragma GCC visibility pop

/// How the codes of a table become config, config1 and config2 (table_encoding.cpp).
enum class TableArch : std::uint8_t { kIntelCore, kIntelAtom, kAmd, kAmdL3, kArm };

/// One PMU that has a table. The list kEventTables is written by hand (event_tables.cpp).
struct EventTable {
  char name[24];  ///< In libpfm4's style, "amd64_fam1ah_zen5"
  /// A description of the PMU for listings.
  char text[40];
  char part[24];    ///< Name of the part of the tables to use: emr uses spr's
  char device[16];  ///< PMU in sysfs, "cpu_core"; "": the processor's own, PERF_TYPE_RAW
  /// Decides the encoding and the modifiers.
  TableArch arch;
  /// The general counters and the fixed counters of a thread; 0: unknown.
  std::uint8_t counters;
  std::uint8_t fixed;
};

/// All PMUs with a table, whatever this machine's processor is.
#pragma GCC visibility push(hidden)
extern const EventTable kEventTables[];
extern const std::size_t kEventTableCount;
#pragma GCC visibility pop

/// The events of a table, by number: 0 to size() - 1. The constructor looks for the table's part; a
/// table without a part has no events. Refers to constant data only, so it may be copied and
/// outlive the table object.
class TableView {
 public:
  explicit TableView(const EventTable& table) noexcept;

  std::size_t size() const noexcept { return count_; }
  /// Requires number < size().
  const TableEvent& operator[](std::size_t number) const noexcept {
    return kTableEvents[first_ + number];
  }
  /// The number of an event, without regard to case; size(): there is none. Compares all names in
  /// turn.
  std::size_t Find(std::string_view name) const noexcept;

 private:
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

/// Names are NUL-terminated and live as long as the process.
inline const char* NameOf(const TableEvent& event) noexcept { return kTableNames + event.name; }
inline const char* NameOf(const TableMask& mask) noexcept { return kTableNames + mask.name; }
/// The first of the event's unit masks; event.masks of them are valid.
inline const TableMask* MasksOf(const TableEvent& event) noexcept {
  return kTableMasks + event.first_mask;
}

/// A description for a name that has none: the name in lower case, split into words at '_':
/// "RETIRED_X87_FP_OPS" -> "retired x87 fp ops". Longer texts are cut.
Text<96> WordsOfName(std::string_view name) noexcept;

}  // namespace csink
