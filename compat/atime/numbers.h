#pragma once

#include <string>
#include <string_view>

#include "compat/apapi/include/apapi.h"

namespace csink::atime {

/// A counter as PAPI gave it, in the type of its event.
std::string RawValue(const apapi_eventset& set, int event);
/// The last value0 and value1 in their units; "" while there is none: an accumulating counter's
/// first difference comes with the second sample.
std::string LastValue0(const apapi_eventset& set, int event);
std::string LastValue1(const apapi_eventset& set, int event);

/// As many digits as a double has.
std::string Number(long double value);
/// ns as seconds: "1.000000000".
std::string Seconds(long long ns);
/// RFC 4180: in quotes where that is needed.
std::string CsvField(std::string_view text);

}  // namespace csink::atime
