#include "symbolizer/report/verdict/runtimes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/symbolizer/report/sample_reports.h"

namespace csink::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace csink::testing;

TEST(JitAdvice, NamesTheSwitchOfARuntimeByItsProgramOrItsLibrary) {
  const std::pair<const char*, const char*> pairs[] = {
      {"node", "--perf-basic-prof"},
      {"nodejs", "--perf-basic-prof"},
      {"libnode.so.108", "--perf-basic-prof"},
      {"deno", "--v8-flags=--perf-basic-prof"},
      {"java", "-XX:+DumpPerfMapAtExit"},
      {"libjvm.so", "-XX:+DumpPerfMapAtExit"},
      {"beam.smp", "+JPperf true"},
      {"dotnet", "DOTNET_PerfMapEnabled=1"},
      {"libcoreclr.so", "DOTNET_PerfMapEnabled=1"},
      {"mono-sgen", "--jitmap"},
      {"libmonosgen-2.0.so.1", "--jitmap"},
      {"php8.2", "opcache.jit_debug=16"},
      {"php-fpm8.2", "opcache.jit_debug=16"},
      {"libruby-3.3.so.3.3", "--yjit-perf"},
      {"luajit-2.1.0-beta3", "LUAJIT_USE_PERFTOOLS"},
      {"libjulia-internal.so.1.9", "ENABLE_JITPROFILING=1"},
      {"wasmtime", "--profile=perfmap"},
      {"qemu-system-x86_64", "-perfmap"}};
  for (const auto& [name, setting] : pairs) {
    EXPECT_THAT(JitAdvice({{name, ""}}), HasSubstr(setting)) << name;
  }
}

TEST(JitAdvice, IsEmptyForOtherProgramsAndWhereTheSwitchIsSet) {
  for (const char* name : {"", "javac", "nodemon", "rubyist", "libc.so.6", "phpstorm", "python3"}) {
    EXPECT_EQ(JitAdvice({{name, ""}}), "") << name;
  }
  EXPECT_EQ(JitAdvice({{"node", "node --perf-basic-prof x.js"}}), "");
  EXPECT_EQ(JitAdvice({}), "");
}

TEST(JitAdvice, NamesARuntimeOnceAndTwoAtMost) {
  const std::string text =
      JitAdvice({{"node", ""}, {"libnode.so.108", ""}, {"java", ""}, {"php", ""}});
  EXPECT_EQ(text.find("perf-basic-prof"), text.rfind("perf-basic-prof"));
  EXPECT_THAT(text, HasSubstr("java"));
  EXPECT_THAT(text, Not(HasSubstr("php")));
}

TEST(InterpreterAdvice, IsForPythonWithoutItsSwitch) {
  EXPECT_THAT(InterpreterAdvice({"python3.12", "python3.12 x.py"}), HasSubstr("-X perf"));
  EXPECT_THAT(InterpreterAdvice({"libpython3.12.so.1.0", ""}), HasSubstr("-X perf"));
  EXPECT_EQ(InterpreterAdvice({"python3.12", "python3.12 -X perf x.py"}), "");
  EXPECT_EQ(InterpreterAdvice({"python2.7", ""}), "");
  EXPECT_EQ(InterpreterAdvice({"node", ""}), "");
}

/// `hits` samples in anonymous memory of a program, and 100 in the program's file.
Report WithAnonymousCode(const char* program, const char* command, std::uint64_t hits) {
  SpoolBuilder b;
  b.SetCommand(program, command);
  const auto jit =
      b.AddRegion({.start = 0x7000, .end = 0x9000, .flags = spool::kRegionAnonymous, .inode = 0});
  const auto file =
      b.AddRegion({.path = std::string("/usr/bin/") + program, .start = 0x400000, .end = 0x410000});
  b.AddHits(jit, 1, 0x7000, hits);
  b.AddHits(file, 1, 0x401000, 100);
  FakeResolver names;
  names.Add(std::string("/usr/bin/") + program, 0x1000, {.end = 0x2000, .name = "loop"});
  return Make(b, names);
}

std::string NotesOf(const Report& report) {
  std::string text;
  for (const std::string& note : report.verdict.notes) text += note + "\n";
  return text;
}

TEST(BuildReport, SaysHowCodeWithoutAFileGetsNamesIfItDominates) {
  EXPECT_THAT(NotesOf(WithAnonymousCode("node", "node x.js", 900)),
              HasSubstr("90.0% in code without a file; node "
                        "--perf-basic-prof writes"));
  EXPECT_THAT(NotesOf(WithAnonymousCode("app", "app", 900)), Not(HasSubstr("; ")));
  EXPECT_THAT(NotesOf(WithAnonymousCode("node", "node x.js", 2)),
              Not(HasSubstr("perf-basic-prof")));
}

TEST(BuildReport, SaysHowAnInterpretersFunctionsAreShown) {
  EXPECT_THAT(NotesOf(WithAnonymousCode("python3.12", "python3.12 x.py", 1)),
              HasSubstr("99.0% in the interpreter python3.12: python3 -X perf"));
  EXPECT_THAT(NotesOf(WithAnonymousCode("python3.12", "python3.12 x.py", 900)),
              Not(HasSubstr("-X perf")));
}

}  // namespace
}  // namespace csink::report
