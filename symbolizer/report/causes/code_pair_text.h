#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "symbolizer/report/annotate/annotation.h"
#include "symbolizer/report/text/table.h"

/// File: writes the code of one function in both builds, side by side.

namespace csink::report {

/// One function. nullopt: that side has no samples in it.
struct CodeOfBoth {
  std::string name;
  std::optional<annotate::Annotation> was;
  std::optional<annotate::Annotation> now;
  std::size_t was_runs = 1;  ///< Over which the samples were summed
  std::size_t now_runs = 1;
};

/// Rows of both sides: time of a run with its 95 % error, instruction; "=" in both, "-" in A alone,
/// "+" in B alone; a head where the source line or the inlined function changes. Of long functions
/// only what has samples, with some rows around. Ends in a newline.
std::string CodePairText(const CodeOfBoth& code, const TextStyle& style);

/// All rows: `a` and `b`, each null or text, seconds, error, file, line, inlined.
nlohmann::ordered_json CodePairJson(const CodeOfBoth& code);

}  // namespace csink::report
