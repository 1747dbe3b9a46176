#include "symbolizer/commands/load/run_causes.h"

#include <cstdlib>
#include <string>

namespace csink::tool {
namespace {

/// All instructions, because equal code is told by all of them; sources as `csink annotate` finds
/// them, which complains of what is wrong in the variable.
annotate::Settings WholeCode() {
  annotate::Settings settings;
  settings.show_all = true;
  std::vector<std::string> bad;
  const char* variable = std::getenv("CSINK_SOURCE_PREFIX");
  settings.prefixes = annotate::ParsePrefixMaps(variable != nullptr ? variable : "", bad);
  return settings;
}

}  // namespace

std::shared_ptr<const report::ChangeCauses> CausesOf(const report::Comparison& comparison,
                                                     const ExplainedSide& now,
                                                     const ExplainedSide& then,
                                                     const report::WantedCode& wanted,
                                                     const report::Resolver& resolve,
                                                     const report::SideNames& names) {
  const annotate::Settings settings = WholeCode();
  std::optional<report::CodeSide> now_code;
  std::optional<report::CodeSide> then_code;
  if (now.sum && then.sum && !wanted.now.empty()) {
    then_code = report::ReadCode(*then.sum, wanted.was, then.summed, resolve, settings);
    now_code = report::ReadCode(*now.sum, wanted.now, now.summed, resolve, settings);
  }
  return std::make_shared<report::ChangeCauses>(
      report::FindCauses(comparison, now.runs, then.runs, now_code ? &*now_code : nullptr,
                         then_code ? &*then_code : nullptr, names));
}

}  // namespace csink::tool
