#include "symbolizer/commands/live/private_page.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace csink::tool {
namespace {

using ::testing::ElementsAre;

/// Sets variables, null: unsets, and restores them.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class MakePage : public ::testing::Test {
 protected:
  MakePage() {
    char folder[] = "/tmp/csink-private-XXXXXX";
    root_ = mkdtemp(folder);
  }
  ~MakePage() override { std::filesystem::remove_all(root_); }

  static unsigned ModeOf(const std::string& path) {
    struct stat status = {};
    EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777;
  }
  /// Makes a folder look as if it was written two days ago.
  static void Age(const std::string& folder) {
    const timespec times[] = {{0, UTIME_OMIT}, {time(nullptr) - 2 * 24 * 60 * 60, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, folder.c_str(), times, 0), 0);
  }

  std::string root_;
};

TEST(PrivateRoots, AreThoseOfTheUser) {
  const Variable run("XDG_RUNTIME_DIR", "/run/user/7");
  const Variable temporary("TMPDIR", "/var/tmp");
  EXPECT_THAT(PrivateRoots(), ElementsAre("/run/user/7", "/var/tmp"));
}

TEST(PrivateRoots, AreAbsolute) {
  const Variable run("XDG_RUNTIME_DIR", "here");
  const Variable temporary("TMPDIR", "");
  EXPECT_THAT(PrivateRoots(), ElementsAre("/tmp"));
  const Variable none("TMPDIR", nullptr);
  EXPECT_THAT(PrivateRoots(), ElementsAre("/tmp"));
}

TEST_F(MakePage, IsPrivateWhateverTheMask) {
  const mode_t mask = umask(0);
  auto page = MakePrivatePage({root_});
  umask(mask);
  ASSERT_TRUE(page);
  EXPECT_EQ(ModeOf(page->folder), 0700u);
  EXPECT_EQ(ModeOf(page->path), 0600u);
  EXPECT_EQ(page->path, page->folder + "/page.html");
  EXPECT_EQ(write(page->fd.get(), "x", 1), 1);
  EXPECT_EQ(std::filesystem::file_size(page->path), 1u);
  page->Remove();
  EXPECT_FALSE(std::filesystem::exists(page->folder));
}

TEST_F(MakePage, TakesTheFirstFolderThatCanBeUsed) {
  const auto page = MakePrivatePage({"/nonexistent", root_});
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->path.starts_with(root_ + "/csink-view."));
  const auto none = MakePrivatePage({"/nonexistent", "/nonexistent/too"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().sys_errno, ENOENT);
  EXPECT_EQ(MakePrivatePage({}).error().code, Errc::kInvalid);
}

TEST_F(MakePage, RemovesPagesOfEarlierDays) {
  const auto old = MakePrivatePage({root_});
  const auto young = MakePrivatePage({root_});
  const std::string other = root_ + "/csink-other.x";
  const std::string target = root_ + "/target";
  const std::string link = root_ + "/csink-view.link";
  std::filesystem::create_directory(other);
  std::filesystem::create_directory(target);
  std::ofstream(target + "/page.html") << "not ours to remove";
  std::filesystem::create_directory_symlink(target, link);
  ASSERT_TRUE(old && young);
  Age(old->folder);
  Age(other);
  Age(target);
  const auto page = MakePrivatePage({root_});
  ASSERT_TRUE(page);
  EXPECT_FALSE(std::filesystem::exists(old->folder));
  EXPECT_TRUE(std::filesystem::exists(young->path));
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_TRUE(std::filesystem::exists(target + "/page.html"));
}

TEST_F(MakePage, KeepsAnOldFolderWithOtherFiles) {
  const auto old = MakePrivatePage({root_});
  ASSERT_TRUE(old);
  std::ofstream(old->folder + "/notes") << "x";
  Age(old->folder);
  ASSERT_TRUE(MakePrivatePage({root_}));
  EXPECT_TRUE(std::filesystem::exists(old->folder + "/notes"));
}

}  // namespace
}  // namespace csink::tool
