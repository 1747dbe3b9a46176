#pragma once

#include "core/catalogue/native_catalogue.h"
#include "core/catalogue/pfm_encoding.h"

namespace csink {

/// Converts libpfm4's successful answer to `plain`, an event of PMU number `pmu`, into what is
/// needed to open the event.
NativeEncoding EncodingOf(const PfmAnswer& answer, std::string_view plain, int pmu,
                          CatalogueSide side);

}  // namespace csink
