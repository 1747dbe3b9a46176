#pragma once

#include <string_view>

#include "core/events/event_tables.h"
#include "core/events/pfm_library.h"

/// File: encodes an event of a table into a perf_event_attr by libpfm4's rules: the same errors,
/// defaults and canonical spelling (docs/design/events.md). A test compares all events of Sapphire
/// Rapids with libpfm4's answers.
/// Lean. Threads: any. Signals: safe.

namespace csink {

/// A table whose PMU this machine has, or that the user forced.
struct PresentTable {
  const EventTable* table = nullptr;
  std::uint32_t type = PERF_TYPE_RAW;  ///< perf_event_attr.type
  /// False: forced by the user, but the kernel lacks the PMU, so there is no type: events can be
  /// listed and not encoded.
  bool can_encode = true;
};

/// A modifier of events: e, i, c, u, k, period, ... A modifier has the same name, text and number
/// for all events that have it.
struct TableModifier {
  char name[10];
  /// libpfm4's description of the modifier.
  char text[72];
  /// True: takes a number. False: takes a truth value, 1 where no value is written.
  bool is_integer;
  bool is_kernels;      ///< It belongs to perf_event, not to the PMU
  std::uint16_t index;  ///< libpfm4's number of the modifier
};

/// The modifiers of an event: bit n stands for TableModifierAt(n). The order is libpfm4's, in
/// listings as well as in canonical spellings.
std::uint32_t ModifiersOf(const EventTable& table, const TableEvent& event) noexcept;
/// Modifier number `number`; nullptr: there is none. A loop over all modifiers ends at the first
/// nullptr.
const TableModifier* TableModifierAt(std::size_t number) noexcept;

/// Encodes event `number` (below TableView::size()) with `attributes` ("ANY:c=1:u"; '.' is accepted
/// for ':'). `has_attributes` distinguishes "EVENT:", which has one empty attribute, from "EVENT".
/// `levels` (PFM_PLM0 | PFM_PLM3) apply where the attributes state no level. Sets attr, cpu and
/// canonical of `answer`, completely on success only.
/// Returns PFM_SUCCESS or the code that libpfm4 would return: PFM_ERR_ATTR (unknown attribute),
/// _ATTR_VAL (its value is impossible), _ATTR_SET (two values for it), _UMASK (a unit mask is
/// missing), _FEATCOMB (masks that exclude each other), _NOTSUPP (PresentTable::can_encode).
int EncodeTableEvent(const PresentTable& present, std::size_t number, std::string_view attributes,
                     bool has_attributes, int levels, PfmEncoding& answer) noexcept;

}  // namespace csink
