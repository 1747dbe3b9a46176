#pragma once

#include <cstdint>
#include <vector>

#include "profil/critical/moments.h"
#include "symbolizer/report/tables/callers.h"
#include "symbolizer/report/tables/report.h"

namespace csink::report {

/// The records with times of the profile (Profile::timed), with FunctionRow::id as places. Callers
/// that have no row because no sample is in themselves are no places. The first process is the one
/// that started the others, its first thread the main one.
/// `function_of_place` is the result of AddFunctions, `nodes` that of AddCallers.
critical::RawLog CriticalLogOf(const Report& report,
                               const std::vector<std::uint32_t>& function_of_place,
                               const CallNodes& nodes);

}  // namespace csink::report
