#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "symbolizer/report/data/comparison.h"
#include "symbolizer/report/text/table.h"

/// File: the functions of two commands compared, as text, Markdown and JSON. The comparison is that
/// of `csink diff` (symbolizer/report/compare/compare.h) with A as the later side (`now`) and B as
/// the earlier one: a positive change is a function in which A spends more.
///
/// Threads: any (no state). Signals: not safe (heap).

namespace csink::bench {

/// Text in a table or a paragraph of Markdown: characters that would be markup are escaped.
std::string MarkdownText(const std::string& text);

/// One sentence: how many functions differ, in how many runs of which event, how many tests were
/// made, and which changes these runs would find. If nothing could be compared, why.
std::string FunctionsSentence(const report::Comparison& functions);

/// The functions that differ beyond the error, at most style.top, the largest change of the amount
/// first, and why A became slower (docs/causes.md). "" if none does.
std::string FunctionsText(const report::Comparison& functions, const report::TextStyle& style);
/// The same as a table of Markdown, at most 20 rows. "" if no function differs.
std::string FunctionsMarkdown(const report::Comparison& functions);
/// All functions, also those that do not differ. docs/ci.md has the keys.
nlohmann::ordered_json FunctionsJson(const report::Comparison& functions);

}  // namespace csink::bench
