#include "symbolizer/report/tables/agent_code.h"

#include "core/util/text_file.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::report {

bool IsAgentModule(const Module& module) {
  // The name is checked first, so that only a file of this name is read.
  if (BaseName(module.path) != "libagent.so" || module.is_anonymous) return false;
  constexpr char kSymbol[] = "csink_agent_identity";  // Defined in agent/process/may_start.cpp
  return ReadTextFile(module.path).find(kSymbol) != std::string::npos;
}

}  // namespace csink::report
