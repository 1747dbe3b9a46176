#pragma once

#include "core/catalogue/native_catalogue.h"
#include "core/catalogue/pfm_encoding.h"

namespace csink {

/// What libpfm4's good answer to `plain`, an event of PMU number `pmu`, means for opening it.
NativeEncoding EncodingOf(const PfmAnswer& answer, std::string_view plain, int pmu,
                          CatalogueSide side);

}  // namespace csink
