#pragma once

#include "core/counting/catalogue/native_catalogue.h"
#include "core/counting/catalogue/pfm_encoding.h"

namespace csink {

/// Converts libpfm4's successful answer to `plain`, an event of PMU number `pmu`, into what is
/// needed to open the event. `plain` is needed for the levels that the user stated: the answer's
/// attribute does not distinguish them from libpfm4's defaults. Reads sysfs for an uncore event
/// without a CPU.
NativeEncoding EncodingOf(const PfmAnswer& answer, std::string_view plain, int pmu,
                          CatalogueSide side);

}  // namespace csink
