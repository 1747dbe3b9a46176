#include "core/counting/presets/preset_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/counting/presets/preset_columns.h"

namespace csink {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<PresentPmu> kMachine = {{"skx", true}, {"perf", false}};

struct Reading {
  std::vector<std::string> lines;  ///< "NAME=DERIVATION(formula;base,base)@pmu pmu"
  std::vector<std::string> complaints;
  PresetStatement last;
};

/// The file's statements, written down so that they outlive the reader.
Reading Read(std::string_view text, const std::vector<PresentPmu>& machine = kMachine) {
  Reading reading;
  ComplaintList complaints;
  PresetFileReader reader("f.csv", text, machine, complaints);
  PresetStatement s;
  while (reader.Next(s)) {
    std::string line = std::string(s.name) + '=' + std::string(DerivationName(s.derivation)) + '(';
    line += std::string(s.formula_text) + ';';
    for (std::string_view base : s.bases) line += std::string(base) + ',';
    line += ")@";
    for (std::size_t pmu : reader.pmus()) line += machine[pmu].name + ' ';
    reading.lines.push_back(line);
  }
  reading.complaints = complaints.Sentences();
  return reading;
}

std::string OnlyComplaint(std::string_view text) {
  const Reading reading = Read(text);
  EXPECT_EQ(reading.complaints.size(), 1u) << text;
  EXPECT_THAT(reading.lines, IsEmpty()) << text;
  return reading.complaints.empty() ? "" : reading.complaints[0];
}

TEST(PresetFileReader, ReadsEveryFormOfDefinition) {
  const Reading reading = Read(
      "# a comment\n\n"
      "CPU,skx\n"
      "PRESET,PAPI_TOT_CYC,NOT_DERIVED,CPU_CLK_UNHALTED\n"
      " PRESET , PAPI_L1_TCM , derived_add , A:B=1 , C \r\n"
      "event,MY_EVENT,DERIVED_POSTFIX,N0|2|*|,A,LDESC,\"long, with comma\",SDESC,'short',NOTE,x\n"
      "EVENT,OTHER,DERIVED_INFIX,\"N0 - N1\",A,B,,\n");
  EXPECT_THAT(reading.complaints, IsEmpty());
  EXPECT_THAT(reading.lines, ElementsAre("PAPI_TOT_CYC=NOT_DERIVED(;CPU_CLK_UNHALTED,)@skx ",
                                         "PAPI_L1_TCM=DERIVED_ADD(;A:B=1,C,)@skx ",
                                         "MY_EVENT=DERIVED_POSTFIX(N0|2|*|;A,)@skx ",
                                         "OTHER=DERIVED_INFIX(N0 - N1;A,B,)@skx "));
}

TEST(PresetFileReader, ReadsDescriptions) {
  ComplaintList complaints;
  PresetFileReader reader(
      "f", "EVENT,E,NOT_DERIVED,A,note,'it''s',SDESC,\"a \"\"b\"\"\",LDESC,\" c,d \"", kMachine,
      complaints);
  PresetStatement s;
  ASSERT_TRUE(reader.Next(s));
  EXPECT_EQ(s.note, "it's");
  EXPECT_EQ(s.short_description, "a \"b\"");
  EXPECT_EQ(s.long_description, " c,d ");
  EXPECT_EQ(complaints.count(), 0u);
}

TEST(PresetFileReader, TakesOnlySectionsOfThisMachine) {
  const std::string_view file =
      "EVENT,BEFORE,NOT_DERIVED,A\n"
      "CPU,icx\nCPU,SKX\nCPU,perf\nPRESET,P1,NOT_DERIVED,A\n"
      "CPU,icx\nPRESET,P2,NOT_DERIVED,A\nPRESET,broken\n"
      "CPU perf\nPRESET,P3,NOT_DERIVED,A\n"
      "CPU,*\nPRESET,P4,NOT_DERIVED,A\n"
      "CPU,icx,skx\nPRESET,P5,NOT_DERIVED,A\n";
  const Reading reading = Read(file);
  EXPECT_THAT(reading.lines, ElementsAre("BEFORE=NOT_DERIVED(;A,)@skx ", "P1=NOT_DERIVED(;A,)@skx ",
                                         "P3=NOT_DERIVED(;A,)@perf ", "P4=NOT_DERIVED(;A,)@skx ",
                                         "P5=NOT_DERIVED(;A,)@skx "));
  EXPECT_THAT(reading.complaints, IsEmpty()) << "other machines' lines are not read";
  EXPECT_THAT(Read(file, {}).lines,
              ElementsAre("BEFORE=NOT_DERIVED(;A,)@", "P4=NOT_DERIVED(;A,)@"));
}

TEST(PresetFileReader, NamesEveryCorePmuOfASection) {
  EXPECT_THAT(Read("CPU,adl_grt\nCPU,adl_glc\nPRESET,P,NOT_DERIVED,A\n",
                   {{"adl_glc", true}, {"adl_grt", true}})
                  .lines,
              ElementsAre("P=NOT_DERIVED(;A,)@adl_glc adl_grt "));
}

TEST(PresetFileReader, NamesTheWrongWordAndTheNearestRightOne) {
  struct {
    int column;
    const char* line;
    const char* words;
  } const cases[] = {
      {1, "PRESETS,A,NOT_DERIVED,B",
       "\"PRESETS\" is not a command; commands are CPU, PRESET and EVENT; nearest: PRESET"},
      {9, "EVENT,A,NOT_DERIVE,B", "\"NOT_DERIVE\" is not a derivation; derivations are"},
      {9, "EVENT,A,NOT_DERIVE,B", "nearest: NOT_DERIVED"},
      {30, "EVENT,A,NOT_DERIVED,B,NOTE,x,SDEC,y",
       "\"SDEC\" is not LDESC, SDESC or NOTE; a text that contains commas needs quotes; "
       "nearest: SDESC"},
      {23, "EVENT,A,NOT_DERIVED,B,NOTE", "\"NOTE\" must be followed by a text"},
      {28, "EVENT,A,NOT_DERIVED,B,NOTE,\"x",
       "the quoted text that begins with \"\"x\" has no closing quote"},
      {24, "EVENT,A,NOT_DERIVED,\"B\"x", "a comma must follow a closing quote"},
      {25, "EVENT,A,DERIVED_POSTFIX,N0|N1|+|,B", "A: formula \"N0|N1|+|\": N1 does not exist"},
      {23, "EVENT,A,NOT_DERIVED,B,C", "A: NOT_DERIVED needs 1 event, not 2"},
      {7, "EVENT,A,NOT_DERIVED", "A: NOT_DERIVED needs 1 event, not 0"},
      {1, "EVENT,A", "needs a name, a derivation and an event"},
      {7, "EVENT,,NOT_DERIVED,B", "the name of the event is empty"},
      {23, "EVENT,A,DERIVED_ADD,B,,C", "the name of a base event is empty"},
      {7, "EVENT,A B,NOT_DERIVED,C", "the event \"A B\" must not contain a blank"},
      {21, "EVENT,A,NOT_DERIVED,\"B C\"", "a base event \"B C\" must not contain a blank"},
      {4, "CPU", "the PMU's name after CPU is missing"},
      {5, "CPU,\"x", "has no closing quote"},
      {22, "EVENT,A,NOT_DERIVED,B\x01", "control character"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(OnlyComplaint(std::string("\n# two lines before\n") + c.line), HasSubstr(c.words));
    EXPECT_THAT(OnlyComplaint(std::string("\n# two lines before\n") + c.line),
                HasSubstr("f.csv:3:" + std::to_string(c.column) + ": "));
  }
}

TEST(PresetFileReader, KeepsToTheLimitsOfPapisFields) {
  const auto file = [](std::size_t name, std::size_t base, std::size_t brief, std::size_t note) {
    return "EVENT," + std::string(name, 'n') + ",NOT_DERIVED," + std::string(base, 'b') +
           ",SDESC," + std::string(brief, 's') + ",NOTE," + std::string(note, 't');
  };
  EXPECT_EQ(Read(file(127, 255, 63, 1023)).lines.size(), 1u);
  EXPECT_THAT(OnlyComplaint(file(128, 1, 1, 1)), HasSubstr("has 128 bytes, more than 127"));
  EXPECT_THAT(OnlyComplaint(file(1, 256, 1, 1)), HasSubstr("has 256 bytes, more than 255"));
  EXPECT_THAT(OnlyComplaint(file(1, 1, 64, 1)), HasSubstr("has 64 bytes, more than 63"));
  EXPECT_THAT(OnlyComplaint(file(1, 1, 1, 1024)), HasSubstr("has 1024 bytes, more than 1023"));
  EXPECT_THAT(OnlyComplaint(std::string(9000, 'x')), HasSubstr("longer than 8192 bytes"));
  std::string many = "EVENT,A,DERIVED_ADD";
  for (int i = 0; i < 13; ++i) many += ",E" + std::to_string(i);
  EXPECT_THAT(OnlyComplaint(many), HasSubstr("at most 12 events, not 13"));
}

TEST(PresetFileReader, GoesOnBehindABadLine) {
  const Reading reading = Read("EVENT,A,WRONG,B\nEVENT,C,NOT_DERIVED,D");
  EXPECT_EQ(reading.complaints.size(), 1u);
  EXPECT_THAT(reading.lines, ElementsAre("C=NOT_DERIVED(;D,)@skx "));
}

TEST(ComplaintList, CountsWhatItDoesNotKeep) {
  ComplaintList complaints;
  for (int i = 0; i < 100; ++i)
    complaints.Add(
        "a\x1B"
        "b",
        1, "\xFFtrouble");
  const std::vector<std::string> sentences = complaints.Sentences();
  ASSERT_EQ(sentences.size(), kMaxComplaints);
  EXPECT_EQ(sentences[0], "a?b:1: ?trouble");
  EXPECT_EQ(sentences.back(), "and 37 more of this kind");
}

TEST(ReadPresetColumns, ReadsTheFormatOfPapi35) {
  ComplaintList complaints;
  const auto lines = ReadPresetColumns(
      "f.csv",
      "name,derived,postfix,short_descr,long_descr,note,[native,...]\n\n"
      "PAPI_L1_ICM,NOT_DERIVED,,\"L1I cache misses\",\"Level 1, instructions\",,BPU_MISS\n"
      "MINE,DERIVED_POSTFIX,N0|N1|+|,s,l,a note,A,B,,\n"
      "BAD,NOT_DERIVED,,s,l,n\n"
      "BAD,NOT_DRIVED,,s,l,n,A\n",
      complaints);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].request.long_description, "Level 1, instructions");
  EXPECT_THAT(lines[0].request.bases, ElementsAre("BPU_MISS"));
  EXPECT_EQ(lines[1].line, 4);
  EXPECT_EQ(lines[1].request.formula, "N0|N1|+|");
  EXPECT_EQ(lines[1].request.note, "a note");
  EXPECT_THAT(lines[1].request.bases, ElementsAre("A", "B"));
  EXPECT_THAT(
      complaints.Sentences(),
      ElementsAre(
          HasSubstr("f.csv:5:1: \"BAD\" needs seven columns"),
          HasSubstr("f.csv:6:5: \"NOT_DRIVED\" is not a derivation; nearest: NOT_DERIVED")));
}

}  // namespace
}  // namespace csink
