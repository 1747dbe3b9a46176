#pragma once

#include <optional>

#include "symbolizer/report/json/groups.h"
#include "symbolizer/report/verdict/chain_grade.h"
#include "symbolizer/report/verdict/words.h"

namespace csink::report {

/// The members "chains" and "look_chains" of the verdict (docs/report.schema.json); null: no such
/// chains.
Json ChainsJson(const std::optional<ChainGrade>& chains);

}  // namespace csink::report
