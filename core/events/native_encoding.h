#pragma once

#include "core/events/native_catalogue.h"
#include "core/events/pfm_encoding.h"

namespace csink {

/// What libpfm4's good answer to `plain`, an event of PMU number `pmu`, means for opening it.
NativeEncoding EncodingOf(const PfmAnswer& answer, std::string_view plain, int pmu,
                          CatalogueSide side);

}  // namespace csink
