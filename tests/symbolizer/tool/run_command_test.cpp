#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/fakes/spool_builder.h"
#include "tests/symbolizer/tool/run_tool.h"

namespace csink::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Run : public ToolTest {
 protected:
  /// Every process of the tree will leave this spool.
  void LeaveSpools(std::uint64_t samples = 1000) {
    SpoolBuilder builder;
    const auto region =
        builder.AddRegion({.path = "/nowhere/libfoo.so", .start = 0x10000, .end = 0x20000});
    builder.AddHits(region, 1, 0x11234, samples);
    builder.WriteTo(folder_ + "/left.csink");
    environment_["FAKE_AGENT_SPOOL"] = folder_ + "/left.csink";
  }
};

TEST_F(Run, ReportsTheWholeTreeOnStderrAndTidiesUp) {
  LeaveSpools();
  const auto result = Csink({"run", "--", "/bin/sh", "-c", "/bin/true; /bin/echo hello; exit 3"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.out, "hello\n");
  EXPECT_THAT(result.err, HasSubstr("csink  sh -c /bin/true"));
  EXPECT_THAT(result.err, HasSubstr("3 processes"));
  EXPECT_THAT(result.err, HasSubstr("3,000 samples"));
  EXPECT_EQ(CountFiles(spools()), 0u);
}

TEST_F(Run, WritesOneFileOnRequest) {
  LeaveSpools();
  const auto result =
      Csink({"run", "--format", "json", "-o", folder_ + "/out.json", "--", "/bin/true"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, IsEmpty());
  const auto json = nlohmann::json::parse(Read(folder_ + "/out.json"));
  EXPECT_EQ(json["command"], "/bin/true");
  EXPECT_EQ(json["verdict"]["samples"], 1000);
}

TEST_F(Run, SetsTheEnvironmentOfTheTree) {
  environment_["FAKE_AGENT_SHOW"] = "1";
  environment_["LD_PRELOAD"] = CSINK_FAKE_AGENT;  // somebody else's preload is kept
  const auto result =
      Csink({"run", "-e", "cycles,task-clock@4kHz", "--source", "timer", "--", "/bin/true"});
  EXPECT_THAT(result.err, HasSubstr("events cycles,task-clock@4kHz\nsource timer\n"));
  EXPECT_THAT(result.err, HasSubstr("preload " CSINK_FAKE_AGENT ":" CSINK_FAKE_AGENT "\n"));
  EXPECT_THAT(result.err, Not(HasSubstr("tree 0\n")));
}

TEST_F(Run, TakesTheProgramWithoutDashes) {
  const auto result = Csink({"run", "--top", "3", "/bin/echo", "-n", "--top"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "--top");
}

TEST_F(Run, PassesOptionsBehindDashesToTheProgram) {
  EXPECT_EQ(Csink({"run", "--", "/bin/echo", "--", "--format", "report"}).out,
            "-- --format report\n");
}

TEST_F(Run, ExitsAsTheProgramDid) {
  EXPECT_EQ(Csink({"run", "--", "/bin/sh", "-c", "exit 42"}).status, 42);
  EXPECT_EQ(Csink({"run", "--", "/bin/sh", "-c", "kill -9 $$"}).status, 128 + 9);
}

TEST_F(Run, AMissingProgramIs127AndOneLine) {
  for (const std::string name : {"/no/such/program", "no-such-program-anywhere"}) {
    const auto result = Csink({"run", "--", name});
    EXPECT_EQ(result.status, 127);
    EXPECT_EQ(result.err, "csink: error: cannot run " + name + ": no such program\n");
  }
  EXPECT_EQ(CountFiles(spools()), 0u);
}

TEST_F(Run, AFileThatIsNoProgramIs126) {
  std::ofstream(folder_ + "/data") << "x";
  const auto result = Csink({"run", "--", folder_ + "/data"});
  EXPECT_EQ(result.status, 126);
  EXPECT_THAT(result.err, HasSubstr("Permission denied"));
}

TEST_F(Run, RunsAScriptWithoutInterpreterLineAsAShellWould) {
  std::ofstream(folder_ + "/script") << "exit 7\n";
  std::filesystem::permissions(folder_ + "/script", std::filesystem::perms::owner_all);
  EXPECT_EQ(Csink({"run", "--", folder_ + "/script"}).status, 7);
}

TEST_F(Run, SaysWhyAStaticProgramLeavesNothing) {
  const auto result = Csink({"run", "--", CSINK_STATIC_PROGRAM});
  EXPECT_EQ(result.status, 5);
  EXPECT_THAT(result.err, HasSubstr("is statically linked; libagent.so cannot be loaded into it"));
}

TEST_F(Run, SaysThatAShortProgramLeftNothing) {
  const auto result = Csink({"run", "--", "/bin/true"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("took too little CPU time"));
  EXPECT_EQ(CountFiles(spools()), 0u);
}

TEST_F(Run, KeepsSpoolsOnRequest) {
  LeaveSpools();
  const auto result = Csink({"run", "--keep", "--", "/bin/true"});
  EXPECT_THAT(result.err, HasSubstr("spools are kept: csink report " + spools() + "/tree."));
  EXPECT_EQ(CountFiles(spools()), 2u);
}

/// Waits until the program has written `text`: it is ready to be signalled.
void WaitFor(const std::string& path, const std::string& text) {
  for (int i = 0; i < 2000; ++i) {
    std::ifstream file(path);
    std::string content((std::istreambuf_iterator<char>(file)), {});
    if (content.find(text) != std::string::npos) return;
    usleep(5000);
  }
  FAIL() << "the program never said " << text;
}

TEST_F(Run, HandsASignalOnToTheProgramAndStillReports) {
  LeaveSpools();
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const auto result =
        Csink({"run", "--", "/bin/sh", "-c", "echo ready; while :; do :; done"}, [&](pid_t csink) {
          WaitFor(folder_ + "/stdout", "ready");
          kill(csink, signal);
        });
    EXPECT_EQ(result.status, 128 + signal);
    EXPECT_THAT(result.err, HasSubstr("1,000 samples"));
  }
}

TEST_F(Run, LeavesTheProgramsOwnHandlersTheirSignal) {
  const auto result =
      Csink({"run", "--", "/bin/sh", "-c", "trap 'exit 9' TERM; echo ready; while :; do :; done"},
            [&](pid_t csink) {
              WaitFor(folder_ + "/stdout", "ready");
              kill(csink, SIGTERM);
            });
  EXPECT_EQ(result.status, 9);
}

TEST_F(Run, GivesTheProgramItsOwnSignalDispositions) {
  // What is ignored and blocked in a program without csink, and under it.
  const std::string command = "grep -E 'Sig(Ign|Blk)' /proc/self/status";
  const auto before = signal(SIGPIPE, SIG_IGN);
  ASSERT_EQ(system((command + " > " + folder_ + "/plain").c_str()), 0);
  const auto result = Csink({"run", "--", "/bin/sh", "-c", command});
  signal(SIGPIPE, before);
  EXPECT_EQ(result.out, Read(folder_ + "/plain"));
  EXPECT_THAT(result.out, HasSubstr("1000\n"));  // SIGPIPE, as it came
}

TEST_F(Run, NeedsAPlaceForSpools) {
  environment_["CSINK_SPOOL_DIR"] = "/proc/no/such/folder";
  const auto result = Csink({"run", "--", "/bin/true"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("no folder for spools can be made"));
}

TEST_F(Run, SaysWhereItLookedForTheAgent) {
  environment_["CSINK_AGENT"] = "/no/libagent.so";
  const auto result = Csink({"run", "--", "/bin/true"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("no libagent.so at CSINK_AGENT=/no/libagent.so"));
}

using Doctor = ToolTest;

TEST_F(Doctor, PassesTheAgentsFindingsOnToStdout) {
  const auto result = Csink({"doctor"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "doctor speaking of all\n");
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_EQ(Csink({"doctor", "--events"}).out, "doctor speaking of events\n");
}

using Usage = ToolTest;

TEST_F(Usage, WrongUseIs2AndOneLineOnStderr) {
  const std::vector<std::vector<std::string>> wrong = {{},
                                                       {"nonsense"},
                                                       {"report", "--nonsense"},
                                                       {"report", "--top", "x"},
                                                       {"run"},
                                                       {"run", "--"},
                                                       {"report", "--format", "xml", "x"},
                                                       {"run", "--topp", "3", "--", "ls"},
                                                       {"report", "--at-exit"},
                                                       {"run", "stray", "--", "ls"}};
  for (const auto& arguments : wrong) {
    const auto result = Csink(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

TEST_F(Usage, NamesTheNearestWord) {
  EXPECT_THAT(Csink({"reprot"}).err, HasSubstr("did you mean report?"));
  EXPECT_THAT(Csink({"report", "--fromat=json", "x"}).err, HasSubstr("did you mean --format?"));
  EXPECT_THAT(Csink({"run", "--evnts", "x", "--", "ls"}).err, HasSubstr("did you mean --events?"));
}

TEST_F(Usage, HelpAndVersionGoToStdout) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"run", "--help"},
                                                    {"report", "--help"},
                                                    {"--version"}}) {
    const auto result = Csink(arguments);
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.out, HasSubstr("csink"));
    EXPECT_THAT(result.err, IsEmpty());
  }
}

}  // namespace
}  // namespace csink::testing
