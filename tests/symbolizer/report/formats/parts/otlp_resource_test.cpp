#include "symbolizer/report/formats/parts/otlp_resource.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <map>

#include "tests/symbolizer/report/sample_reports.h"

namespace csink::report::otlp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::Pair;

std::map<std::string, Value> ByKey(const Resource& resource) {
  std::map<std::string, Value> all;
  for (const auto& [key, value] : resource) EXPECT_TRUE(all.emplace(key, value).second) << key;
  return all;
}

ProcessRow Solver() {
  ProcessRow row;
  row.host = "node7.example";
  row.program = "solver";
  row.command = "./solver --grid 512";
  row.pid = 4711;
  row.parent_pid = 4000;
  row.rank = 3;
  row.job = "81";
  return row;
}

TEST(ParseResourceAttributes, ReadsPairs) {
  EXPECT_THAT(ParseResourceAttributes(""), Optional(IsEmpty()));
  EXPECT_THAT(ParseResourceAttributes("deployment.environment.name=test, k8s.pod.name = a ,"),
              Optional(ElementsAre(Pair("deployment.environment.name", "test"),
                                   Pair("k8s.pod.name", "a"))));
  EXPECT_THAT(ParseResourceAttributes("a=b=c,empty="),
              Optional(ElementsAre(Pair("a", "b=c"), Pair("empty", ""))));
}

TEST(ParseResourceAttributes, DecodesBytes) {
  EXPECT_THAT(ParseResourceAttributes("k=a%2Cb%3d%C3%BC"),
              Optional(ElementsAre(Pair("k", "a,b=\xc3\xbc"))));
}

TEST(ParseResourceAttributes, RefusesWhatIsNoPair) {
  for (const char* text : {"a", "a=1,b", "=1", "a=%", "a=%4", "a=%4g", "a=%ff", "a=\xff"}) {
    EXPECT_EQ(ParseResourceAttributes(text), std::nullopt) << text;
  }
}

TEST(Resource, FollowsTheConventions) {
  const auto resource = ByKey(ResourceOf(Solver(), {}));
  EXPECT_EQ(resource, (std::map<std::string, Value>{
                          {"service.name", "solver"},
                          {"host.name", "node7.example"},
                          {"process.pid", std::int64_t{4711}},
                          {"process.parent_pid", std::int64_t{4000}},
                          {"process.executable.name", "solver"},
                          {"process.command_line", "./solver --grid 512"},
                          {"csink.rank", std::int64_t{3}},
                          {"csink.job", "81"},
                      }));
}

TEST(Resource, TakesTheUsersNamesFirst) {
  const ResourceSettings settings = {
      "", {{"service.name", "fluid"}, {"service.version", "1.2"}, {"host.name", "login1"}}};
  auto resource = ByKey(ResourceOf(Solver(), settings));
  EXPECT_EQ(resource["service.name"], Value("fluid"));
  EXPECT_EQ(resource["service.version"], Value("1.2"));
  EXPECT_EQ(resource["host.name"], Value("login1"));
  resource = ByKey(ResourceOf(Solver(), {"own", settings.attributes}));
  EXPECT_EQ(resource["service.name"], Value("own"));
}

TEST(Resource, OfSeveralProcessesHasNoPid) {
  ProcessRow row = Solver();
  row.processes = 12;
  const auto resource = ByKey(ResourceOf(row, {}));
  EXPECT_EQ(resource.count("process.pid"), 0u);
  EXPECT_EQ(resource.at("csink.processes"), Value(std::int64_t{12}));
}

TEST(Resource, OfAnUnknownProgramIsCalledUnknown) {
  EXPECT_EQ(ByKey(ResourceOf(ProcessRow(), {})).at("service.name"), Value("unknown_service"));
}

/// Sets variables for one test.
class Environment : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("OTEL_SERVICE_NAME");
    unsetenv("OTEL_RESOURCE_ATTRIBUTES");
  }
};
using ResourceSettingsOfEnvironment = Environment;

TEST_F(ResourceSettingsOfEnvironment, AreRead) {
  setenv("OTEL_SERVICE_NAME", "fluid", 1);
  setenv("OTEL_RESOURCE_ATTRIBUTES", "a=1", 1);
  const ResourceSettings settings = ReadResourceSettings();
  EXPECT_EQ(settings.service_name, "fluid");
  EXPECT_THAT(settings.attributes, ElementsAre(Pair("a", "1")));
}

TEST_F(ResourceSettingsOfEnvironment, AreEmptyWithoutVariables) {
  const ResourceSettings settings = ReadResourceSettings();
  EXPECT_EQ(settings.service_name, "");
  EXPECT_THAT(settings.attributes, IsEmpty());
}

TEST_F(ResourceSettingsOfEnvironment, AreIgnoredWithOneLineIfTheyCannotBeParsed) {
  setenv("OTEL_SERVICE_NAME", "fluid", 1);
  setenv("OTEL_RESOURCE_ATTRIBUTES", "a=1,nothing", 1);
  ::testing::internal::CaptureStderr();
  const ResourceSettings settings = ReadResourceSettings();
  EXPECT_THAT(ReadResourceSettings().attributes, IsEmpty());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "csink: warn: OTEL_RESOURCE_ATTRIBUTES is ignored: it must be key=value,key=value, "
            "with %XX for other bytes\n");
  EXPECT_EQ(settings.service_name, "fluid");
  EXPECT_THAT(settings.attributes, IsEmpty());
}

}  // namespace
}  // namespace csink::report::otlp
