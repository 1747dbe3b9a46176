#pragma once

#include <cstdint>
#include <string>

#include "symbolizer/report/tables/report.h"

/// File: names, lines, sentences and numbers for short texts that programs read (a digest, `csink
/// show`). Each has a bounded number of columns, and twice as many bytes, and is harmless whatever
/// the profile contains. Those without "Text" are code spans of Markdown. Threads: any.

namespace csink::report {

/// At most 60 columns: a function's name without its template arguments first.
std::string BriefNameText(const std::string& name);
std::string BriefName(const std::string& name);
/// "file:line", at most 60 columns, of a long path the end. "" for line 0.
std::string BriefLineText(const std::string& file, std::uint32_t line);
std::string BriefLine(const std::string& file, std::uint32_t line);
/// At most 240 columns, without blanks at the begin.
std::string BriefSentenceText(const std::string& text);
std::string BriefSentence(const std::string& text);

/// "61.2% +-4.0": half of the 95 % interval.
std::string BriefShare(const Cell& cell);
/// A time of a clock, else a number of events with a prefix.
std::string BriefAmount(const EventCount& count, bool is_clock);
/// A number for JSON with four significant digits, so that it takes few bytes.
double BriefNumber(double value);

}  // namespace csink::report
