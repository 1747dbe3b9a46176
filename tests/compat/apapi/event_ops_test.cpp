// The files of operations: upstream's table of accepted and rejected inputs, as we mend it.
#include <apapi.h>
#include <gtest/gtest.h>
#include <locale.h>
#include <stdlib.h>

#include <string>
#include <vector>

#include "text_files.h"

namespace {

const std::string kLine =
    "a:::X,APAPI_OP1_DIV_DIFF_TIME,APAPI_STAT_ACC,APAPI_STAT_MIN|APAPI_STAT_MAX,0xffffffff,energy,"
    "Ws,"
    "1E9,power,W,1";

/// What a parse answered; the strings lie in `text`.
struct Parsed {
  explicit Parsed(std::string input) : text(std::move(input)) {
    testing::internal::CaptureStderr();
    code = APAPI_read_event_ops_csv(text.data(), ',', &ops, &count);
    message = testing::internal::GetCapturedStderr();
  }
  ~Parsed() { free(ops); }
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;

  std::string text, message;
  apapi_event_ops* ops = nullptr;
  int count = -1, code = 1;
};

/// kLine with one field (from 1) replaced.
std::string With(int field, const std::string& value) {
  std::string out;
  std::size_t at = 0;
  for (int i = 1; i <= 11; ++i) {
    const std::size_t end = kLine.find(',', at);
    if (i > 1) out += ',';
    out += i == field ? value : kLine.substr(at, end - at);
    at = end + 1;
  }
  return out;
}

TEST(EventOps, ReadsEachField) {
  const Parsed parsed(kLine);
  ASSERT_EQ(parsed.code, 0);
  ASSERT_EQ(parsed.count, 1);
  const apapi_event_ops& ops = parsed.ops[0];
  EXPECT_STREQ(ops.event_name, "a:::X");
  EXPECT_EQ(ops.op1, APAPI_OP1_DIV_DIFF_TIME);
  EXPECT_EQ(ops.value0, APAPI_STAT_ACC);
  EXPECT_EQ(ops.value1, APAPI_STAT_MIN | APAPI_STAT_MAX);
  EXPECT_EQ(ops.max_sample, 0xffffffff);
  EXPECT_STREQ(ops.value0_type, "energy");
  EXPECT_STREQ(ops.value0_unit, "Ws");
  EXPECT_EQ(ops.value0_prefix, 1e9);
  EXPECT_STREQ(ops.value1_type, "power");
  EXPECT_STREQ(ops.value1_unit, "W");
  EXPECT_EQ(ops.value1_prefix, 1);
  EXPECT_EQ(ops.data_type, PAPI_DATATYPE_INT64);
  EXPECT_EQ(parsed.ops[1].event_name, nullptr);
}

TEST(EventOps, UpstreamsRejectedFilesSayFieldAndText) {
  struct Row {
    const char* what;
    std::string text;
    const char* says;
  };
  const Row rows[] = {
      {"tokenmismatch1", "a:::X,", "field 2 (operation): '' is empty"},
      {"tokenmismatch2", kLine + ",more,", "too many fields: 13"},
      {"type1", With(1, ""), "field 1 (event): '' is empty"},
      {"type2", With(2, "APAPI_OP1_MORE"), "field 2 (operation): 'APAPI_OP1_MORE'"},
      {"type3", With(3, "APAPI_STAT_MEAN"), "field 3 (statistics of value0): 'APAPI_STAT_MEAN'"},
      {"type4", With(4, "APAPI_STAT_MEAN"), "field 4 (statistics of value1): 'APAPI_STAT_MEAN'"},
      {"type5", With(5, "many"), "field 5 (largest raw value): 'many' is not a number"},
      {"type6", With(6, ""), "field 6 (type of value0): '' is empty"},
      {"type7", With(7, ""), "field 7 (unit of value0): '' is empty"},
      {"type8", With(8, "much"), "field 8 (factor of value0): 'much' is not a number"},
      {"type9", With(9, ""), "field 9 (type of value1): '' is empty"},
      {"type10", With(10, ""), "field 10 (unit of value1): '' is empty"},
      {"type11", With(11, "much"), "field 11 (factor of value1): 'much' is not a number"},
      {"type12", With(11, ""), "field 11 (factor of value1): '' is empty"},
  };
  for (const Row& row : rows) {
    const Parsed parsed(kLine + "\n\n" + row.text);
    EXPECT_EQ(parsed.code, -1) << row.what;
    EXPECT_NE(parsed.message.find(":3: "), std::string::npos) << parsed.message;  // the line
    EXPECT_NE(parsed.message.find(row.says), std::string::npos) << row.what << parsed.message;
  }
}

TEST(EventOps, OneLineTwiceWithEmptyLinesAroundIsTwoEntries) {
  std::string line = With(9, "NULL");
  line.replace(line.find(",W,"), 3, ",NULL,");
  const Parsed parsed("\n" + line + "\n\n" + line + "\n\n");
  ASSERT_EQ(parsed.code, 0);
  ASSERT_EQ(parsed.count, 2);  // both are kept
  EXPECT_STREQ(parsed.ops[1].value1_unit, "NULL");
}

TEST(EventOps, AcceptsWhatUpstreamAccepts) {
  struct Row {
    std::string text;
    int entries;
  };
  const Row rows[] = {
      {"\n", 0},
      {"# a comment", 0},
      {"#\n\n#,,,\n", 0},
      {kLine, 1},           // without an end of line
      {kLine + "\r\n", 1},  // CRLF
      {kLine + "\r\n" + kLine + "\r\n", 2},
      {" #x" + kLine, 1},
      {" " + kLine, 1},
  };
  for (const Row& row : rows) {
    const Parsed parsed(row.text);
    EXPECT_EQ(parsed.code, 0) << row.text << parsed.message;
    EXPECT_EQ(parsed.count, row.entries) << row.text;
  }
  EXPECT_STREQ(Parsed(" #x" + kLine.substr(5)).ops[0].event_name, " #x");
  EXPECT_STREQ(Parsed(" " + kLine).ops[0].event_name, " a:::X");
}

TEST(EventOps, RejectsWhatUpstreamRejects) {
  const std::string texts[] = {
      kLine + "\r\n\r\n",         // an empty line of a CRLF file
      kLine + "\n \n",            // a blank line with a space
      With(2, " APAPI_OP1_NOP"),  // nothing is trimmed
      With(3, "|APAPI_STAT_MIN"),
      With(3, "APAPI_STAT_MIN||APAPI_STAT_MAX"),
      With(3, "APAPI_STAT_min"),
      With(5, "0x8000000000000000"),
      With(5, "9223372036854775808"),
      kLine + ",",
      kLine.substr(0, kLine.rfind(',')),  // ten fields
  };
  for (const std::string& text : texts) EXPECT_EQ(Parsed(text).code, -1) << text;
}

TEST(EventOps, StatisticsAreTermsWithBars) {
  const std::pair<const char*, int> rows[] = {
      {"APAPI_STAT_MIN|", 1},
      {"APAPI_STAT_NO|APAPI_STAT_MIN", 1},
      {"APAPI_STAT_NO", 0},
      {"APAPI_STAT_MIN|APAPI_STAT_ALL", -1},
      {"APAPI_STAT_ACC|APAPI_STAT_AVG|APAPI_STAT_MAX|APAPI_STAT_MIN", 15},
  };
  for (const auto& [text, bits] : rows) {
    const Parsed parsed(With(3, text));
    ASSERT_EQ(parsed.code, 0) << text;
    EXPECT_EQ(parsed.ops[0].value0, bits) << text;
  }
}

TEST(EventOps, NumbersAreThoseOfTheCLibraryToTheirEnd) {
  const std::pair<const char*, long long> largest[] = {
      {"0x10", 16}, {"010", 8}, {"-5", -5}, {"9223372036854775807", 0x7fffffffffffffff}, {"0", 0}};
  for (const auto& [text, value] : largest)
    EXPECT_EQ(Parsed(With(5, text)).ops[0].max_sample, value);
  const std::pair<const char*, double> factors[] = {
      {"0x10", 16}, {"0", 0}, {"-2.5", -2.5}, {"1E-3", 1e-3}};
  for (const auto& [text, value] : factors) {
    EXPECT_EQ(Parsed(With(8, text)).ops[0].value0_prefix, value);
    EXPECT_EQ(Parsed(With(11, text)).ops[0].value1_prefix, value);
  }
}

TEST(EventOps, TextBehindANumberIsAnError) {
  for (const char* text : {"1E9", "5x", "0x10g", "7 "}) {
    const Parsed parsed(With(5, text));
    EXPECT_EQ(parsed.code, -1) << text;
    EXPECT_NE(parsed.message.find("has text after the number"), std::string::npos)
        << parsed.message;
  }
  for (const char* text : {"1E9x", "1,5", "2 "}) EXPECT_EQ(Parsed(With(8, text)).code, -1) << text;
  EXPECT_EQ(Parsed(With(11, "1\r\r")).code, -1);
}

TEST(EventOps, APointIsAPointInAnyLocale) {
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) GTEST_SKIP() << "skipped: no locale with a comma here";
  const Parsed parsed(With(8, "2.5"));
  setlocale(LC_ALL, "C");
  ASSERT_EQ(parsed.code, 0) << parsed.message;
  EXPECT_EQ(parsed.ops[0].value0_prefix, 2.5);
}

