#include "symbolizer/report/formats/parts/brief.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "symbolizer/report/formats/parts/clean.h"
#include "symbolizer/report/formats/parts/code_span.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::report {
namespace {

constexpr std::size_t kNameColumns = 60;
constexpr std::size_t kLineColumns = 60;
constexpr std::size_t kSentenceColumns = 240;

/// Combining characters take bytes and no column: at most so many bytes are kept for a column.
constexpr std::size_t kBytesOfColumn = 2;
std::string AtMost(std::size_t columns, std::string text) {
  std::size_t size = columns * kBytesOfColumn;
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  text.resize(size);
  return text + "...";
}

}  // namespace

std::string BriefNameText(const std::string& name) {
  return AtMost(kNameColumns, ShortenFunction(CleanForPage(name), kNameColumns));
}
std::string BriefName(const std::string& name) { return CodeSpan(BriefNameText(name)); }

// The end of a long path says more than its beginning.
std::string BriefLineText(const std::string& file, std::uint32_t line) {
  if (line == 0) return "";
  return AtMost(kLineColumns,
                KeepTail(CleanForPage(file) + ":" + std::to_string(line), kLineColumns));
}
std::string BriefLine(const std::string& file, std::uint32_t line) {
  return CodeSpan(BriefLineText(file, line));
}

std::string BriefSentenceText(const std::string& text) {
  const std::string words = text.substr(std::min(text.find_first_not_of(' '), text.size()));
  return AtMost(kSentenceColumns, KeepHead(CleanForPage(words), kSentenceColumns));
}
std::string BriefSentence(const std::string& text) { return CodeSpan(BriefSentenceText(text)); }

std::string BriefShare(const Cell& cell) {
  return ShareText(cell.share) + " +-" + FixedText((cell.high - cell.low) * 50, 1);
}

std::string BriefAmount(const EventCount& count, bool is_clock) {
  return is_clock ? Duration(Seconds(count.weight)) : Short(static_cast<double>(count.weight));
}

double BriefNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return std::strtod(text, nullptr);
}

}  // namespace csink::report
