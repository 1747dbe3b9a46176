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

/// Makes FILE and the libraries that it needs register their software-defined events with
/// libsde.so.1, by calling papi_sde_hook_list_events() of each. This runs code of those libraries.
/// False, with a message: FILE cannot be read, or libsde.so.1 is missing.
bool RegisterSoftwareEvents(const char* file);

}  // namespace csink::utils::native
