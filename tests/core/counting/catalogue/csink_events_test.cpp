// Run with LIBPFM_FORCE_PMU=skx (CMakeLists.txt). libcsink_events.so.0 and `csink doctor --event`.
#include "compat/events/include/csink_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using nlohmann::json;
using testing::HasSubstr;

json Described(const char* event) {
  std::string text(1 << 16, '\0');
  const int size = csink_event_attributes_json(event, text.data(), text.size());
  EXPECT_EQ(size, static_cast<int>(text.find('\0'))) << event;
  text.resize(text.find('\0'));
  return json::parse(text);
}

const json& Named(const json& event, const std::string& name) {
  static const json kNone;
  for (const json& attribute : event["attributes"]) {
    if (attribute["name"] == name) return attribute;
  }
  ADD_FAILURE() << "no " << name;
  return kNone;
}

TEST(CsinkEventAttributesJson, TellsTheGroupsOfOffcoreResponse) {
  const json event = Described("OFFCORE_RESPONSE_0");
  EXPECT_EQ(event["format"], "csink-event");
  EXPECT_EQ(event["event"], "skx::OFFCORE_RESPONSE_0");
  ASSERT_EQ(event["groups"].size(), 3u);
  EXPECT_EQ(event["groups"][0]["default"], "ANY_REQUEST");
  EXPECT_EQ(event["groups"][1]["default"], "ANY_RESPONSE");
  EXPECT_EQ(event["groups"][2]["required"], false);
  EXPECT_EQ(Named(event, "SNP_NONE")["group"], 2);
  EXPECT_EQ(Named(event, "ANY_RESPONSE")["default"], true);
  EXPECT_EQ(Named(event, "L3_MISS_LOCAL")["code"], "0x4000000");
}

TEST(CsinkEventAttributesJson, TellsTheWiredValuesOfCycleActivity) {
  const json event = Described("skx::CYCLE_ACTIVITY");
  EXPECT_TRUE(event["groups"][0]["default"].is_null());
  EXPECT_EQ(Named(event, "STALLS_TOTAL")["hard_wired"], true);
  EXPECT_EQ(Named(event, "STALLS_TOTAL")["modifiers"], "c=4");
}

TEST(CsinkEventAttributesJson, TellsTheDefaultOfUopsIssued) {
  const json event = Described("UOPS_ISSUED");
  EXPECT_EQ(Named(event, "ANY")["default"], true);
  EXPECT_EQ(Named(event, "STALL_CYCLES")["same_as"], "ANY:c=1:i=1");
  EXPECT_EQ(Named(event, "c")["kind"], "modifier");
  EXPECT_TRUE(Named(event, "c")["group"].is_null());
}

TEST(CsinkEventAttributesJson, ExplainsAnError) {
  std::string text(4096, '\0');
  EXPECT_EQ(csink_event_attributes_json("UOPS_ISUED", text.data(), text.size()),
            CSINK_EVENTS_ENOEVENT);
  text.resize(text.find('\0'));
  EXPECT_THAT(json::parse(text)["error"].get<std::string>(), HasSubstr("nearest: UOPS_ISSUED"));
}

TEST(CsinkEventAttributesJson, CutsAsSnprintfDoes) {
  char small[10];
  const int whole = csink_event_attributes_json("UOPS_ISSUED", nullptr, 0);
  EXPECT_GT(whole, 1000);
  EXPECT_EQ(csink_event_attributes_json("UOPS_ISSUED", small, sizeof(small)), whole);
  EXPECT_STREQ(small, "{\"format\"");
}

