#pragma once

#include <string>
#include <string_view>

#include "core/counting/catalogue/event_attributes.h"

namespace csink {

/// JSON objects {"format": "csink-event", ...}; docs/event-macros.md lists the keys. Not printable
/// and non-ASCII bytes are escaped, so the text is ASCII. Ended by a newline.
std::string DescribeAsJson(const EventAttributes& event);
std::string ErrorAsJson(std::string_view sentence);

/// Text for people: one line for each group and each attribute. Attributes of no group come last.
std::string DescribeAsText(const EventAttributes& event);

}  // namespace csink
