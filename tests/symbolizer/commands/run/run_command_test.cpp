#include <elf.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "symbolizer/commands/launch/launch.h"
#include "tests/fakes/spool_builder.h"
#include "tests/symbolizer/commands/run_tool.h"

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
  // The three spools have one process number; the command has another.
  EXPECT_THAT(result.err, HasSubstr("2 processes"));
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

TEST_F(Run, SetsTheVariableOfEachOption) {
  environment_["FAKE_AGENT_SHOW"] = "1";
  environment_["CSINK_FOLLOW"] = "fork";  // the option wins
  const auto result =
      Csink({"run",       "--stacks",   "fp",           "--follow", "all",
             "--include", "cc1",        "--exclude",    "sh,make",  "--delay",
             "1.5s",      "--duration", "200ms",        "--kernel", "--start-paused",
             "--control", "/tmp/f",     "--per-thread", "--wait",   "--",
             "/bin/true"});
  for (const std::string line :
       {"STACKS=fp", "FOLLOW=all", "INCLUDE=cc1", "EXCLUDE=sh,make", "DELAY=1.5s", "DURATION=200ms",
        "KERNEL=1", "START_PAUSED=1", "CONTROL=/tmp/f", "PER_THREAD=1", "WAIT=1"}) {
    EXPECT_THAT(result.err, HasSubstr("set CSINK_" + line + "\n"));
  }
  EXPECT_THAT(result.err, Not(HasSubstr("FOLLOW=fork")));
}

TEST_F(Run, LeavesVariablesAloneThatNoOptionSets) {
  environment_["FAKE_AGENT_SHOW"] = "1";
  environment_["CSINK_FOLLOW"] = "fork";
  const auto result = Csink({"run", "--", "/bin/true"});
  EXPECT_THAT(result.err, HasSubstr("set CSINK_FOLLOW=fork\n"));
  EXPECT_THAT(result.err, Not(HasSubstr("CSINK_STACKS")));
  EXPECT_THAT(result.err, Not(HasSubstr("CSINK_KERNEL")));
}

TEST_F(Run, RefusesValuesThatCannotBe) {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--stacks", "dwarf"},
                                             {"--follow", "some"},
                                             {"--delay", "soon"},
                                             {"--duration", "-1s"},
                                             {"--delay", "1.s"},
                                             {"--fail-if-slower", "5"}}) {
    std::vector<std::string> words = {"run"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "/bin/echo", "ran"});
    const auto result = Csink(words);
    EXPECT_EQ(result.status, 2) << options[0];
    EXPECT_THAT(result.out, IsEmpty());
  }
}

TEST_F(Run, TakesTheTimesThatTheAgentTakes) {
  environment_["FAKE_AGENT_SHOW"] = "1";
  const auto minutes = Csink({"run", "--delay", "1min", "--duration", "2h", "--", "/bin/true"});
  EXPECT_EQ(minutes.status, 0);
  EXPECT_THAT(minutes.err, HasSubstr("set CSINK_DELAY=1min\n"));
  const auto days = Csink({"run", "--delay", "1d", "--", "/bin/true"});
  EXPECT_EQ(days.status, 2);
  EXPECT_THAT(days.err, HasSubstr("1d: expected a time: 5, 1.5s, 200ms, 2min"));
}

TEST_F(Run, RefusesATextThatTheAgentWouldNotTake) {
  const auto result = Csink({"run", "--include", std::string(400, 'x'), "--", "/bin/echo", "ran"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("expected a shorter text"));
}

/// The doctor's answer to an event list: its "asked".
std::string Answer(const std::string& asked, const char* source = "ring") {
  return R"({"version":1,"rows":[],"perf_event_open":true,"source":")" + std::string(source) +
         R"(","asked":{)" + asked + "}}";
}

