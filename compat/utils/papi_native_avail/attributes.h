#pragma once

#include <csink_events.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace csink::utils::native {

/// libcsink_events.so.0: groups, defaults and fixed values of attributes. Opened on first use,
/// because the tools also run with PAPI's own library alone.
class AttributeLibrary {
 public:
  /// The library; nullptr: it cannot be opened or lacks a function. Opened once and never closed.
  static const AttributeLibrary* Get();

  /// The whole text of csink_event_attributes_text() or ..._json(). nullopt: no such event, or an
  /// event without attributes.
  std::optional<std::string> Text(const char* event) const { return Whole(text_, event); }
  std::optional<std::string> Json(const char* event) const { return Whole(json_, event); }

  /// A line for each group of unit masks or macros, then a line of the modifiers that masks fix.
  /// Empty: no groups.
  std::vector<std::string> GroupLines(const char* event) const;

 private:
  using Write = int (*)(const char* event, char* buffer, std::size_t size);
  using Fill = int (*)(const char* event, csink_event_attribute* out, int* count);

  AttributeLibrary();
  /// Calls `write` for the length, then for the text.
  static std::optional<std::string> Whole(Write write, const char* event);

  Write text_ = nullptr;
  Write json_ = nullptr;
  Fill fill_ = nullptr;
};

}  // namespace csink::utils::native
