#include <locale.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "compat/apapi/event_ops.h"

/// File: the eleven fields of a line of event operations. Words and numbers are checked completely:
/// text behind a number is an error, where upstream's strtoll and strtod ignore it.

namespace csink::apapi {

namespace {

/// A word of the files and its number.
struct Word {
  std::string_view text;
  int value;
};

/// The words of the files are the names of the enumerators in apapi.h.
constexpr Word kOperations[] = {
    {"APAPI_OP1_NOP", APAPI_OP1_NOP},
    {"APAPI_OP1_SAMPLE_DIFF", APAPI_OP1_SAMPLE_DIFF},
    {"APAPI_OP1_DIV_DIFF_TIME", APAPI_OP1_DIV_DIFF_TIME},
    {"APAPI_OP1_SAMPLE1_MUL_DIFF_TIME", APAPI_OP1_SAMPLE1_MUL_DIFF_TIME},
    {"APAPI_OP1_AVG_SAMPLE_MUL_DIFF_TIME", APAPI_OP1_AVG_SAMPLE_MUL_DIFF_TIME},
};

constexpr Word kStatistics[] = {
    {"APAPI_STAT_NO", APAPI_STAT_NO},   {"APAPI_STAT_MIN", APAPI_STAT_MIN},
    {"APAPI_STAT_MAX", APAPI_STAT_MAX}, {"APAPI_STAT_AVG", APAPI_STAT_AVG},
    {"APAPI_STAT_ACC", APAPI_STAT_ACC}, {"APAPI_STAT_ALL", APAPI_STAT_ALL},
};

/// For messages, in the order of the line.
constexpr const char* kFieldNames[] = {"event",
                                       "operation",
                                       "statistics of value0",
                                       "statistics of value1",
                                       "largest raw value",
                                       "type of value0",
                                       "unit of value0",
                                       "factor of value0",
                                       "type of value1",
                                       "unit of value1",
                                       "factor of value1"};

/// nullptr: no such word. Upper and lower case differ, as upstream's.
template <std::size_t N>
const Word* Find(const Word (&words)[N], std::string_view text) noexcept {
  for (const Word& word : words) {
    if (word.text == text) return &word;
  }
  return nullptr;
}

/// Terms separated by '|'; one more '|' may follow the last term.
bool ParseStatistics(std::string_view text, APAPI_stats& out) noexcept {
  // NO | MIN is MIN, and ALL (-1) with anything is ALL.
  int bits = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('|');
    // An empty term between two '|' is no word, so "A||B" is refused.
    const Word* term = Find(kStatistics, text.substr(0, end));
    if (term == nullptr) return false;
    bits |= term->value;
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  out = static_cast<APAPI_stats>(bits);
  return true;
}

/// Both Parse functions return nullptr, or what is wrong with the field.
const char* ParseLargest(const char* text, long long& out) noexcept {
  char* end = nullptr;
  errno = 0;
  // Base 0: the files have hexadecimal numbers, too.
  out = std::strtoll(text, &end, 0);
  if (end == text) return "is not a number";
  if (errno == ERANGE) return "is too large";
  return *end == 0 ? nullptr : "has text after the number";
}

const char* ParseFactor(const char* text, double& out) noexcept {
  // The locale of the program may have a decimal comma; the files always have a point.
  static const locale_t kPlain = newlocale(LC_ALL_MASK, "C", nullptr);
  char* end = nullptr;
  out = kPlain ? strtod_l(text, &end, kPlain) : std::strtod(text, &end);
  if (end == text) return "is not a number";
  return *end == 0 ? nullptr : "has text after the number";
}

}  // namespace

std::string FieldComplaint(int field, const char* text, const char* what) {
  return "field " + std::to_string(field + 1) + " (" + kFieldNames[field] + "): '" + text + "' " +
         what;
}

std::string ParseFields(char* const* fields, apapi_event_ops& ops) {
  // The conversions set errno; a line without errors leaves errno unchanged.
  const int error = errno;
  ops = {};
  const Word* operation = Find(kOperations, fields[1]);
  if (operation == nullptr) {
    return FieldComplaint(1, fields[1], "is not an operation (APAPI_OP1_...)");
  }
  // Fields are checked in the order in which they are used, not in that of the line.
  for (const int i : {2, 3}) {
    if (!ParseStatistics(fields[i], i == 2 ? ops.value0 : ops.value1)) {
      return FieldComplaint(i, fields[i], "is not a list of statistics (APAPI_STAT_...|...)");
    }
  }
  if (const char* wrong = ParseLargest(fields[4], ops.max_sample)) {
    return FieldComplaint(4, fields[4], wrong);
  }
  for (const int i : {7, 10}) {
    if (const char* wrong =
            ParseFactor(fields[i], i == 7 ? ops.value0_prefix : ops.value1_prefix)) {
      return FieldComplaint(i, fields[i], wrong);
    }
  }
  ops.event_name = fields[0];
  ops.op1 = static_cast<APAPI_op1>(operation->value);
  ops.value0_type = fields[5];
  ops.value0_unit = fields[6];
  ops.value1_type = fields[8];
  ops.value1_unit = fields[9];
  // PAPI knows the type (FindDataTypes).
  ops.data_type = PAPI_DATATYPE_INT64;
  errno = error;
  return {};
}

}  // namespace csink::apapi