TEST(EventOps, AnotherDelimiterMayBeChosen) {
  std::string text = kLine;
  for (char& c : text) c = c == ',' ? ';' : c;
  apapi_event_ops* ops = nullptr;
  int count = 0;
  ASSERT_EQ(APAPI_read_event_ops_csv(text.data(), ';', &ops, &count), 0);
  EXPECT_EQ(count, 1);
  free(ops);
}

struct FromFile {
  FromFile() { code = APAPI_read_env_eventops(&buffer, &ops, &count); }
  ~FromFile() {
    if (code == 0) free(ops);
    if (code == 0) free(buffer);
  }
  char* buffer = nullptr;
  apapi_event_ops* ops = nullptr;
  int count = 0, code = 7;
};

TEST(EventOpsFile, WithoutTheVariableThereIsNone) {
  unsetenv("APAPI_EVENTOPS");
  EXPECT_EQ(FromFile().code, -1);
}

TEST(EventOpsFile, UnreadableAndEmptyAndHugeFilesAre1) {
  {
    const Variable variable("APAPI_EVENTOPS", "/nowhere/ops.csv");
    EXPECT_EQ(FromFile().code, 1);
  }
  {
    const Variable folder("APAPI_EVENTOPS", "/tmp");
    EXPECT_EQ(FromFile().code, 1);
  }
  {
    const TextFile empty("", "APAPI_EVENTOPS");
    EXPECT_EQ(FromFile().code, 1);
  }
  const TextFile huge(std::string(10'000'001, '#'), "APAPI_EVENTOPS");
  EXPECT_EQ(FromFile().code, 1);
}

