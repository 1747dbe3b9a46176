#include "compat/utils/native_event.h"

#include "compat/utils/events.h"

/// File: native events with their unit masks and modifiers. PAPI describes each of these as an
/// event of its own, whose texts contain those of the event.

namespace csink::utils {

Qualifiers::Qualifiers(const PAPI_event_info_t& event)
    : event_name_(event.symbol), code_(static_cast<int>(event.event_code)) {}

// An enumeration begins at the event's code and goes on from the qualifier's. Codes that the
// library cannot describe are skipped.
bool Qualifiers::Next() {
  while (PAPI_enum_event(&code_, PAPI_NTV_ENUM_UMASKS) == PAPI_OK) {
    if (PAPI_get_event_info(code_, &info_) == PAPI_OK) return true;
  }
  return false;
}

std::string_view Qualifiers::name() const noexcept {
  const std::string_view whole = info_.symbol;
  if (whole.starts_with(event_name_) && whole.size() > event_name_.size()) {
    return whole.substr(event_name_.size());
  }
  const std::size_t colon = whole.rfind(':');
  return colon == whole.npos ? whole : whole.substr(colon);
}

std::string_view Qualifiers::description() const noexcept {
  constexpr std::string_view kMark = "masks:";  // the event's description precedes it
  const std::string_view whole = info_.long_descr;
  const std::size_t mark = whole.find(kMark);
  return mark == whole.npos ? whole : whole.substr(mark + kMark.size());
}

// An event that needs a unit mask cannot be added by itself; one mask that fits is enough.
// Modifiers are not tried: they do not replace a unit mask.
bool IsCountable(const PAPI_event_info_t& event) {
  if (CanBeAdded(static_cast<int>(event.event_code))) return true;
  for (Qualifiers qualifiers(event); qualifiers.Next();) {
    if (qualifiers.is_unit_mask() && CanBeAdded(qualifiers.code())) return true;
  }
  return false;
}

std::optional<csink_papi_event_encoding_t> PatternOf(int code) {
  csink_papi_event_encoding_t encoding;
  if (csink_papi_event_encoding(code, &encoding) != PAPI_OK) return std::nullopt;
  return encoding;
}

}  // namespace csink::utils