TEST(CsinkEventAttributes, FillsWhatThereIsRoomFor) {
  int count = 0;
  ASSERT_EQ(csink_event_attributes("UOPS_ISSUED", nullptr, &count), CSINK_EVENTS_OK);
  ASSERT_GT(count, 8);
  std::vector<csink_event_attribute> all(static_cast<std::size_t>(count));
  ASSERT_EQ(csink_event_attributes("UOPS_ISSUED", all.data(), &count), CSINK_EVENTS_OK);
  EXPECT_STREQ(all[6].name, "STALL_CYCLES");
  EXPECT_STREQ(all[6].modifiers, "i=1:c=1");
  EXPECT_EQ(all[6].kind, CSINK_ATTRIBUTE_UNIT_MASK);
  EXPECT_EQ(all[6].code, 0x18001u);
  EXPECT_EQ(all[6].is_hard_wired, 1);
  EXPECT_EQ(all[0].is_default, 1);
  EXPECT_EQ(all.back().group, -1);
  count = 1;
  ASSERT_EQ(csink_event_attributes("UOPS_ISSUED", all.data(), &count), CSINK_EVENTS_OK);
  EXPECT_EQ(count, static_cast<int>(all.size()));
}

TEST(CsinkEventAttributes, RefusesBadArguments) {
  int count = 1;
  csink_event_attribute one;
  EXPECT_EQ(csink_event_attributes(nullptr, &one, &count), CSINK_EVENTS_EINVAL);
  EXPECT_EQ(csink_event_attributes("UOPS_ISSUED", nullptr, &count), CSINK_EVENTS_EINVAL);
  EXPECT_EQ(csink_event_attributes("UOPS_ISSUED", &one, nullptr), CSINK_EVENTS_EINVAL);
  count = -1;
  EXPECT_EQ(csink_event_attributes("UOPS_ISSUED", &one, &count), CSINK_EVENTS_EINVAL);
  EXPECT_EQ(csink_event_attributes_json("UOPS_ISSUED", nullptr, 5), CSINK_EVENTS_EINVAL);
  EXPECT_EQ(csink_event_attributes_text(nullptr, nullptr, 0), CSINK_EVENTS_EINVAL);
  EXPECT_EQ(csink_event_check(nullptr, nullptr, 0), CSINK_EVENTS_EINVAL);
}

TEST(CsinkEventCheck, NamesTheCulprit) {
  char message[1024] = "before";
  EXPECT_EQ(csink_event_check("UOPS_ISSUED:ANY:c=2", message, sizeof(message)), CSINK_EVENTS_OK);
  EXPECT_STREQ(message, "");
  EXPECT_EQ(csink_event_check("CYCLE_ACTIVITY", message, sizeof(message)), CSINK_EVENTS_EATTRIBUTE);
  EXPECT_THAT(message, HasSubstr("needs a unit mask"));
  EXPECT_EQ(csink_event_check("OFFCORE_RESPONSE_0:ANY_RESPONSE:L3_HIT", message, sizeof(message)),
            CSINK_EVENTS_ECOMBINATION);
  EXPECT_THAT(message, HasSubstr("exclude each other"));
  EXPECT_EQ(csink_event_check("a,b", nullptr, 0), CSINK_EVENTS_EINVAL);
}

#ifdef CSINK_TOOL
struct Finished {
  int status;
  std::string output;
};

Finished RunTool(const std::string& arguments) {
  FILE* pipe = popen((CSINK_TOOL " doctor " + arguments + " 2>&1").c_str(), "r");
  Finished run{-1, ""};
  char piece[4096];
  while (pipe) {
    const std::size_t size = fread(piece, 1, sizeof(piece), pipe);
    if (size == 0) break;
    run.output.append(piece, size);
  }
  if (pipe) run.status = WEXITSTATUS(pclose(pipe));
  return run;
}

TEST(CsinkDoctorEvent, ShowsGroupsAndWiredValues) {
  const Finished run = RunTool("--event CYCLE_ACTIVITY");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.output, HasSubstr("group 0, one must be given:"));
  EXPECT_THAT(run.output, HasSubstr("fixes c=4"));
}

TEST(CsinkDoctorEvent, WritesJson) {
  const Finished run = RunTool("--event UOPS_ISSUED --format json");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(json::parse(run.output)["event"], "skx::UOPS_ISSUED");
}

TEST(CsinkDoctorEvent, ExplainsAMistake) {
  const Finished run = RunTool("--event UOPS_ISSUED:STALL_CYCLES:c=2");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.output, HasSubstr("unit mask STALL_CYCLES has c=1 fixed"));
}
#endif

}  // namespace
