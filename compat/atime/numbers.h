#pragma once

#include <string>
#include <string_view>

#include "compat/apapi/include/apapi.h"

namespace csink::atime {

/// The raw value of a counter, formatted according to the event's data type (PAPI_DATATYPE_*).
/// `event`: 0 to set.num_events - 1, also for the next two functions.
std::string RawValue(const apapi_eventset& set, int event);
/// The last value0 and value1 in their units. "": there is no value yet, because the first
/// difference of an accumulating counter needs a second sample.
std::string LastValue0(const apapi_eventset& set, int event);
std::string LastValue1(const apapi_eventset& set, int event);

/// 15 significant digits, which a double holds; as printf's %Lg. "inf" and "nan" are possible.
std::string Number(long double value);
/// Six significant digits, for the lines of text: "12.3457".
std::string ShortNumber(double value);
/// Nanoseconds as seconds with nine decimals: "1.000000000".
std::string Seconds(long long ns);
/// A field of a CSV file, quoted where RFC 4180 requires it.
std::string CsvField(std::string_view text);

}  // namespace csink::atime
