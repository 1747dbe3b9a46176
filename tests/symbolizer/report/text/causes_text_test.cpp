#include "symbolizer/report/text/causes_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "symbolizer/report/text/causes_json.h"

namespace csink::report {
namespace {

using ::testing::HasSubstr;

ChangeCause Cause(ChangeCauseKind kind, CauseGrade grade, const std::string& function) {
  ChangeCause cause;
  cause.kind = kind;
  cause.grade = grade;
  cause.function = function;
  cause.fact = "divisions: 0 in A, 1 in B";
  cause.next = "look";
  cause.share = 0.884;
  return cause;
}

ChangeCauses Slower() {
  ChangeCauses causes;
  causes.is_slower = true;
  causes.added_seconds = 0.4;
  causes.parts = {{"user", 0.6, 1.0, 0.001, true}, {"kernel", 0.1, 0.1, 0.9, false}};
  return causes;
}

TEST(CausesText, SaysSubjectFactShareAndWhatToDo) {
  const ChangeCause likely = Cause(ChangeCauseKind::kDivision, CauseGrade::kLikely, "Hot(int)");
  EXPECT_EQ(CauseSentence(likely),
            "Hot(int): divisions: 0 in A, 1 in B; 88 % of the added time. To be sure: look");
  ChangeCause proved = likely;
  proved.grade = CauseGrade::kProved;
  proved.share = 1.4;
  EXPECT_EQ(CauseSentence(proved), "Hot(int): divisions: 0 in A, 1 in B; more than the added time");
  proved.share.reset();
  EXPECT_EQ(CauseSentence(proved), "Hot(int): divisions: 0 in A, 1 in B");
}

TEST(CausesText, ShowsThreeForTheRunAndThreeForEachFunction) {
  ChangeCauses causes = Slower();
  for (int i = 0; i < 5; ++i) {
    causes.causes.push_back(Cause(ChangeCauseKind::kDivision, CauseGrade::kProved, "One()"));
  }
  for (int i = 0; i < 5; ++i) {
    causes.causes.push_back(Cause(ChangeCauseKind::kDivision, CauseGrade::kLikely, "Two()"));
  }
  causes.causes.push_back(Cause(ChangeCauseKind::kCode, CauseGrade::kSeen, "Three()"));
  EXPECT_EQ(ShownCauses(causes).size(), 6u);
  TextStyle style;
  style.width = 80;
  EXPECT_THAT(CausesText(causes, style),
              HasSubstr("why     400 ms were added to a run (user 600 ms -> 1 s)"));
}

TEST(CausesText, SaysThatNoneWasFoundAndWhatWasMissing) {
  ChangeCauses causes = Slower();
  causes.missing = {"waits: record them"};
  EXPECT_EQ(NoCauseWords(causes), "no cause found. Not known: waits: record them");
  causes.causes = {Cause(ChangeCauseKind::kCode, CauseGrade::kSeen, "Hot(int)")};
  EXPECT_THAT(NoCauseWords(causes), HasSubstr("what differs is above"));
  causes.causes[0].grade = CauseGrade::kLikely;
  EXPECT_EQ(NoCauseWords(causes), "");
  ChangeCauses refused;
  refused.refusal = "causes need 3 runs a side at least";
  EXPECT_TRUE(CauseLines(refused).empty());
}

TEST(CausesText, HostileNamesStayInOneLine) {
  ChangeCause cause = Cause(ChangeCauseKind::kDivision, CauseGrade::kLikely, "a\n\x1b[31mb");
  cause.fact = "x\ny";
  EXPECT_EQ(CauseSentence(cause).find_first_of("\n\x1b"), std::string::npos);
}

TEST(CausesJson, HasEveryCause) {
  ChangeCauses causes = Slower();
  causes.causes = {Cause(ChangeCauseKind::kDivision, CauseGrade::kProved, "Hot(int)")};
  const auto json = CausesJson(causes);
  EXPECT_EQ(json["slower"], true);
  EXPECT_EQ(json["parts"][0]["part"], "user");
  EXPECT_EQ(json["causes"][0]["kind"], "division");
  EXPECT_EQ(json["causes"][0]["grade"], "proved");
  EXPECT_TRUE(json["drift"].is_null());
}

}  // namespace
}  // namespace csink::report
