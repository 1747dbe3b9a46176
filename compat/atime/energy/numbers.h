#pragma once

#include <string>
#include <string_view>

#include "compat/apapi/include/apapi_csink.h"

namespace csink::atime {

/// When an event was measured. `event`: 0 to set.num_events - 1, also for the functions below.
csink_apapi_event_times TimesOf(const apapi_eventset& set, int event) noexcept;
/// What the growth of an event lacks.
csink_apapi_event_losses LossesOf(const apapi_eventset& set, int event) noexcept;
/// The time from the first sample of an event to the last, without the time in which its growth is
/// not known, in ns.
long long MeasuredNs(const apapi_eventset& set, int event) noexcept;
/// The raw value of a counter, formatted according to the event's data type (PAPI_DATATYPE_*).
std::string RawValue(const apapi_eventset& set, int event);
/// The last value0 and value1 in their units, after `samples` of the event. "": there is no value
/// yet, because the first difference of an accumulating counter needs a second sample.
std::string LastValue0(const apapi_eventset& set, int event, unsigned long long samples);
std::string LastValue1(const apapi_eventset& set, int event, unsigned long long samples);

/// 15 significant digits, which a double holds; as printf's %Lg. "inf" and "nan" are possible.
std::string Number(long double value);
/// Six significant digits, for the lines of text: "12.3457".
std::string ShortNumber(double value);
/// Nanoseconds as seconds with nine decimals: "1.000000000".
std::string Seconds(long long ns);
/// A field of a CSV file, quoted where RFC 4180 requires it.
std::string CsvField(std::string_view text);

}  // namespace csink::atime
