
#include "symbolizer/commands/show/report_command.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include <nlohmann/json.hpp>

#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/commands/load/users_place.h"
#include "tests/fakes/spool_builder.h"
#include "tests/symbolizer/commands/run_tool.h"

namespace csink::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// 1,000 samples in a module that is nowhere: whatever symbolizer is linked, it
/// can name nothing.
SpoolBuilder Spool(std::uint64_t samples = 1000) {
  SpoolBuilder builder;
  const auto region =
      builder.AddRegion({.path = "/nowhere/libfoo.so", .start = 0x10000, .end = 0x20000});
  if (samples > 0) builder.AddHits(region, 1, 0x11234, samples);
  return builder;
}

std::uint64_t Now() { return static_cast<std::uint64_t>(time(nullptr)) * 1'000'000'000u; }

/// Start ticks of a running process, so that a spool can claim to be its.
std::uint64_t TicksOf(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream rest(text.substr(text.rfind(')') + 2));
  std::string token;
  for (int field = 3; field <= 22; ++field) rest >> token;
  return std::stoull(token);
}

SpoolBuilder LiveSpool() {
  SpoolBuilder builder = Spool();
  builder.header().state = spool::State::kLive;
  builder.header().end = spool::End::kUnknown;
  builder.header().pid = static_cast<std::uint32_t>(getpid());
  builder.header().process_start_ticks = TicksOf(getpid());
  char host[64] = {};
  gethostname(host, sizeof host - 1);
  SetText(builder.header().host, host);
  return builder;
}

using Report = ToolTest;

TEST_F(Report, WritesAFileToStdout) {
  const auto result = Csink({"report", Spool().Write(spools())});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("csink  ./app --fast   pid 4711"));
  EXPECT_THAT(result.out, HasSubstr("libfoo.so"));
  EXPECT_THAT(result.out, HasSubstr("1,000 samples explain"));
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_EQ(CountFiles(spools()), 1u);  // looking takes nothing away
}

TEST_F(Report, WritesJson) {
  const auto result = Csink({"report", "--format", "json", Spool().Write(spools())});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["format"], "csink-report");
  EXPECT_EQ(json["events"][0]["samples"], 1000);
  EXPECT_EQ(json["state"], "complete");
}

TEST_F(Report, AddsUpAFolder) {
  Spool().Write(spools());
  SpoolBuilder other = Spool(500);
  other.header().pid = 4712;
  other.Write(spools());
  const auto result = Csink({"report", "--format=json", spools()});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["verdict"]["samples"], 1500);
  EXPECT_EQ(json["processes"].size(), 2u);
}

TEST_F(Report, SumsUpWhatCannotBeRead) {
  Spool().Write(spools());
  for (int i = 0; i < 1000; ++i) {
    std::ofstream(spools() + "/bad." + std::to_string(i) + ".csink") << (i < 998 ? "junk" : "");
  }
  const auto result = Csink({"report", spools()});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("1,000 samples"));
  EXPECT_LE(std::count(result.err.begin(), result.err.end(), '\n'), 8) << result.err;
  EXPECT_THAT(result.err, HasSubstr("993 more files: not a Countersink spool\n"));
}

TEST_F(Report, FindsAProcessByItsNumber) {
  SpoolBuilder earlier = LiveSpool();
  earlier.header().state = spool::State::kComplete;
  earlier.header().end = spool::End::kExec;
  earlier.Write(spools());
  SpoolBuilder now = LiveSpool();
  now.header().exec_generation = 1;
  now.Write(spools());
  const auto result = Csink({"report", "--format=json", std::to_string(getpid())});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["state"], "live");
  EXPECT_EQ(json["processes"].size(), 2u);
  EXPECT_EQ(json["verdict"]["samples"], 2000);
}

TEST_F(Report, FindsTheSpoolThatAProcessHasMappedWhereverItLies) {
  std::filesystem::create_directory(folder_ + "/elsewhere");
  const std::string path = LiveSpool().Write(folder_ + "/elsewhere");
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  void* mapped = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  ASSERT_NE(mapped, MAP_FAILED);
  const auto result = Csink({"report", "--format=json", std::to_string(getpid())});
  munmap(mapped, 4096);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["state"], "live");
}