TEST(EventOpsFile, AFileOfTenMillionBytesIsRead) {
  const TextFile large(std::string(10'000'000, '#'), "APAPI_EVENTOPS");
  EXPECT_EQ(FromFile().code, 0);
}

TEST(EventOpsFile, AMalformedOneIsNamedWithItsLine) {
  const TextFile bad(kLine + "\n" + With(5, "x") + "\n", "APAPI_EVENTOPS");
  testing::internal::CaptureStderr();
  EXPECT_EQ(FromFile().code, -1);
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_NE(message.find(bad.path() + ":2: field 5 (largest raw value): 'x'"), std::string::npos)
      << message;
}

TEST(EventOpsFile, DataTypesAreFoundBeforePapiIsInitialised) {
  std::string line = kLine;
  line.replace(0, 5, "perf::PAGE-FAULTS");
  const TextFile file(line + "\n" + kLine + "\n", "APAPI_EVENTOPS");
  PAPI_shutdown();
  ASSERT_EQ(PAPI_is_initialized(), PAPI_NOT_INITED);
  testing::internal::CaptureStderr();
  const FromFile found;
  const std::string message = testing::internal::GetCapturedStderr();
  ASSERT_EQ(found.code, 0);
  EXPECT_EQ(found.ops[0].data_type, PAPI_DATATYPE_UINT64);
  EXPECT_EQ(found.ops[1].data_type, PAPI_DATATYPE_INT64);
  EXPECT_NE(message.find("event not found by PAPI: a:::X"), std::string::npos) << message;
}

TEST(EventOps, NullsAreRefused) {
  int count = 0;
  apapi_event_ops* ops = nullptr;
  std::string text = kLine;
  EXPECT_EQ(APAPI_read_event_ops_csv(nullptr, ',', &ops, &count), -1);
  EXPECT_EQ(APAPI_read_event_ops_csv(text.data(), ',', nullptr, &count), -1);
  EXPECT_EQ(APAPI_read_event_ops_csv(text.data(), ',', &ops, nullptr), -1);
}

}  // namespace
