#include "symbolizer/commands/inspect/papi_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/symbolizer/commands/run_tool.h"

namespace csink::tool {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(WithFirst, IsTheFolderAloneBeforeAnEmptyList) { EXPECT_EQ(WithFirst("/a", ""), "/a"); }

TEST(WithFirst, KeepsTheOrderOfTheOthers) { EXPECT_EQ(WithFirst("/a", "/c:/b"), "/a:/c:/b"); }

TEST(WithFirst, NamesTheFolderOnce) { EXPECT_EQ(WithFirst("/a", "/b:/a:/c:/a"), "/a:/b:/c"); }

TEST(WithFirst, LeavesNoEmptyEntry) { EXPECT_EQ(WithFirst("/a", ":/b::/c:"), "/a:/b:/c"); }

/// csink of the build tree, which finds libpapi there.
class PapiCommand : public csink::testing::ToolTest {};

TEST_F(PapiCommand, PutsTheLibraryFirst) {
  environment_["LD_LIBRARY_PATH"] = "/nowhere";
  const auto ran = Csink({"papi", "--", "sh", "-c", "echo \"$LD_LIBRARY_PATH\""});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("/compat/papi:/nowhere\n"));
  EXPECT_EQ(ran.err, "");
}

TEST_F(PapiCommand, PutsTheUtilitiesFirst) {
  const auto ran = Csink({"papi", "--", "sh", "-c", "command -v papi_version"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("/compat/utils/papi_version\n"));
}

TEST_F(PapiCommand, PassesArgumentsAndStatus) {
  const auto ran = Csink({"papi", "--", "sh", "-c", "echo \"$1\"; exit 5", "sh", "--help"});
  EXPECT_EQ(ran.status, 5);
  EXPECT_EQ(ran.out, "--help\n");
}

TEST_F(PapiCommand, IsReplacedByTheProgram) {
  pid_t started = 0;
  const auto ran = Csink({"papi", "--", "sh", "-c", "echo $$"}, [&](pid_t pid) { started = pid; });
  EXPECT_EQ(ran.out, std::to_string(started) + "\n");
}

TEST_F(PapiCommand, Says127WhereThereIsNoProgram) {
  const auto ran = Csink({"papi", "--", "no-such-program"});
  EXPECT_EQ(ran.status, 127);
  EXPECT_THAT(ran.err, StartsWith("csink: error: no-such-program: "));
}

TEST_F(PapiCommand, Says126WhereItCannotBeExecuted) {
  const auto ran = Csink({"papi", "--", folder_});
  EXPECT_EQ(ran.status, 126);
}

TEST_F(PapiCommand, NeedsAProgram) {
  const auto ran = Csink({"papi"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("csink papi -- PROGRAM"));
}

TEST_F(PapiCommand, WarnsOfAStaticProgram) {
  const auto ran = Csink({"papi", "--", CSINK_STATIC_PROGRAM});
  EXPECT_EQ(ran.status, 5);
  EXPECT_THAT(ran.err, HasSubstr("is statically linked: our libpapi is not loaded into it"));
}

TEST_F(PapiCommand, HasNoPrefixInABuildTree) {
  const auto ran = Csink({"papi", "--prefix"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("is in a build tree"));
}

}  // namespace
}  // namespace csink::tool