TEST_F(Report, SaysSoWhenAProcessHasNoSpool) {
  const auto running = Csink({"report", std::to_string(getpid())});
  EXPECT_EQ(running.status, 1);
  EXPECT_THAT(running.err, HasSubstr("has no spool: the process has fewer than 10 samples"));
  const auto gone = Csink({"report", "2147483646"});
  EXPECT_EQ(gone.status, 1);
  EXPECT_THAT(
      gone.err,
      HasSubstr("no process 2147483646 is running, and no spool of this process was found"));
}

// Nobody recorded how the process ended.
TEST_F(Report, DoesNotKnowTheEndOfADeadProcessWithoutAWaitStatus) {
  SpoolBuilder builder = LiveSpool();
  builder.header().process_start_ticks += 1;  // another process of the same number
  const auto result = Csink({"report", "--format=json", builder.Write(spools())});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["state"], "unknown");
}

TEST_F(Report, RefusesBadInputWithOneLineThatNamesIt) {
  std::ofstream(folder_ + "/foreign") << "not a spool at all";
  std::ofstream(folder_ + "/cut.csink", std::ios::binary) << "CSINKSPL";
  std::filesystem::create_directory(folder_ + "/empty");
  for (const std::string name : {"foreign", "cut.csink", "empty", "missing"}) {
    const auto result = Csink({"report", folder_ + "/" + name});
    EXPECT_EQ(result.status, 1) << name;
    EXPECT_THAT(result.out, IsEmpty()) << name;
    EXPECT_THAT(result.err, HasSubstr(name));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

TEST_F(Report, NeedsPermission) {
  const std::string path = Spool().Write(spools());
  if (geteuid() == 0) {
    // Root may read anything; as nobody, with a folder that nobody may enter but not read.
    chmod(folder_.c_str(), 0755);
  }
  chmod(path.c_str(), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(77);
    const bool denied = open(path.c_str(), O_RDONLY) < 0 && errno == EACCES;
    if (!denied || !freopen((folder_ + "/err").c_str(), "w", stderr)) _exit(77);
    execl(CSINK_PROGRAM, "csink", "report", path.c_str(), nullptr);
    _exit(77);
  }
  int status = 0;
  chmod(folder_.c_str(), 0777);
  waitpid(pid, &status, 0);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "cannot give up permission here";
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(Read(folder_ + "/err"), HasSubstr("Permission denied"));
}

TEST_F(Report, ReportsTheGoodBesideTheBad) {
  const auto result = Csink({"report", Spool().Write(spools()), "/bin/true"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("libfoo.so"));
  EXPECT_THAT(result.err, HasSubstr("/bin/true: not a Countersink spool"));
}

TEST_F(Report, WritesToAFileByTemplate) {
  const auto result =
      Csink({"report", "-o", folder_ + "/%e.%p.%g.%%.txt", Spool().Write(spools())});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(Read(folder_ + "/app.4711.0.%.txt"), StartsWith("csink  ./app"));
}

TEST_F(Report, FallsBackToStderrWhenTheFileCannotBeWritten) {
  for (const std::string path : {"/proc/no/report", "/dev/full"}) {
    const auto result = Csink({"report", "-o", path, Spool().Write(spools())});
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.err, StartsWith("csink: error: cannot write the report to " + path));
    EXPECT_THAT(result.err, HasSubstr("libfoo.so"));
  }
}

TEST_F(Report, SaysWhyStdoutCannotBeWritten) {
  const std::string path = Spool().Write(spools());
  stdout_ = "/dev/full";
  const std::vector<std::vector<std::string>> commands = {
      {"report", path},
      {"report", "--format=json", path},
      {"report", "--annotate", path},
      {"export", "--format=folded", path},
      {"export", "--format=pprof", path},
      {"diff", "--fail-if-slower=5", path, path},
      {"symbolize", "--format=json", "--module", "/bin/true"},
      {"doctor"}};
  for (const auto& command : commands) {
    const auto result = Csink(command);
    EXPECT_EQ(result.status, 1) << command[0];
    EXPECT_THAT(result.err,
                HasSubstr("csink: error: cannot write the report (No space left on device)"))
        << command[0];
  }
  stdout_.clear();
  const auto file = Csink({"diff", "-o", "/dev/full", path, path});
  EXPECT_EQ(file.status, 1);
  EXPECT_THAT(file.err, HasSubstr("cannot write /dev/full (No space left on device)"));
}

using AtExit = ToolTest;

TEST_F(AtExit, ReportsTheLineageOnStderrAndRemovesIt) {
  for (std::uint32_t generation = 0; generation < 3; ++generation) {
    SpoolBuilder builder = Spool();
    builder.header().exec_generation = generation;
    if (generation < 2) builder.header().end = spool::End::kExec;
    builder.SetCommand("image" + std::to_string(generation), "image");
    builder.Write(spools());
  }
  SpoolBuilder stranger = Spool();
  stranger.header().process_start_ticks = 99;
  const std::string kept = stranger.Write(spools());
  const auto result = Csink({"report", "--at-exit", "--min-samples", "20",
                             spools() + "/image2.host.4711.123456.2.csink"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("3,000 samples"));
  EXPECT_EQ(CountFiles(spools()), 1u);
  EXPECT_TRUE(std::filesystem::exists(kept));
}

TEST_F(AtExit, FindsEarlierImagesThatCountedOtherwise) {
  SpoolBuilder shell = Spool();
  shell.SetCommand("sh", "sh -c 'exec env -i app'");
  shell.header().exec_generation = 3;
  shell.header().end = spool::End::kExec;
  shell.Write(spools());
  const auto result = Csink({"report", "--at-exit", Spool().Write(spools())});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("2,000 samples"));
  EXPECT_EQ(CountFiles(spools()), 0u);
}

TEST_F(AtExit, StaysSilentBelowTheMinimum) {
  const auto result =
      Csink({"report", "--at-exit", "--min-samples", "20", Spool(19).Write(spools())});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out + result.err, IsEmpty());
  EXPECT_EQ(CountFiles(spools()), 0u);
}

TEST_F(AtExit, KeepsSpoolsOnRequest) {
  const auto result = Csink({"report", "--at-exit", "--keep", Spool().Write(spools())});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("libfoo.so"));
  EXPECT_EQ(CountFiles(spools()), 1u);
}

