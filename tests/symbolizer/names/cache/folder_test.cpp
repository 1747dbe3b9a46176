#include "symbolizer/names/cache/folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "symbolizer/names/cache/entry.h"
#include "tests/symbolizer/workshop.h"

namespace csink::symbolizer::cache {
namespace {

using testing::Workshop;

void UsedAt(const std::string& path, std::int64_t seconds) {
  const timespec times[2] = {{seconds, 0}, {seconds, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

std::string TextOf(const Buffer& bytes) {
  return {reinterpret_cast<const char*>(bytes.bytes().data()), bytes.size()};
}

class CacheFolder : public ::testing::Test {
 protected:
  std::string Path(const std::string& name = "") const {
    return shop_.Path("cache") + (name.empty() ? "" : "/" + name);
  }
  Workshop shop_;
};

TEST_F(CacheFolder, IsMadeWhenItIsFirstWrittenTo) {
  EXPECT_FALSE(Folder::Open(Path()));
  const auto folder = Folder::Make(Path());
  ASSERT_TRUE(folder);
  struct stat status;
  ASSERT_EQ(::stat(Path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_TRUE(folder->Write("a.names", "text"));
  EXPECT_EQ(TextOf(folder->Read("a.names", 100)), "text");
  EXPECT_EQ(folder->Read("a.names", 3).size(), 0u);
  EXPECT_EQ(folder->Read("b.names", 100).size(), 0u);
  EXPECT_FALSE(Folder::Make(shop_.Path("no/users/of/ours/csink")));
}

TEST_F(CacheFolder, ThatOthersMayWriteInIsNotTrusted) {
  ASSERT_TRUE(Folder::Make(Path()));
  ASSERT_EQ(::chmod(Path().c_str(), 0770), 0);
  EXPECT_FALSE(Folder::Open(Path()));
  ASSERT_EQ(::chmod(Path().c_str(), 0755), 0);
  EXPECT_TRUE(Folder::Open(Path()));
}

TEST_F(CacheFolder, TakesOnlyPlainFilesOfItsOwner) {
  const auto folder = Folder::Make(Path());
  ASSERT_TRUE(folder->Write("real.names", "text"));
  ASSERT_EQ(::symlink(Path("real.names").c_str(), Path("link.names").c_str()), 0);
  ASSERT_EQ(::mkfifo(Path("fifo.names").c_str(), 0600), 0);
  ASSERT_EQ(::mkdir(Path("dir.names").c_str(), 0700), 0);
  for (const char* name : {"link.names", "fifo.names", "dir.names"}) {
    EXPECT_EQ(folder->Read(name, 100).size(), 0u) << name;
  }
  EXPECT_EQ(folder->List().size(), 1u);
  ASSERT_EQ(::chmod(Path("real.names").c_str(), 0666), 0);
  EXPECT_EQ(folder->Read("real.names", 100).size(), 0u);
}

TEST_F(CacheFolder, LosesWhatWasUsedLeastRecently) {
  const auto folder = Folder::Make(Path());
  for (const char* name : {"a.names", "b.names", "c.names"}) {
    ASSERT_TRUE(folder->Write(name, std::string(1000, 'x')));
  }
  testing::WriteWhole(Path("of-somebody-else.txt"), std::string(5000, 'x'));
  UsedAt(Path("a.names"), 1000);
  UsedAt(Path("b.names"), 3000);
  UsedAt(Path("c.names"), 2000);
  EXPECT_EQ(folder->Read("a.names", 5000).size(), 1000u);  // Used now
  EXPECT_EQ(folder->Shrink(2500), 1u);
  EXPECT_EQ(folder->Read("c.names", 5000).size(), 0u);
  EXPECT_EQ(folder->List().size(), 2u);
  EXPECT_EQ(folder->Shrink(0), 2u);
  EXPECT_EQ(::access(Path("of-somebody-else.txt").c_str(), F_OK), 0);
}

TEST_F(CacheFolder, ClearRemovesTheAgentsFileAndNoForeignOne) {
  const auto folder = Folder::Make(Path());
  ASSERT_TRUE(folder->Write("a.names", "names"));
  testing::WriteWhole(Path("event-cost.here"), "cost");
  testing::WriteWhole(Path("of-somebody-else.txt"), "text");
  EXPECT_EQ(folder->Clear(), 2u);
  EXPECT_NE(::access(Path("event-cost.here").c_str(), F_OK), 0);
  EXPECT_EQ(::access(Path("of-somebody-else.txt").c_str(), F_OK), 0);
}

TEST_F(CacheFolder, IsClearedOfWhatKilledWritersLeft) {
  const auto folder = Folder::Make(Path());
  testing::WriteWhole(Path("a.names.1.2.3.new"), "half");
  testing::WriteWhole(Path("b.names.1.2.3.new"), "half");
  UsedAt(Path("a.names.1.2.3.new"), 1000);
  EXPECT_EQ(folder->Shrink(1 << 20), 0u);
  EXPECT_NE(::access(Path("a.names.1.2.3.new").c_str(), F_OK), 0);
  EXPECT_EQ(::access(Path("b.names.1.2.3.new").c_str(), F_OK), 0);  // Its writer may be at it
}

/// An entry that says of itself who wrote it, in all its parts.
std::string EntryOf(int writer, int round) {
  const std::string name = std::to_string(writer) + "." + std::to_string(round);
  Entry entry{.key = "k", .debug_file = name, .marks = {}, .offsets = {}, .locations = {}};
  for (std::uint64_t i = 0; i < 200; ++i) {
    entry.offsets.push_back(i);
    entry.locations.push_back({.function = name, .raw_name = {}, .file = {}, .inlined = {}});
  }
  return Encode(entry);
}

TEST_F(CacheFolder, HoldsWholeFilesWhoeverWritesAndIsKilled) {
  const auto folder = Folder::Make(Path());
  std::vector<pid_t> writers;
  const auto start = [&](int writer) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    for (int round = 0;; ++round) {
      folder->Write("same.names", EntryOf(writer, round));
      if (round % 16 == 0) folder->Shrink(1 << 20);
    }
  };
  for (int i = 0; i < 4; ++i) writers.push_back(start(i));
  int seen = 0;
  for (int round = 0; round < 400; ++round) {
    ::usleep(500);
    const Buffer bytes = folder->Read("same.names", kMaxEntryBytes);
    if (bytes.size() == 0) continue;
    ++seen;
    const auto entry = Decode(bytes.bytes(), "k", nullptr);
    ASSERT_TRUE(entry) << "round " << round;
    ASSERT_EQ(entry->locations.size(), 200u);
    for (const Location& location : entry->locations) {
      ASSERT_EQ(location.function, entry->debug_file);
    }
    if (round % 8 == 0) {
      pid_t& victim = writers[static_cast<std::size_t>(round / 8) % writers.size()];
      ::kill(victim, SIGKILL);
      ::waitpid(victim, nullptr, 0);
      victim = start(round);
    }
  }
  for (const pid_t writer : writers) {
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
  }
  EXPECT_GT(seen, 100);
  EXPECT_EQ(folder->List().size(), 1u);
}

class CacheSettings : public ::testing::Test {
 protected:
  CacheSettings() {
    for (const char* name : {"CSINK_CACHE", "CSINK_CACHE_SIZE", "XDG_CACHE_HOME"}) ::unsetenv(name);
    ::setenv("HOME", "/users/a", 1);
  }
  static std::string FolderFor(const char* asked) {
    ::setenv("CSINK_CACHE", asked, 1);
    return SettingsFromEnvironment().folder;
  }
};

TEST_F(CacheSettings, FindThePlaceWhereCachesLie) {
  EXPECT_EQ(SettingsFromEnvironment().folder, "/users/a/.cache/csink");
  EXPECT_EQ(SettingsFromEnvironment().max_bytes, 256u << 20);
  ::setenv("XDG_CACHE_HOME", "/scratch/c", 1);
  EXPECT_EQ(SettingsFromEnvironment().folder, "/scratch/c/csink");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(SettingsFromEnvironment().folder, "/users/a/.cache/csink");
  ::setenv("HOME", "", 1);
  EXPECT_EQ(SettingsFromEnvironment().folder, "");
  ::unsetenv("HOME");
  EXPECT_EQ(SettingsFromEnvironment().folder, "");
}

TEST_F(CacheSettings, AreWhatPeopleSay) {
  EXPECT_EQ(FolderFor("0"), "");
  EXPECT_EQ(FolderFor("off"), "");
  EXPECT_EQ(FolderFor("1"), "/users/a/.cache/csink");
  EXPECT_EQ(FolderFor("/mnt/names"), "/mnt/names");
  ::setenv("CSINK_CACHE_SIZE", "64M", 1);
  EXPECT_EQ(SettingsFromEnvironment().max_bytes, 64'000'000u);
}

TEST_F(CacheSettings, ThatMakeNoSenseAreSaid) {
  std::string problem;
  ::setenv("CSINK_CACHE", "names", 1);
  EXPECT_EQ(SettingsFromEnvironment(&problem).folder, "");
  EXPECT_NE(problem.find("CSINK_CACHE=names"), std::string::npos);
  problem.clear();
  ::setenv("CSINK_CACHE", "1", 1);
  ::setenv("CSINK_CACHE_SIZE", "much", 1);
  EXPECT_EQ(SettingsFromEnvironment(&problem).max_bytes, kDefaultMaxBytes);
  EXPECT_NE(problem.find("CSINK_CACHE_SIZE=much"), std::string::npos);
}

}  // namespace
}  // namespace csink::symbolizer::cache
