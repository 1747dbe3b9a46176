#pragma once

#include <csink_events.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace csink::utils::native {

/// libcsink_events.so.0, opened when it is first needed: groups, defaults and wired values.
class AttributeLibrary {
 public:
  /// nullptr: it is not there, which is said once by `complain` on stderr.
  static const AttributeLibrary* Get();

  /// As csink_event_attributes_text() and ..._json() write it, whole. Nothing: no such event, or
  /// one without attributes.
  std::optional<std::string> Text(const char* event) const { return Whole(text_, event); }
  std::optional<std::string> Json(const char* event) const { return Whole(json_, event); }

  /// One line a group of unit masks or macros, then one of what masks fix; empty: it has none.
  std::vector<std::string> GroupLines(const char* event) const;

 private:
  using Write = int (*)(const char* event, char* buffer, std::size_t size);
  using Fill = int (*)(const char* event, csink_event_attribute* out, int* count);

  AttributeLibrary();
  static std::optional<std::string> Whole(Write write, const char* event);

  Write text_ = nullptr;
  Write json_ = nullptr;
  Fill fill_ = nullptr;
};

}  // namespace csink::utils::native
