#pragma once

#include <nlohmann/json_fwd.hpp>

#include "symbolizer/report/data/change_causes.h"

namespace csink::report {

/// Why runs became slower, with the keys of docs/causes.md.
nlohmann::ordered_json CausesJson(const ChangeCauses& causes);

}  // namespace csink::report
