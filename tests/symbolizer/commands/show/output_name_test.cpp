#include "symbolizer/commands/show/output_name.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "symbolizer/commands/show/config_command.h"

namespace csink::tool {
namespace {

using ::testing::UnorderedElementsAre;

class OutputName : public ::testing::Test {
 protected:
  OutputName() {
    char folder[] = "/tmp/csink-output-XXXXXX";
    folder_ = mkdtemp(folder);
    ProcessRow& row = profile_.processes.emplace_back();
    row.host = "node1";
    row.program = "app";
    row.pid = 4711;
    row.generation = 2;
    row.start_realtime_ns = 1'700'000'000'000'000'000;
  }
  ~OutputName() override { std::filesystem::remove_all(folder_); }

  ProcessRow& process() { return profile_.processes[0]; }
  std::string Name(const std::string& text, std::uint64_t number = 1) {
    const auto name = ExpandTemplate(text, profile_, number);
    return name ? *name : name.error().what;
  }
  /// Opens and says where, from the folder on.
  std::string Open(const std::string& text, bool of_one_process = true) {
    std::string path;
    const auto fd = OpenOutput(folder_ + "/" + text, profile_, of_one_process, path);
    return fd ? path.substr(folder_.size() + 1) : std::string("error: ") + fd.error().what;
  }

