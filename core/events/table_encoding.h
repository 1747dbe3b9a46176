#pragma once

#include <string_view>

#include "core/events/event_tables.h"
#include "core/events/pfm_library.h"

/// File: encodes an event of a table into a perf_event_attr by libpfm4's rules: the same errors,
/// defaults and canonical spelling (docs/design/events.md). Lean. Threads: any. Signals: safe.

namespace csink {

/// A table whose PMU this machine has.
struct PresentTable {
  const EventTable* table = nullptr;
  std::uint32_t type = PERF_TYPE_RAW;  ///< perf_event_attr.type
  bool can_encode = true;              ///< False: forced by the user, but the kernel lacks the PMU
};

/// A modifier of events: e, i, c, u, k, period, ...
struct TableModifier {
  char name[10];
  char text[72];
  bool is_integer;
  bool is_kernels;      ///< It belongs to perf_event, not to the PMU
  std::uint16_t index;  ///< libpfm4's number of the modifier
};

/// The modifiers of an event: bit n stands for TableModifierAt(n). The order is libpfm4's.
std::uint32_t ModifiersOf(const EventTable& table, const TableEvent& event) noexcept;
/// Modifier number `number`; nullptr: there is none.
const TableModifier* TableModifierAt(std::size_t number) noexcept;

/// Encodes event `number` with `attributes` ("ANY:c=1:u"; '.' is accepted for ':'). `levels`
/// (PFM_PLM0 | PFM_PLM3) apply where the attributes state no level. Sets attr, cpu and canonical of
/// `answer`. Returns PFM_SUCCESS or the code that libpfm4 would return: PFM_ERR_ATTR, _ATTR_VAL,
/// _ATTR_SET, _UMASK, _FEATCOMB, _NOTSUPP.
int EncodeTableEvent(const PresentTable& present, std::size_t number, std::string_view attributes,
                     bool has_attributes, int levels, PfmEncoding& answer) noexcept;

}  // namespace csink