TEST_F(AtExit, KeepsWhatItCouldNotReport) {
  const auto result = Csink({"report", "--at-exit", "-o", "/dev/full", Spool().Write(spools())});
  EXPECT_EQ(result.status, 1) << "the agent names the spool then, and a snapshot has failed";
  EXPECT_THAT(result.err, StartsWith("csink: error: cannot write"));
  EXPECT_EQ(CountFiles(spools()), 1u);
}

TEST_F(AtExit, AddsAChildsNumberUnlessTheFileIsNamed) {
  SpoolBuilder child = Spool();
  child.header().depth = 1;
  const std::string spool = child.Write(spools());
  const std::string file = folder_ + "/report";
  const auto told_apart = Csink({"report", "--at-exit", "--keep", "-o", file, spool});
  EXPECT_EQ(told_apart.status, 0) << told_apart.err;
  EXPECT_TRUE(std::filesystem::exists(file + ".4711"));
  EXPECT_FALSE(std::filesystem::exists(file));
  std::filesystem::remove(file + ".4711");
  const auto named = Csink({"report", "--at-exit", "--keep", "--as-named", "-o", file, spool});
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_FALSE(std::filesystem::exists(file + ".4711"));
}

using List = ToolTest;

TEST_F(List, SaysWhereItLookedWhenThereIsNothing) {
  const auto result = Csink({"report"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "csink: no spools in " + spools() + "\n");
}

TEST_F(List, ShowsStateAndSamplesAndRemovesNothing) {
  SpoolBuilder live = LiveSpool();
  live.header().start_realtime_ns = Now() - 30 * 86400ull * 1'000'000'000u;
  live.Write(spools());  // asleep for a month, but alive
  SpoolBuilder dead = Spool(1234);
  dead.header().state = spool::State::kLive;
  dead.header().start_realtime_ns = Now() - 3600ull * 1'000'000'000u;
  dead.Write(spools());
  SpoolBuilder old = Spool();
  old.header().pid = 4712;
  old.header().start_realtime_ns = Now() - 8 * 86400ull * 1'000'000'000u;
  const std::string expired = old.Write(spools());
  std::filesystem::create_directory(spools() + "/tree.0123");
  SpoolBuilder in_tree = Spool(77);
  in_tree.header().pid = 4713;
  in_tree.header().start_realtime_ns = Now();
  in_tree.Write(spools() + "/tree.0123");
  std::ofstream(spools() + "/x.csink") << "rubbish";

  const auto result = Csink({"report"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, ::testing::ContainsRegex("30 days +[0-9]+ +1,000  running +app"));
  EXPECT_THAT(result.out, ::testing::ContainsRegex("60(\\.[0-9])? min +4711 +1,234  unknown"));
  EXPECT_THAT(result.out, ::testing::ContainsRegex("4713 +77  complete"));
  EXPECT_THAT(result.out, HasSubstr("damaged"));
  EXPECT_THAT(result.out, HasSubstr("4712"));
  EXPECT_TRUE(std::filesystem::exists(expired));
  EXPECT_EQ(CountFiles(spools()), 6u);
  // The user chose the folder: nothing of it is "left".
  EXPECT_EQ(result.err, "");
}

/// A usual folder, in which spools are as old as the test says.
class Clean : public ToolTest {
 protected:
  Clean() {
    setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
    root_ = folder_ + "/csink";
    std::filesystem::create_directory(root_);
  }
  std::string Write(std::uint32_t pid, unsigned days, spool::State state, const std::string& folder,
                    const std::string& configuration = "") {
    SpoolBuilder builder = Spool();
    builder.header().pid = pid;
    builder.header().state = state;
    builder.header().start_realtime_ns = Now() - days * 86400ull * 1'000'000'000u;
    if (!configuration.empty()) builder.SetConfiguration(configuration);
    return builder.Write(folder);
  }
  std::string Cleaned() {
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(tool::CleanSpools({root_}), 0);
    return ::testing::internal::GetCapturedStdout();
  }

  std::string root_;
};

TEST_F(Clean, RemovesWhatKilledProgramsLeftAWeekAgo) {
  const std::string old = Write(1, 8, spool::State::kLive, root_);
  const std::string young = Write(2, 6, spool::State::kLive, root_);
  const std::string complete = Write(3, 400, spool::State::kComplete, root_);
  const std::string kept = Write(4, 8, spool::State::kLive, root_, "CSINK_KEEP='1'\n");
  EXPECT_EQ(Cleaned(), "csink: 1 spool of killed programs, older than seven days, was removed\n");
  EXPECT_FALSE(std::filesystem::exists(old));
  for (const std::string& path : {young, complete, kept}) {
    EXPECT_TRUE(std::filesystem::exists(path)) << path;
  }
}

TEST_F(Clean, LeavesTreesThatAreKept) {
  for (const char* tree : {"/tree.0000000000000001", "/tree.0000000000000002"}) {
    std::filesystem::create_directory(root_ + tree);
    Write(1, 8, spool::State::kLive, root_ + tree);
  }
  tool::MarkAsKept(root_ + "/tree.0000000000000002");
  EXPECT_THAT(Cleaned(), StartsWith("csink: 1 spool "));
  EXPECT_EQ(tool::SpoolsIn(root_ + "/tree.0000000000000001").size(), 0u);
  EXPECT_EQ(tool::SpoolsIn(root_ + "/tree.0000000000000002").size(), 1u);
}

TEST_F(Clean, FollowsNoLink) {
  const std::string other = folder_ + "/other";
  std::filesystem::create_directory(other);
  const std::string old = Write(1, 8, spool::State::kLive, other);
  std::filesystem::create_symlink(other, root_ + "/tree.0000000000000001");
  EXPECT_THAT(Cleaned(), StartsWith("csink: 0 spools "));
  std::filesystem::remove_all(root_);
  std::filesystem::create_symlink(other, root_);
  EXPECT_THAT(Cleaned(), StartsWith("csink: 0 spools "));
  EXPECT_TRUE(std::filesystem::exists(old));
}

}  // namespace
}  // namespace csink::testing
