#pragma once

#include "compat/utils/tool.h"

namespace csink::utils::native {

/// Ids of the options without a letter, in the order of the help.
enum OptionId : int {
  kNoQualifiers = kFirstWordOption,
  kNoGroups,
  kPatterns,
  kSde,
  kDataRange,
  kDataAddress,
  kInstructionRange,
  kInstructionAddress,
  kOpcodeMatch
};

/// papi_native_avail's options, help and man page.
extern const Tool kTool;

}  // namespace csink::utils::native
