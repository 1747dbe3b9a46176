#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/util/json_writer.h"
#include "symbolizer/report/formats/parts/sink.h"
#include "symbolizer/report/html/page_text.h"

/// File: the page's JSON: strings that no script element ends in, and tables as columns.

namespace csink::report {

/// Strings as WriteJsonString writes them.
struct PageStrings {
  static void Write(Sink& sink, std::string_view text) { WriteJsonString(sink, text); }
};
using PageJson = JsonWriter<Sink, PageStrings>;

/// Writes a member whose value is a list of numbers: "key":[1,2]. `number_of` returns an unsigned
/// number; kAbsent is written as -1.
inline constexpr std::uint32_t kAbsent = 0xffffffff;
template <class Range, class NumberOf>
void WriteNumbers(PageJson& json, std::string_view key, const Range& range,
                  const NumberOf& number_of) {
  json.Key(key).List(range, [&](const auto& element) {
    const auto number = number_of(element);
    if constexpr (sizeof(number) == sizeof(kAbsent)) {
      if (number == kAbsent) return json.Value(-1);
    }
    json.Value(static_cast<std::uint64_t>(number));
  });
}

/// Writes a member whose value is a list of texts.
template <class Range, class TextOf>
void WriteTexts(PageJson& json, std::string_view key, const Range& range, const TextOf& text_of) {
  json.Key(key).List(range, [&](const auto& element) { json.Value(text_of(element)); });
}

}  // namespace csink::report
