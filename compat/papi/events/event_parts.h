#pragma once

#include <array>
#include <cstdint>

#include "core/counting/presets/preset_definition.h"

namespace csink::papi {

/// What an event is made of: native events of one component.
struct EventParts {
  int component = -1;
  std::uint8_t count = 0;                                      ///< Elements of `natives` in use
  std::array<std::uint32_t, kMaxFormulaNatives> natives = {};  ///< The component's numbers
  const PresetDefinition* definition = nullptr;                ///< nullptr: a native event
  bool floating = false;  ///< Its value is the bits of a double
};

/// Finds the parts of the event `code`. Opens nothing: whether the kernel counts the event is found
/// when its counters are opened. PAPI_EINVAL: not the code of an event, or a preset beyond PAPI's
/// table; PAPI_ENOEVNT: no such event, or a preset that this machine does not count. Errors have a
/// message, except PAPI_EINVAL of a preset.
/// Threads: any; may read preset files and open libpfm4. Signals: not safe.
int FindParts(int code, EventParts* parts);

}  // namespace csink::papi
