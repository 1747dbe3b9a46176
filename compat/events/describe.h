#pragma once

#include <string>
#include <string_view>

#include "core/catalogue/event_attributes.h"

namespace csink {

/// {"format": "csink-event", ...}: docs/event-macros.md lists the keys.
std::string DescribeAsJson(const EventAttributes& event);
std::string ErrorAsJson(std::string_view sentence);

/// One line a group and attribute, for people.
std::string DescribeAsText(const EventAttributes& event);

}  // namespace csink
