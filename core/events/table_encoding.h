#pragma once

#include <string_view>

#include "core/events/event_tables.h"
#include "core/events/pfm_library.h"

/// File: an event of a table as perf_event_attr, by libpfm4's rules: the same errors, the same
/// defaults, the same canonical spelling. Lean. Threads: any.

namespace csink {

/// A PMU of this machine that has a table.
struct PresentTable {
  const EventTable* table = nullptr;
  std::uint32_t type = PERF_TYPE_RAW;  ///< perf_event_attr.type
  bool can_encode = true;              ///< False: forced, and the kernel has no such PMU
};

/// A modifier behind an event: e, i, c, u, k, period, ...
struct TableModifier {
  char name[10];
  char text[72];
  bool is_integer;
  bool is_kernels;      ///< perf_event's, not the PMU's
  std::uint16_t index;  ///< libpfm4's number of it
};

/// The modifiers of an event in libpfm4's order: bit n stands for TableModifierAt(n).
std::uint32_t ModifiersOf(const EventTable& table, const TableEvent& event) noexcept;
/// nullptr: there is no such number.
const TableModifier* TableModifierAt(std::size_t number) noexcept;

/// Encodes event `number` with `attributes` ("ANY:c=1:u", '.' for ':' too); `levels` are
/// PFM_PLM0 | PFM_PLM3, taken where the attributes state none. Fills attr, cpu and canonical of
/// `answer`. Returns PFM_SUCCESS or what libpfm4 would: PFM_ERR_ATTR, _ATTR_VAL, _ATTR_SET,
/// _UMASK, _FEATCOMB, _NOTSUPP.
int EncodeTableEvent(const PresentTable& present, std::size_t number, std::string_view attributes,
                     bool has_attributes, int levels, PfmEncoding& answer) noexcept;

}  // namespace csink
