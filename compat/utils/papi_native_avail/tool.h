#pragma once

#include "compat/utils/tool.h"

namespace csink::utils::native {

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

extern const Tool kTool;

}  // namespace csink::utils::native