TEST_F(Run, LooksAtTheEventsBeforeItStartsTheProgram) {
  environment_["FAKE_AGENT_ANSWER"] =
      Answer(R"("understood":false,"text":"unknown event: cyclse; did you mean cycles?")");
  const auto unknown = Csink({"run", "-e", "cyclse", "--", "/bin/echo", "ran"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.out, IsEmpty());
  EXPECT_EQ(unknown.err, "csink: error: -e cyclse: unknown event: cyclse; did you mean cycles?\n");
  const std::string absent =
      R"j("understood":true,"text":"task-clock:u (works), cycles:u (not available here)","events":)j"
      R"([{"name":"task-clock:u","available":true},{"name":"cycles:u","available":false}])";
  environment_["FAKE_AGENT_ANSWER"] = Answer(absent);
  const auto refused = Csink({"run", "-e", "task-clock,cycles", "--", "/bin/echo", "ran"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("cycles:u (not available here)"));
  EXPECT_THAT(refused.err, HasSubstr("csink doctor --events"));
  environment_["FAKE_AGENT_ANSWER"] = Answer(absent, "timer");  // the CPU clock stands in
  EXPECT_EQ(Csink({"run", "-e", "task-clock,cycles", "--", "/bin/echo", "ran"}).out, "ran\n");
  environment_["FAKE_AGENT_ANSWER"] =
      Answer(R"("understood":true,"text":"","events":[{"name":"task-clock","available":true}])");
  EXPECT_EQ(Csink({"run", "-e", "task-clock", "--", "/bin/echo", "ran"}).out, "ran\n");
}

TEST_F(Run, StartsTheProgramWhenTheAgentsAnswerCannotBeRead) {
  for (const char* answer : {"{\"version\":1", "{\"version\":2,\"asked\":{\"understood\":false}}",
                             "{\"version\":1,\"asked\":{\"understood\":7}}", "[]", ""}) {
    environment_["FAKE_AGENT_ANSWER"] = answer;
    EXPECT_EQ(Csink({"run", "-e", "x", "--", "/bin/echo", "ran"}).out, "ran\n") << answer;
  }
}

TEST_F(Run, ComparesWithABaselineAndMayFail) {
  LeaveSpools();
  const auto first =
      Csink({"run", "--format", "json", "-o", folder_ + "/before.json", "--", "/bin/true"});
  ASSERT_EQ(first.status, 0) << first.err;
  const auto same = Csink({"run", "--baseline", folder_ + "/before.json", "--fail-if-slower", "1e6",
                           "--", "/bin/true"});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.err, HasSubstr("baseline  CPU time"));
  const auto missing = Csink({"run", "--baseline", folder_ + "/no.json", "--", "/bin/echo", "ran"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.out, IsEmpty());
  EXPECT_THAT(missing.err, HasSubstr("no.json: cannot be read (No such file or directory)"));
}

TEST_F(Run, ItsHelpSaysWhereTheProgramStands) {
  const auto result = Csink({"run", "--help"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("run [OPTIONS] -- PROGRAM [ARG...]"));
  for (const std::string option :
       {"--events",         "--source",  "--stacks",     "--kernel",   "--follow",
        "--include",        "--exclude", "--delay",      "--duration", "--start-paused",
        "--control",        "--wait",    "--per-thread", "--phase",    "--baseline",
        "--fail-if-slower", "--output",  "--keep",       "--top",      "--format"}) {
    EXPECT_THAT(result.out, HasSubstr(option));
  }
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

TEST_F(Run, SamplesAStaticProgramFromOutside) {
  const auto result = Csink({"run", "--", CSINK_STATIC_PROGRAM});
  EXPECT_EQ(result.status, 5);
  // It runs for 1 or 2 ms: with one sample there is a report.
  EXPECT_THAT(result.err,
              ::testing::AnyOf(HasSubstr("used too little CPU time (fewer than 10 samples in"),
                               HasSubstr("sampled from outside by csink-attach")));
}

TEST_F(Run, KnowsAProgramOfMusl) {
  // A program whose dynamic linker, as its header says, is musl's; it needs not exist.
  std::ifstream whole(CSINK_STATIC_PROGRAM, std::ios::binary);
  Elf64_Ehdr header = {};
  whole.read(reinterpret_cast<char*>(&header), sizeof header);
  const std::string interpreter("/lib/ld-musl-x86_64.so.1", 25);
  Elf64_Phdr segment = {};
  segment.p_type = PT_INTERP;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = interpreter.size();
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  std::ofstream out(folder_ + "/musl", std::ios::binary);
  out.write(reinterpret_cast<const char*>(&header), sizeof header);
  out.write(reinterpret_cast<const char*>(&segment), sizeof segment);
  out << interpreter;
  out.close();
  EXPECT_EQ(tool::WhyNotPreloadable(folder_ + "/musl"), "uses musl, not glibc");
}

// A period of 10 s: no program of a few milliseconds has a sample, however slow the machine is.
constexpr char kLongPeriod[] = "task-clock@10G";

TEST_F(Run, SaysThatAShortProgramLeftNothing) {
  const auto result = Csink({"run", "-e", kLongPeriod, "--", "/bin/true"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("used too little CPU time"));
  EXPECT_EQ(CountFiles(spools()), 0u);
}

TEST_F(Run, ReplacesAnOlderFileByAReportWithoutSamples) {
  const std::string file = folder_ + "/out.json";
  for (const std::string program : {"/bin/true", CSINK_STATIC_PROGRAM}) {
    std::ofstream(file) << "of an earlier run";
    const auto result =
        Csink({"run", "-e", kLongPeriod, "--format", "json", "-o", file, "--", program});
    EXPECT_THAT(result.err, HasSubstr("nothing to report"));
    const auto json = nlohmann::json::parse(Read(file));
    EXPECT_EQ(json["command"], program);
    EXPECT_EQ(json["verdict"]["grade"], "poor");
    EXPECT_EQ(json["verdict"]["samples"], 0);
  }
}

TEST_F(Run, LeavesAFileAloneWhoseNameNeedsAProcessThatIsNotKnown) {
  const auto result =
      Csink({"run", "-e", kLongPeriod, "-o", folder_ + "/%e.txt", "--", CSINK_STATIC_PROGRAM});
  EXPECT_THAT(result.err, HasSubstr("nothing to report"));
  EXPECT_EQ(CountFiles(folder_), 3u);  // the folder of spools, stdout, stderr
}

TEST_F(Run, SaysThatAnEventCountedNothing) {
  SpoolBuilder builder;
  builder.AddRegion({.path = "/bin/app", .start = 0x10000, .end = 0x20000});
  std::strcpy(builder.event(0).name, "rffff:u");
  builder.event(0).kind = EventClass::kOther;
  builder.event(0).skid = spool::Skid::kInterrupt;
  builder.header().start_user_ns = 10'000'000;
  builder.header().user_ns = 410'000'000;
  builder.WriteTo(folder_ + "/left.csink");
  environment_["FAKE_AGENT_SPOOL"] = folder_ + "/left.csink";
  const auto result = Csink({"run", "--", "/bin/true"});
  EXPECT_THAT(result.err,
              HasSubstr("nothing to report: rffff:u counted nothing in 0.40 s of user time"));
  EXPECT_THAT(result.err, HasSubstr("-e task-clock samples the CPU clock"));
  const auto alone = Csink({"report", folder_ + "/left.csink"});
  EXPECT_EQ(alone.status, 1);
  EXPECT_THAT(alone.err, HasSubstr("contains no samples: rffff:u counted nothing"));
}

TEST_F(Run, ShowsWhyAnEventCannotBeHadBeforeTheProgramRuns) {
  environment_["FAKE_AGENT_ANSWER"] = Answer(
      R"j("understood":true,"text":"rffff (not available here: the event's PMU can count, but not sample)",)j"
      R"("events":[{"name":"rffff","available":false}])");
  const auto result = Csink({"run", "-e", "rffff", "--", "/bin/echo", "ran"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("but not sample); csink doctor --events lists"));
}

TEST_F(Run, KeepsSpoolsOnRequest) {
  LeaveSpools();
  const auto result = Csink({"run", "--keep", "--", "/bin/true"});
  EXPECT_THAT(result.err, HasSubstr("spools are kept: csink report " + spools() + "/tree."));
  EXPECT_EQ(CountSpools(spools()), 1u);
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
  EXPECT_THAT(result.err, HasSubstr("no folder for spools can be created"));
}

TEST_F(Run, SaysWhereItLookedForTheAgent) {
  environment_["CSINK_AGENT"] = "/no/libagent.so";
  const auto result = Csink({"run", "--", "/bin/true"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("libagent.so was not found at CSINK_AGENT=/no/libagent.so"));
}

using Doctor = ToolTest;

TEST_F(Doctor, PassesTheAgentsFindingsOnToStdout) {
  const auto result = Csink({"doctor"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "doctor speaking of all\n");
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_EQ(Csink({"doctor", "--events"}).out, "doctor speaking of events\n");
  EXPECT_EQ(Csink({"doctor", "--format", "json"}).out, "doctor speaking of json\n");
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