  std::string folder_;
  Profile profile_;
};

TEST_F(OutputName, FillsInWhatTheProfileKnows) {
  process().rank = 3;
  process().job = "77.batch";
  setenv("CSINK_TEST_NAME", "x/y", 1);
  EXPECT_EQ(Name("%e %p %h %g %t %r %j %n %{CSINK_TEST_NAME} %%", 5),
            "app 4711 node1 2 20231114T221320Z 3 77.batch 5 x_y %");
}

TEST_F(OutputName, SaysNoneForWhatIsNotThere) {
  EXPECT_EQ(Name("%r.%j.%{CSINK_NO_SUCH_NAME}"), "none.none.none");
  EXPECT_EQ(ExpandTemplate("%e", Profile(), 1).has_value(), true);
}

TEST_F(OutputName, TakesTheFirstProcessInItsLastImage) {
  profile_.processes.push_back(process());
  profile_.processes[1].program = "later";
  profile_.processes.emplace_back().pid = 4712;
  EXPECT_EQ(Name("%e.%p"), "later.4711");
}

TEST_F(OutputName, MakesMissingFolders) {
  EXPECT_EQ(Open("a/b/%e/r"), "a/b/app/r");
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/a/b/app/r"));
}

TEST_F(OutputName, NumbersFilesUntilOneIsNew) {
  EXPECT_EQ(Open("r%n"), "r1");
  EXPECT_EQ(Open("r%n"), "r2");
  std::filesystem::remove(folder_ + "/r1");
  EXPECT_EQ(Open("r%n.%n"), "r1.1");
  EXPECT_EQ(Open("r%n", false), "r1");
}

TEST_F(OutputName, ReplacesAFileOfAnEarlierRun) {
  std::ofstream(folder_ + "/r") << "old and longer";
  EXPECT_EQ(Open("r"), "r");
  EXPECT_EQ(std::filesystem::file_size(folder_ + "/r"), 0u);
}

TEST_F(OutputName, TellsTheProcessesOfOneRunApart) {
  process().depth = 1;
  EXPECT_EQ(Open("r"), "r.4711");
  EXPECT_EQ(Open("r.%p"), "r.4711");
  EXPECT_EQ(Open("s%n"), "s1");
  process().rank = 0;
  EXPECT_EQ(Open("r"), "r.r0.4711");
  EXPECT_EQ(Open("r.%r"), "r.0.4711");
  process().depth = 0;
  EXPECT_EQ(Open("r"), "r.r0");
  EXPECT_EQ(Open("r", false), "r") << "a report of many processes is one file";
}

TEST_F(OutputName, KeepsWhatAnotherProcessOfTheRunHasWritten) {
  const auto open = [&](bool of_one_process = true) {
    std::string path;
    // The descriptor, and its lock, are gone when the next one opens.
    const auto fd =
        OpenOutput(folder_ + "/r", profile_, of_one_process, path, Replaces::kOlderFiles);
    return fd ? path.substr(folder_.size() + 1) : std::string("error: ") + fd.error().what;
  };
  EXPECT_EQ(open(), "r");
  // The process began in 2023, so the file is newer.
  EXPECT_EQ(open(), "r.4711");
  // Another machine or container with the same number, and one with the same name.
  process().host = "node2";
  EXPECT_EQ(open(), "r.4711.node2");
  EXPECT_EQ(open(), "r.4711.node2.2");
  EXPECT_EQ(open(false), "r.4711.node2.3");
  // A process that began later: all of these are of an earlier run.
  process().start_realtime_ns = 4'000'000'000'000'000'000;
  std::ofstream(folder_ + "/r") << "old and longer";
  EXPECT_EQ(open(), "r");
  EXPECT_EQ(std::filesystem::file_size(folder_ + "/r"), 0u);
}

TEST_F(OutputName, ReplacesAnOldFileOnce) {
  process().start_realtime_ns = 4'000'000'000'000'000'000;
  std::ofstream(folder_ + "/r") << "old";
  std::string first, second;
  const auto one = OpenOutput(folder_ + "/r", profile_, true, first, Replaces::kOlderFiles);
  const auto other = OpenOutput(folder_ + "/r", profile_, true, second, Replaces::kOlderFiles);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(first, folder_ + "/r");
  EXPECT_EQ(second, folder_ + "/r.4711") << "the first one is being written";
}

TEST_F(OutputName, NamesASpawnedWorld) {
  process().rank = 0;
  process().job = "77.spawn.1537671170";
  EXPECT_EQ(Open("r"), "r.spawn.1537671170.r0");
  EXPECT_EQ(Open("r.%r"), "r.0.spawn.1537671170");
  EXPECT_EQ(Open("r.%j.%r"), "r.77.spawn.1537671170.0");
  EXPECT_EQ(Open("r.%p"), "r.4711");
  std::string path;
  ASSERT_TRUE(OpenOutput(folder_ + "/job", profile_, false, path, Replaces::kOlderFiles));
  EXPECT_EQ(path, folder_ + "/job.spawn.1537671170");
  process().job = "respawn.7";
  EXPECT_EQ(Open("s"), "s.r0");
}

TEST_F(OutputName, GivesADeviceNoOtherName) {
  process().depth = 1;
  std::string path;
  EXPECT_TRUE(OpenOutput("/dev/null", profile_, true, path));
  EXPECT_EQ(path, "/dev/null");
}

TEST_F(OutputName, RefusesAPathThatIsTooLong) {
  EXPECT_EQ(Open(std::string(5000, 'x')), "error: the name of the output is too long");
  EXPECT_EQ(Open(std::string(300, 'x')), "error: cannot be opened");
}

std::string Exported(std::string_view lines, std::size_t refused_wanted = 0) {
  std::size_t refused = 0;
  std::string text = ExportLines(lines, refused);
  EXPECT_EQ(refused, refused_wanted);
  return text;
}

TEST(ExportLines, PassesSettingsOn) {
  EXPECT_EQ(Exported("CSINK_TOP='7'\nCSINK_INCLUDE='it'\\''s'\n"),
            "export CSINK_TOP='7'\nexport CSINK_INCLUDE='it'\\''s'\n");
  EXPECT_EQ(Exported("CSINK_SPOOL_DIR='a\nb'\n"), "export CSINK_SPOOL_DIR='a\nb'\n");
  EXPECT_EQ(Exported(""), "");
}

TEST(ExportLines, LetsNothingElseThrough) {
  for (const char* line :
       {"PATH='/evil'\n", "CSINK_TOP=7\n", "CSINK_TOP='7'; id\n", "CSINK_TOP='7'$(id)\n",
        "CSINK_TOP='7\n", "id\n", "CSINK_TOP\n", "CSINK_T;id;P='7'\n", "CSINK_TOP='7'", "\n",
        "CSINK_TOP=''\\'\n", "export CSINK_TOP='7'\n"}) {
    EXPECT_EQ(Exported(line, 1), "") << line;
  }
  EXPECT_EQ(Exported("id\nCSINK_KEEP='1'\n", 1), "export CSINK_KEEP='1'\n");
  EXPECT_EQ(Exported(std::string_view("CSINK_TOP='7\0x'\n", 16), 1), "");
}

}  // namespace
}  // namespace csink::tool
