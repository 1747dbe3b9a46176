#pragma once

#include <cstdint>
#include <string_view>

#include "symbolizer/report/formats/parts/sink.h"
#include "symbolizer/report/html/page_text.h"

/// File: members of JSON objects, and arrays that are written element by element: the tables of the
/// page are columns.

namespace csink::report {

/// Writes "[" element "," element ... "]". `write` writes one element.
template <class Range, class Write>
void WriteList(Sink& sink, const Range& range, const Write& write) {
  sink << '[';
  bool is_first = true;
  for (const auto& element : range) {
    if (!is_first) sink << ',';
    is_first = false;
    write(element);
  }
  sink << ']';
}

/// Writes a member whose value is a list of numbers: "key":[1,2]. `number_of` returns an unsigned
/// number; kAbsent is written as -1.
inline constexpr std::uint32_t kAbsent = 0xffffffff;
template <class Range, class NumberOf>
void WriteNumbers(Sink& sink, std::string_view key, const Range& range, const NumberOf& number_of) {
  sink << '"' << key << "\":";
  WriteList(sink, range, [&](const auto& element) {
    const auto number = number_of(element);
    if constexpr (sizeof(number) == sizeof(kAbsent)) {
      if (number == kAbsent) {
        sink << "-1";
        return;
      }
    }
    sink << static_cast<std::uint64_t>(number);
  });
}

/// Writes a member whose value is a list of texts.
template <class Range, class TextOf>
void WriteTexts(Sink& sink, std::string_view key, const Range& range, const TextOf& text_of) {
  sink << '"' << key << "\":";
  WriteList(sink, range, [&](const auto& element) { WriteJsonString(sink, text_of(element)); });
}

/// Writes a member whose value is a text: "key":"text".
inline void WriteMember(Sink& sink, std::string_view key, std::string_view text) {
  sink << '"' << key << "\":";
  WriteJsonString(sink, text);
}

/// Writes a finite number; anything else is written as 0.
void WriteNumber(Sink& sink, double number);

}  // namespace csink::report
