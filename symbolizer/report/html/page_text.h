#pragma once

#include <string>
#include <string_view>

#include "symbolizer/report/formats/parts/sink.h"

/// File: makes text harmless inside an HTML file. Names come from files and may contain anything.
/// Bytes that are not UTF-8 become U+FFFD.

namespace csink::report {

/// Longest text in bytes that the page contains. A longer one is cut between two characters and
/// ends in "...".
inline constexpr std::size_t kMostPageText = 16384;

/// Writes a JSON string with its quotes. `<`, `>`, `&`, U+2028, U+2029 and control characters are
/// written as \u escapes, so that no text ends the script element around it (HTML standard, section
/// "Restrictions for contents of script elements").
void WriteJsonString(Sink& sink, std::string_view text);

/// A JSON document with the same characters escaped. They occur in strings alone, where the escapes
/// mean the same. `json` must be valid UTF-8.
std::string EscapedForScript(std::string_view json);

/// `text` for the content of an element or a quoted attribute. Control characters and characters
/// that change the direction of text (Unicode standard annex 9) become visible: "U+202E" in
/// brackets.
std::string HtmlText(std::string_view text);

}  // namespace csink::report
