#pragma once

#include <csink_papi.h>
#include <papi.h>

#include <optional>
#include <string_view>

namespace csink::utils {

/// Steps through what may stand behind an event's name.
class Qualifiers {
 public:
  explicit Qualifiers(const PAPI_event_info_t& event);

  /// False after the last one.
  bool Next();

  /// ":STALLS_TOTAL", ":c=0"
  std::string_view name() const noexcept;
  std::string_view description() const noexcept;
  const char* long_description() const noexcept { return info_.long_descr; }
  const char* symbol() const noexcept { return info_.symbol; }
  const char* units() const noexcept { return info_.units; }
  int code() const noexcept { return code_; }
  bool is_unit_mask() const noexcept { return name().find('=') == std::string_view::npos; }

 private:
  std::string_view event_name_;
  int code_;
  PAPI_event_info_t info_;
};

/// Whether the event, or else the event with one of its unit masks, can be added to a set.
bool IsCountable(const PAPI_event_info_t& event);

/// Nothing: it has none, needs a unit mask, or the library is another one.
std::optional<csink_papi_event_encoding_t> PatternOf(int code);

}  // namespace csink::utils
