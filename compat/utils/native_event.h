#pragma once

#include <csink_papi.h>
#include <papi.h>

#include <optional>
#include <string_view>

namespace csink::utils {

/// Enumerates the unit masks and modifiers of an event. The description that it is made from must
/// outlive it. Names and texts are valid until the next Next.
class Qualifiers {
 public:
  explicit Qualifiers(const PAPI_event_info_t& event);

  /// Goes to the next qualifier. False: there is none; the other functions are valid after true
  /// alone.
  bool Next();

  /// The qualifier's name with its colon: ":STALLS_TOTAL", ":c=0". If the symbol does not begin
  /// with the event's name: from its last colon on.
  std::string_view name() const noexcept;
  /// What the qualifier means, without the event's own description, which the library puts before
  /// it.
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

/// True if the event, or the event with one of its unit masks, can be added to an event set.
bool IsCountable(const PAPI_event_info_t& event);

/// The kernel's encoding of an event (type and config of perf_event_attr). nullopt: it has none,
/// needs a unit mask, or the library is PAPI's.
std::optional<csink_papi_event_encoding_t> PatternOf(int code);

}  // namespace csink::utils
