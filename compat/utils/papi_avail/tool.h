#pragma once

#include "compat/utils/tool.h"

namespace csink::utils::avail {

/// First id of the options without a letter: the classes of presets have kFirstClass + the bit's
/// number in PAPI_PRESET_BIT_*.
inline constexpr int kFirstClass = kFirstWordOption;

/// papi_avail's options, help and man page.
extern const Tool kTool;

}  // namespace csink::utils::avail
